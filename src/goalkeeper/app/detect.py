"""The commands that check a project are read from the project's own files."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from goalkeeper.config import Argv, Settings
from goalkeeper.core.projects.commands import (
    PACKAGE,
    list_targets,
    read_makefile,
    read_package_table,
)
from goalkeeper.wire.clients import AGENTS

_LIMIT_CHARS = 1 << 20


_DISCOVER = ("python3", "-m", "unittest", "discover")
_BELOW = {"": _DISCOVER, "tests": (*_DISCOVER, "-s", "tests", "-t", ".")}
_LOOSE = (*_DISCOVER, "-s", "tests")  # the folder of tests is no package
_MAKE = {name: ("make", name) for name in ("test", "lint", "check")}
_SCRIPTS = {"test": ("npm", "test"), "lint": ("npm", "run", "lint")}
_PYTEST = ("python3", "-m", "pytest")
_RUFF = ("ruff", "check")
_MARKERS: dict[str, Argv] = {
    "tox.ini": ("tox",),
    "noxfile.py": ("nox",),
    "Cargo.toml": ("cargo", "test"),
    "go.mod": ("go", "test", "./..."),
    "pom.xml": ("mvn", "-q", "test"),
    "mix.exs": ("mix", "test"),
}
# These commands are chosen without asking, so a repository that names them asks for no more.
DETECTED_COMMANDS: frozenset[Argv] = frozenset(
    (*_BELOW.values(), _LOOSE, *_MAKE.values(), *_SCRIPTS.values(), _PYTEST, _RUFF)
) | frozenset(_MARKERS.values())


def detect(root: str) -> Settings:
    """Find the commands that test and lint the project."""
    found = _from_make(root) or [
        *_from_package_json(root),
        *_from_python(root),
        *_from_markers(root),
    ]
    return Settings(tuple(found))


def agents_on_path(which: Callable[[str], str | None]) -> list[str]:
    return [name for name in AGENTS if which(name)]


def _from_make(root: str) -> list[Argv]:
    targets = list_targets(read_makefile(partial(_text, root)))
    return [argv for target, argv in _MAKE.items() if target in targets]


def _from_package_json(root: str) -> list[Argv]:
    scripts = read_package_table(_text(root, PACKAGE), "scripts")
    return [argv for name, argv in _SCRIPTS.items() if name in scripts]


def _from_python(root: str) -> list[Argv]:
    pyproject = _text(root, "pyproject.toml")
    found: list[Argv] = []
    has_tests = any(os.path.isdir(os.path.join(root, name)) for name in ("tests", "test"))
    if "[tool.pytest" in pyproject or _has(root, "pytest.ini") or (pyproject and has_tests):
        found.append(_PYTEST)
    else:
        found += _from_unittest(root)
    if "[tool.ruff" in pyproject or _has(root, "ruff.toml"):
        found.append(_RUFF)
    return found


def _from_unittest(root: str) -> list[Argv]:
    """Find tests of unittest where its own search finds them: in the root, or below `tests`."""
    for folder, argv in _BELOW.items():
        if _has_unittests(root, folder):
            is_package = not folder or _has(root, f"{folder}/__init__.py")
            return [argv if is_package else _LOOSE]
    return []


def _has_unittests(root: str, folder: str) -> bool:
    try:
        names = sorted(os.listdir(os.path.join(root, folder)))
    except OSError:
        return False
    tests = (name for name in names if name.startswith("test") and name.endswith(".py"))
    return any("unittest" in _text(os.path.join(root, folder), name) for name in tests)


def _from_markers(root: str) -> list[Argv]:
    return [argv for name, argv in _MARKERS.items() if _has(root, name)]


def _has(root: str, name: str) -> bool:
    return os.path.isfile(os.path.join(root, name))


def _text(root: str, name: str) -> str:
    if not _has(root, name):
        return ""  # reading a pipe of that name would never end
    try:
        with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
            return file.read(_LIMIT_CHARS)
    except OSError:
        return ""
