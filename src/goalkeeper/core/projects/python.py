"""How a Python project is set up: uv, poetry, pdm or pip, by the lockfile that it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from goalkeeper.core.projects.declared import (
    PYPROJECT,
    find_table,
    list_requirements,
    read_toml,
)
from goalkeeper.core.projects.ways import Argv, HasProgram, ProjectFiles, SetupWay
from goalkeeper.wire.pattern import late_pattern

# Extras and groups of these names bring what tests need.
_FOR_TESTS = late_pattern(r"(?:unit[-_]?)?tests?|testing|dev(?:el(?:op(?:ment)?)?)?|ci|check")
_LISTED = r"(?:requirements/)?(?:requirements?[-_.]?)?(?:{})(?:[-_.]?requirements)?\.txt"
_LISTS_OF_PRODUCT = late_pattern(
    _LISTED.format("base|main|prod|common|install") + "|requirements.txt"
)
_LISTS_FOR_TESTS = late_pattern(_LISTED.format(r"(?:unit[-_]?)?tests?|testing|ci"))
_LISTS_FOR_WORK = late_pattern(_LISTED.format(r"dev\w*"))
_COMMENT = late_pattern(r"(?:^|(?<=\s))#.*", re.MULTILINE)
_INCLUDED = late_pattern(r"(?:-r|--requirement)[ =]*(\S+)")
_ITSELF = late_pattern(r"(?:(?:-e|--editable)[ =]*)?\.(?:\[[^]]*\])?")  # `-e .`, `.[test]`
_MEMBER = late_pattern(r"[^/]+/(?:[^/]+/)?pyproject\.toml")
_LEGACY_BUILD = ("setuptools", "wheel")
# What backends ask for while they build; then it is too late to fetch it.
_ALSO_NEEDED = {"hatch": "editables", "setuptools": "wheel"}
_WITH_SCM = late_pattern(r"setuptools[-_]scm|hatch-vcs|vcs-versioning")
_VERSION = ("env", "SETUPTOOLS_SCM_PRETEND_VERSION=0.0.1")  # a checkout has no history to ask
_PIP: Argv = (".venv/bin/python", "-m", "pip", "install", "--quiet")
_VENV: Argv = ("python3", "-m", "venv", ".venv")
# pip reads no dependencies out of pyproject.toml without building the project, so this does.
_LIST_NEEDED = """\
import sys, tomllib
told = tomllib.load(open("pyproject.toml", "rb"))
project, groups = told.get("project", {}), told.get("dependency-groups", {})
extras = project.get("optional-dependencies", {})
needed = [*project.get("dependencies", [])]
for name in sys.argv[1:]:
    needed += [item for item in [*extras.get(name, []), *groups.get(name, [])] if type(item) is str]
