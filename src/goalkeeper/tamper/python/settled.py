"""Splits a Python file into what can be settled by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from keyword import kwlist
from typing import TypeGuard

from goalkeeper.tamper.python.names import (
    aliases,
    find_import_paths,
    find_statements,
    parse_python,
    walk_all,
)
from goalkeeper.tamper.settled import Places, Unit, make_import, make_unit
from goalkeeper.tamper.syntax import Source
from goalkeeper.wire.pattern import late_pattern

_RESERVED = frozenset(kwlist)
_UNSAID = {"kind", "type_comment"}  # as `u` before a text
_IMPORT = late_pattern(r"\bfrom\b([\s\\.\w]+?)\bimport\b")


def first_line(statement: ast.stmt) -> int:
    """Return the line at which a statement begins with its decorators."""
    marks: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(mark.lineno for mark in marks)])


def is_settled(node: ast.AST, settled: Places) -> bool:
    if not settled or not isinstance(node, ast.stmt) or isinstance(node, ast.ClassDef):
        return False
    return first_line(node) in settled


def split_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements; of a class those in it."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from split_statements(statement.body)
        else:
            yield statement


def split_python(source: Source) -> list[Unit]:
    module = parse_python(source.text)
    return list(_split_body(module.body, "", split_lines(source.text))) if module else []


def is_same_code(old: str, new: str) -> bool:
    """Return whether two statements say the same, however they are laid out."""
    was, now = map(_parse_alone, (old, new))
    if was is None or now is None:
        return False
    waiting: list[tuple[object, object]] = [(was, now)]
    while waiting:
        one, other = waiting.pop()
        if one.__class__ is not other.__class__:
            return False
        if isinstance(one, ast.AST):
            fields = (name for name in one._fields if name not in _UNSAID)
            waiting += [(getattr(one, name, None), getattr(other, name, None)) for name in fields]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif one != other:
            return False
    return True


def _parse_alone(text: str) -> ast.Module | None:
    """Parse a statement of a file; return None if it cannot stand alone."""
    whole = f"{text} pass" if text.endswith(":") else text  # the head of a class
    return parse_python(f"if 1:\n{whole}" if text[:1] in {" ", "\t"} else whole)


def split_lines(text: str) -> list[str]:
    """Split as Python's parser counts lines; str does it in another way."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _split_body(body: list[ast.stmt], owner: str, lines: list[str]) -> Iterator[Unit]:
    for statement in body:
        start, end = first_line(statement), statement.end_lineno or statement.lineno
        if _is_for_types(statement):
            yield from _split_body(statement.body, owner, lines)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        elif isinstance(statement, ast.ClassDef):
            head = max(min(first_line(each) for each in statement.body) - 1, statement.lineno)
            text = "\n".join(lines[start - 1 : head]).rstrip()
            yield make_unit(owner, text, start, {statement.name})
            yield from _split_body(statement.body, statement.name, lines)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for each in statement.names:  # one more does not touch the others
                yield make_import(owner, _write_import(statement, each), {_name_locally(each)})
        else:
            is_function = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
            text = "\n".join(lines[start - 1 : end])
            is_plain = is_function or ":=" not in text
            defined = _find_defined(statement) if is_plain else None
            yield make_unit(
                owner, text, start, defined, is_function=is_function, reserved=_RESERVED
            )


def _name_locally(name: ast.alias) -> str:
    return (name.asname or name.name).partition(".")[0]


def _write_import(statement: ast.Import | ast.ImportFrom, name: ast.alias) -> str:
    written = f"import {name.name}" + (f" as {name.asname}" if name.asname else "")
    if isinstance(statement, ast.Import):
        return written
    return f"from {'.' * statement.level}{statement.module or ''} {written}"


def _is_for_types(statement: ast.stmt) -> TypeGuard[ast.If]:
    """Return whether a statement only imports what a type checker asks for."""
    match statement:
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body, orelse=[]):
            return all(isinstance(each, ast.Import | ast.ImportFrom) for each in body)
        case _:
            return False


def _find_defined(statement: ast.stmt) -> set[str] | None:
    """Return the names that a statement defines; None if it may do anything."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            parts = (part for target in targets for part in walk_all(target))
            return {getattr(part, "id", getattr(part, "attr", "")) for part in parts} - {""}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name} if statement.value else set()
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return set(map(_name_locally, names))
        case ast.ClassDef(name=name, body=body):
            return _join_defined(body, {name})
        case ast.If(body=body, orelse=other):
            return _join_defined([*body, *other], set())
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return set()
        case _:
            return None


def _join_defined(statements: Iterable[ast.stmt], found: set[str]) -> set[str] | None:
    for statement in statements:
        defined = _find_defined(statement)
        if defined is None:
            return None
        found |= defined
    return found


def find_renamed(old: Source, new: Source) -> set[str] | None:
    """Return the names that are not imported as they were; None if all may mean something else."""
    before, after = parse_python(old.text), parse_python(new.text)
    is_same = ("environ" in old.text) is ("environ" in new.text)  # it tells what a prefix is for
    if before is None or after is None or not is_same:
        return None
    return {name for name, _ in aliases(before).items() ^ aliases(after).items()}


def may_import(source: Source, paths: Collection[str]) -> bool:
    """Return whether the text has an import that may be from one of the paths."""
    for found in _IMPORT.finditer(source.text):
        name = re.sub(r"[\s\\]", "", found[1])
        module = name.lstrip(".")
        node = ast.ImportFrom(module or None, [], len(name) - len(module))
        if any(path in paths for path in find_import_paths(node, source.path)):
            return True
    return False


def find_names_from(source: Source, changed: Mapping[str, frozenset[str] | None]) -> set[str]:
    """Return the names that a file imports from one of the paths, if they are changed there."""
    module = parse_python(source.text) if changed else None
    return {
        each.asname or each.name
        for node in (find_statements(module) if module else ())
        if isinstance(node, ast.ImportFrom)
        for path in {*find_import_paths(node, source.path)} & changed.keys()
        for names in [changed[path]]
        for each in node.names
        if names is None or each.name in names
    }
