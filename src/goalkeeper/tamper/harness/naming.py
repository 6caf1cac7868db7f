"""Tells which classes and functions pytest takes for tests by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from goalkeeper.tamper.python.names import find_statements, parse_python
from goalkeeper.tamper.python.writing import code_of
from goalkeeper.tamper.syntax import Source

NAMING = {"python_classes": ("Test",), "python_functions": ("test",)}  # pytest's own names


def begins_as(name: str, words: Sequence[str]) -> bool:
    return any(fnmatchcase(name, word if "*" in word else f"{word}*") for word in words)


def find_lost_name(key: str, before: Sequence[str], after: Sequence[str], source: Source) -> str:
    """Return a class or a function of a file that was taken for tests by its name, and is not now.

    Where the file cannot be read, any may be.
    """
    was, now = before or NAMING[key], after or NAMING[key]
    module = parse_python(source.text)
    if module is None:
        return "what stands there"
    read = _list_classes if key == "python_classes" else _list_functions
    named = (name for name in read(module) if begins_as(name, was) and not begins_as(name, now))
    return next(named, "")


def _list_classes(module: ast.Module) -> Iterator[str]:
    """Yield classes that may hold tests. Those of unittest are taken whatever their names are."""
    for node in find_statements(module):
        if isinstance(node, ast.ClassDef):
            members = {getattr(member, "name", "") for member in node.body}
            if "__init__" not in members and not _is_of_unittest(node):
                yield node.name
        yield from _list_assigned(node)


def _list_functions(module: ast.Module) -> Iterator[str]:
    methods = {
        member
        for node in find_statements(module)
        if isinstance(node, ast.ClassDef) and _is_of_unittest(node)
        for member in node.body
    }
    for node in find_statements(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_fixture = any("fixture" in code_of(mark) for mark in node.decorator_list)
            if not is_fixture and node not in methods:
                yield node.name
        yield from _list_assigned(node)


def _list_assigned(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _is_of_unittest(node: ast.ClassDef) -> bool:
    return any(code_of(base).rpartition(".")[2] == "TestCase" for base in node.bases)
