"""The projects of `projects.toml`, and what examiners and the worker make of them.

[NAME]
kind = "Python, compiled"         what it is in the list for
registry = "PyPI"                 or npm, or Debian (the source of a package)
package, version, archive         its name there, and a pattern for the file's name
sentence = "…"                    what a user would write
surface = ["…"]                   public names that the tests use and the project lacks
worker = [[PATH, OLD, NEW], …]    what the worker changes, in order
[[NAME.examiner]]                 two of them
edits = [[PATH, OLD, NEW], …]     a solution, as changes of files that become whole files
[[NAME.examiner.test]]            text, path, file, and the check that runs it
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goalkeeper.wire.value import Value

_DATA = Path(__file__).with_name("projects.toml")
Edits = Sequence[Sequence[str]]


class RealProject(Value):
    """One project, as it is listed."""

    name: str
    raw: Mapping[str, Any]

    @property
    def registry(self) -> str:
        return str(self.raw["registry"])

    @property
    def package(self) -> str:
        return str(self.raw["package"])

    @property
    def version(self) -> str:
        return str(self.raw["version"])

    @property
    def archive(self) -> str:
        return str(self.raw["archive"])

    @property
    def sentence(self) -> str:
        return str(self.raw["sentence"])

    def write_script(self, tree: Path) -> dict[str, Any]:
        """Write what the rehearsal agent does as either examiner, and as the worker."""
        apply_edits(tree, self.raw["worker"])  # what cannot be changed is told before anything runs
        acts = [
            {"replace": {"path": path, "old": old, "new": new}}
            for path, old, new in self.raw["worker"]
        ]
        script: dict[str, Any] = {"*": [*acts, {"say": "It is done."}]}
        for number, examiner in enumerate(self.raw["examiner"], 1):
            script[f"{number}/examiner"] = [{"answer": self._write_answer(examiner, tree)}]
        return {"*": script}

    def _write_answer(self, examiner: Mapping[str, Any], tree: Path) -> dict[str, Any]:
        criteria = [
            {"text": test["text"], "tests": [
                {"path": test["path"], "text": test["file"], "check": test["check"]}]}
            for test in examiner["test"]
        ]  # fmt: skip
        reference = apply_edits(tree, examiner["edits"])
        surface = self.raw.get("surface", [])
        return {"criteria": criteria, "reference": reference, "surface": surface}


def apply_edits(tree: Path, edits: Edits) -> dict[str, str]:
    """Return whole texts of the files that these edits change; nothing is written."""
    texts: dict[str, str] = {}
    for path, old, new in edits:
        text = texts.get(path) or (tree / path).read_text()
        if old not in text:
            raise LookupError(f"{path}: nothing like this to change: {old!r}")
        texts[path] = text.replace(old, new)
    return texts


def load_projects(names: Sequence[str] = ()) -> list[RealProject]:
    """Read the projects of these names, or all."""
    told = tomllib.loads(_DATA.read_text())
    if unknown := set(names) - set(told):
        raise LookupError(f"no such projects: {', '.join(sorted(unknown))}; {', '.join(told)}")
    return [RealProject(name, raw) for name, raw in told.items() if not names or name in names]
