"""Finds what the product defines no more, so that a test can be seen to have gone with it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from goalkeeper.tamper.python.names import functions, parameters, parse_python, walk_all
from goalkeeper.tamper.settled import WORD
from goalkeeper.tamper.source import ChangedFile, is_code, is_product, is_python, is_script
from goalkeeper.tamper.syntax import Source
from goalkeeper.wire.pattern import late_pattern

_SHORTEST = len("abc")  # shorter names mean something else in every place
_OTHER = late_pattern(r"\b(?:func|def|fn|class|void|function)\s+(\w+)")
_SCRIPT = late_pattern(r"\b(?:function|class|const|let)\s+(\w+)")
_MEMBER = late_pattern(r"\.(\w+)\s*=(?![=>])|^\s*(?:async\s+)?(\w+)\s*(?::|\([^()]*\)\s*\{)", 8)


def find_gone_names(pairs: Iterable[ChangedFile]) -> frozenset[str]:
    """Return the functions and classes that no changed product code defines any more."""
    old: set[str] = set()
    new: set[str] = set()
    for each in pairs:
        for side, names in ((each.old, old), (each.new, new)):
            if side is not None and is_product(side.path):
                names.update(_find_defined_names(side))
    return frozenset(name for name in old - new if len(name) >= _SHORTEST)


def _find_defined_names(source: Source) -> Iterator[str]:
    if is_python(source.path):
        module = parse_python(source.text)
        for name in functions(module) if module else ():
            yield name.rpartition(".")[2]
            yield name.partition(".")[0]
    elif is_script(source.path):
        yield from _SCRIPT.findall(source.text)
    elif is_code(source):
        yield from _OTHER.findall(source.text)


def find_gone_members(pairs: Iterable[ChangedFile]) -> frozenset[str]:
    """Return parameters, attributes and options that no changed product code names any more."""
    old: set[str] = set()
    new: set[str] = set()
    for each in pairs:
        if each.old is not None and is_product(each.old.path):
            old.update(_find_members(each.old))
        if each.new is not None and is_product(each.path) and is_code(each.new):
            new.update(WORD.findall(each.new.text))
    return frozenset(name for name in old - new if len(name) > _SHORTEST)


def _find_members(source: Source) -> Iterator[str]:
    if is_script(source.path):
        for found in _MEMBER.finditer(source.text):
            yield found[1] or found[2]
        return
    module = parse_python(source.text) if is_python(source.path) else None
    for node in walk_all(module) if module else ():
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from parameters(node)
            case ast.ClassDef(body=body):
                yield from (
                    each.target.id
                    for each in body
                    if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
                )
            case _:
                pass
