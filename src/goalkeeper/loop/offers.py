"""What a change offers to later work: names that modules export, and commands that can be run."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence

from goalkeeper.app.trials import Files
from goalkeeper.core.projects.commands import (
    MAKEFILES,
    PACKAGE,
    list_targets,
    read_package_table,
)
from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.source import base_name, is_python, is_script, is_test_code
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.pattern import late_pattern

_DECLARED = (
    r"(?:async\s+)?(?:function\*?|class|const|let|var|interface|type|enum)\s+([A-Za-z_$][\w$]*)"
)
_EXPORT = late_pattern(rf"^export\s+(?:default\s+)?(?:declare\s+)?{_DECLARED}", re.MULTILINE)
NameReader = Callable[[str], Iterator[str]]


def list_new_exports(old: Files, new: Files, paths: Sequence[str]) -> list[str]:
    """List public names that files of the product have and had not before, as `path: name`."""
    found = []
    for path in paths:
        reader = _read_python if is_python(path) else _read_script if is_script(path) else None
        if reader and not is_test_code(path):
            names = _list_new(reader, old.read_file(path), new.read_file(path))
            found += [f"{path}: {', '.join(names)}"] if names else []
    return found


def list_new_commands(old: Files, new: Files, paths: Sequence[str]) -> list[str]:
    """List commands that project files name and did not name before."""
    readers = {
        "pyproject.toml": _read_pyproject,
        PACKAGE: _read_package,
        **dict.fromkeys(MAKEFILES, _read_makefile),
    }
    found = []
    for path in paths:
        reader = readers.get(base_name(path))
        if reader:
            found += _list_new(reader, old.read_file(path), new.read_file(path))
    return found


def _list_new(reader: NameReader, old: bytes | None, new: bytes | None) -> list[str]:
    known = {*reader(text_of(old))} if old else set()
    return [n for n in dict.fromkeys(reader(text_of(new))) if n not in known] if new else []


def _read_python(text: str) -> Iterator[str]:
    module = parse_python(text)
    for node in module.body if module else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for each in targets if isinstance(each, ast.Name)]
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


def _read_script(text: str) -> Iterator[str]:
    yield from _EXPORT.findall(text)


def _read_pyproject(text: str) -> Iterator[str]:
    try:
        project = tomllib.loads(text).get("project", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    scripts = project.get("scripts") if isinstance(project, dict) else None
    yield from scripts if isinstance(scripts, dict) else ()


def _read_package(text: str) -> Iterator[str]:
    yield from (f"npm run {name}" for name in read_package_table(text, "scripts"))
    yield from read_package_table(text, "bin")


def _read_makefile(text: str) -> Iterator[str]:
    yield from (f"make {name}" for name in list_targets(text))