open(".venv/needed.txt", "w").write("\\n".join(needed) + "\\n")
"""


def find_python_ways(
    files: ProjectFiles, has_program: HasProgram, runners: Sequence[str] = ()
) -> list[SetupWay]:
    """Find the ways to set up a Python project, the likeliest first; `runners` are packages."""
    pyproject = read_toml(files.read(PYPROJECT))
    more = [name for name in runners if not files.declares(name)]
    plain = _use_pip(files, pyproject, more)
    if files.has("uv.lock"):
        locked = _use_uv_lock(pyproject, more)
    elif files.has("poetry.lock"):
        locked = _use_poetry(more)
    elif files.has("pdm.lock"):
        locked = _use_pdm(more)
    else:
        return plain
    lacking = locked.list_lacking(has_program)
    return [way.replace(notes=(*lacking, *way.notes)) for way in plain] if lacking else [locked]


def _use_uv_lock(pyproject: dict[str, Any], more: Sequence[str]) -> SetupWay:
    is_workspace = bool(find_table(pyproject, "tool", "uv", "workspace"))
    which = ("--all-packages",) if is_workspace else ()
    without = "--no-install-workspace" if is_workspace else "--no-install-project"
    chosen = (*which, *_choose_options(pyproject))
    sync = ("uv", "sync", "--frozen")
    build = _list_build_needs(pyproject) if find_table(pyproject, "build-system") else []
    fetch = [(*sync, without, *chosen)]
    if wanted := [*build, *more]:
        fetch.append(("uv", "pip", "install", "--quiet", *wanted))
    offline = ("--offline", "--inexact", "--no-build-isolation")
    setup = (*_choose_version(build), *sync, *offline, *chosen)
    return SetupWay("uv.lock", tuple(fetch), (setup,) if build else (), ("uv",))


def _choose_options(pyproject: dict[str, Any]) -> list[str]:
    extras = _choose_names(find_table(pyproject, "project", "optional-dependencies"))
    groups = _choose_names(find_table(pyproject, "dependency-groups"))
    words = [word for name in extras for word in ("--extra", name)]
    return words + [word for name in groups if name != "dev" for word in ("--group", name)]


def _choose_names(names: Iterable[str]) -> list[str]:
    return [name for name in names if _FOR_TESTS.fullmatch(name.lower())]


def _use_poetry(more: Sequence[str]) -> SetupWay:
    poetry = ("env", "POETRY_VIRTUALENVS_IN_PROJECT=1", "poetry", "install", "--no-interaction")
    fetch: list[Argv] = [(*poetry, "--no-root")]
    if more:
        fetch.append((*_PIP, *more))
    return SetupWay("poetry.lock", tuple(fetch), ((*poetry, "--only-root"),), ("poetry",))


def _use_pdm(more: Sequence[str]) -> SetupWay:
    fetch: list[Argv] = [("pdm", "venv", "create"), ("pdm", "sync", "--no-self", "--quiet")]
    if more:
        fetch.append(("pdm", "run", "pip", "install", "--quiet", *more))
    setup = ("pdm", "sync", "--no-isolation", "--quiet")
    return SetupWay("pdm.lock", tuple(fetch), (setup,), ("pdm",))


def _use_pip(files: ProjectFiles, pyproject: dict[str, Any], more: Sequence[str]) -> list[SetupWay]:
    requirements = _choose_lists(files)
    lists = [word for path in requirements for word in _name_list(files, path)]
    is_package = bool(find_table(pyproject, "project")) or files.has("setup.py", "setup.cfg")
    members = _find_members(files) if is_package else {}
    build = _list_build_needs(pyproject) if is_package else []
    build += [need for each in members.values() for need in _list_build_needs(each)]
    fetch: list[Argv] = [_VENV]
    if find_table(pyproject, "project") and [*list_requirements(pyproject)]:
        tables = ("project", "optional-dependencies"), ("dependency-groups",)
        chosen = [name for path in tables for name in _choose_names(find_table(pyproject, *path))]
        fetch.append((".venv/bin/python", "-c", _LIST_NEEDED, *dict.fromkeys(chosen)))
        lists += ["-r", ".venv/needed.txt"]
    if not lists and not build and not more:
        return []
    if wanted := [*lists, *build, *more]:
        fetch.append((*_PIP, *wanted))
    places = [word for folder in (*members, ".") for word in ("--editable", folder)]
    # Where there is only `setup.py`, setuptools would call a pip of its own, which fetches.
    alone = ("--no-build-isolation", "--use-pep517", "--no-deps")
    own = (*_choose_version(build), *_PIP, *alone, *places)
    name = " and ".join([*requirements, *([PYPROJECT] if pyproject else [])]) or "setup.py"
    notes = () if _are_pinned(files, requirements) else ("no lockfile pins what is installed",)
    way = SetupWay(name, tuple(fetch), (own,) if build else (), ("python3",), notes)
    without = way.replace(name=f"{name}, without the project itself", setup=())
    return [way, without] if build else [way]


def _find_members(files: ProjectFiles) -> dict[str, dict[str, Any]]:
    """Find folders with packages that this one needs: checks want the code of the tree."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(p for p in files.paths if _MEMBER.fullmatch(p)):
        pyproject = read_toml(files.read(path))
        if files.declares(str(find_table(pyproject, "project").get("name", ""))):
            found[f"./{path.rpartition('/')[0]}"] = pyproject
    return found


def _choose_lists(files: ProjectFiles) -> list[str]:
    """Choose the lists of what the product and its tests need; those for work may have it all."""
    product, tests, work = (
        sorted(path for path in files.paths if pattern.fullmatch(path))
        for pattern in (_LISTS_OF_PRODUCT, _LISTS_FOR_TESTS, _LISTS_FOR_WORK)
    )
    return [*product, *(tests or work)]


def _name_list(files: ProjectFiles, path: str) -> list[str]:
    """Name what is in a list; one with the project itself is taken apart: fetching sees no code."""
    lists = {path: _read_lines(files, path)}
    waiting = [path]
    while waiting:
        folder, slash, _ = (at := waiting.pop(0)).rpartition("/")
        found = [folder + slash + more[1] for x in lists[at] if (more := _INCLUDED.fullmatch(x))]
        waiting += [each for each in found if each not in lists]
        lists |= {each: _read_lines(files, each) for each in found}
    lines = [line for each in lists.values() for line in each]
    if not any(_ITSELF.fullmatch(line) for line in lines):
        return ["-r", path]
    return [line for line in lines if line[0] != "-" and not _ITSELF.fullmatch(line)]


def _read_lines(files: ProjectFiles, path: str) -> list[str]:
    text = _COMMENT.sub("", files.read(path))
    lines = (line.rstrip("\\").strip() for line in text.splitlines())
    return [line for line in lines if line]


def _are_pinned(files: ProjectFiles, requirements: Sequence[str]) -> bool:
    lines = [line.strip() for path in requirements for line in files.read(path).splitlines()]
    named = [line for line in lines if line and line[0] not in "#-"]
    return bool(named) and all("==" in line or "@" in line for line in named)


def _list_build_needs(pyproject: dict[str, Any]) -> list[str]:
    """List what building the project in place needs; a build without the network fetches none."""
    told = find_table(pyproject, "build-system").get("requires")
    needs = [n for n in told if isinstance(n, str)] if isinstance(told, list) else [*_LEGACY_BUILD]
    also = [name for maker, name in _ALSO_NEEDED.items() if any(maker in need for need in needs)]
    return [*needs, *(name for name in also if name not in needs)]


def _choose_version(build: Sequence[str]) -> Argv:
    return _VERSION if any(_WITH_SCM.search(need) for need in build) else ()


def is_python_project(files: ProjectFiles) -> bool:
    named = ("pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "poetry.lock", "pdm.lock")
    return files.has(*named) or bool(_choose_lists(files))
