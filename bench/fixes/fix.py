"""The steps of `fixes.toml`, and how their packages are set up.

[NAME]
registry = "pypi"                   or npm
needs = ["hypothesis"]              what its tests need, besides pytest and what builds it
check = {pytest = "tests"}          what runs its tests
steps = [["1.0", "1.1"], …]         releases of which the second brings tests that fail on the first
left_out = [["1.1", "1.2", "why"]]  all others that were looked at
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goalkeeper.wire.value import Value

DATA = Path(__file__).with_name("fixes.toml")
_BUILD_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
_PYTHON = ".venv/bin/python"
# npm also resolves what it is told to omit, and not all that a release was made with is to be had.
PRUNE = ("npm", "pkg", "delete", "devDependencies")
NPM = ("npm", "install", "--omit=dev", "--ignore-scripts", "--no-save", "--no-audit", "--no-fund")


class RealFix(Value):
    """One step of a package from a release to the next."""

    package: str
    old: str
    new: str
    raw: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.package} {self.old} to {self.new}"

    @property
    def registry(self) -> str:
        return str(self.raw["registry"])

    def list_needs(self, builders: Sequence[str]) -> list[str]:
        """List what is installed for its tests; the package itself brings what it depends on."""
        needs = [str(each) for each in self.raw.get("needs", [])]
        return ["pytest", *builders, self.package, *needs] if self.registry == "pypi" else needs

    def write_brief(self, *, builds_otherwise: bool = False) -> str:
        """Write what a maintainer would ask for who waits for the fix and its tests.

        One whose release is built with something else knows that, and frees what says so.
        """
        criterion = {
            "id": "C1", "text": "the release brings tests that fail without it",
            "check": dict(self.raw["check"]), "new_tests": True,
        }  # fmt: skip
        freed = {"may_change": [*_BUILD_FILES]} if builds_otherwise else {}
        contract = json.dumps({"criteria": [criterion], **freed})
        title = f"@goal: {self.package} {self.new}"
        return f"{title}\nWhat the release mends.\n\n```contract\n{contract}\n```\n"

    def write_settings(self, builders: Sequence[str] = ()) -> str:
        """Write what sets it up; `builders` are what the two releases are built with."""
        fetch, setup = self._list_commands(self.list_needs(builders))
        told = {"fetch": fetch, "setup": setup}
        lines = [f"{name} = {json.dumps(commands)}" for name, commands in told.items() if commands]
        return "\n".join(("version = 1", "[witness]", *lines)) + "\n"

    def _list_commands(self, needs: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
        if self.registry == "npm":
            return [[*PRUNE], [*NPM, *needs]], []
        if self.registry != "pypi":
            return [], []
        editable = ["--no-deps", "--no-build-isolation", "--editable", "."]
        if shutil.which("uv"):
            pip = ["uv", "pip", "install", "--quiet", "--python", _PYTHON]
            # A release may bring the name of an environment that only its author has.
            make = ["uv", "venv", "--quiet", "--python", "python3", ".venv"]
        else:
            pip = [_PYTHON, "-m", "pip", "install", "--quiet"]
            editable.append("--use-pep517")  # `setup.py` would have setuptools fetched anew
            make = ["python3", "-m", "venv", ".venv"]
        # Releases are no repositories, so nobody can ask git for their versions.
        setup = ["env", f"SETUPTOOLS_SCM_PRETEND_VERSION={self.old}", *pip, *editable]
        return [make, [*pip, *needs]], [setup]


def load_fixes(names: Sequence[str] = ()) -> list[RealFix]:
    """Read the steps of these packages, or of all; `NAME:NEW` is one step."""
    told = tomllib.loads(DATA.read_text())
    fixes = [
        RealFix(name, old, new, raw) for name, raw in told.items() for old, new in raw["steps"]
    ]
    return [
        fix for fix in fixes if not names or {fix.package, f"{fix.package}:{fix.new}"} & {*names}
    ]


def load_left_out() -> list[tuple[str, str]]:
    """Read the steps that were looked at and are none, with the reason of each."""
    told = tomllib.loads(DATA.read_text())
    rows = ((name, *row) for name, raw in told.items() for row in raw.get("left_out", []))
    return [(f"{name} {old} to {new}", why) for name, old, new, why in rows]
