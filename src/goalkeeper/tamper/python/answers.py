"""Finds Python functions that give the tests' answers without computing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goalkeeper.tamper.answers import AnswerReader, Entry, Keys, Table
from goalkeeper.tamper.python.names import (
    code_of,
    is_literal,
    parse_python,
    read_entries,
    string,
    walk_all,
)
from goalkeeper.tamper.python.settled import is_settled, split_statements
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.syntax import Source

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCHES = (ast.If, ast.IfExp)
_COMPARING = (ast.Compare, ast.MatchValue, ast.Call)


def _read_entries(source: Source) -> Iterator[Entry]:
    """Read pairs of input and expected result, both literals, from a test file."""
    for node in _walk(source):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                yield from _read_equality(left, right)
                yield from _read_equality(right, left)
            case ast.Call(func=ast.Attribute(attr=attr), args=[left, right, *_]) if attr.startswith(
                "assert"
            ):
                yield from _read_equality(left, right)
                yield from _read_equality(right, left)
            case ast.Tuple(elts=[*inputs, result]) if inputs and is_literal(node):
                yield from _read_case(inputs, result)
            case ast.Dict() if is_literal(node):
                yield from read_entries(node)


def _read_equality(subject: ast.expr, expected: ast.expr) -> Iterator[Entry]:
    if not is_literal(expected):
        return
    for part in walk_all(subject):
        if isinstance(part, ast.Call):
            literal = [argument for argument in part.args if is_literal(argument)]
            yield from _read_case(literal, expected)


def _read_case(inputs: list[ast.expr], result: ast.expr) -> Iterator[Entry]:
    expected = code_of(result)
    for given in inputs:
        yield code_of(given), expected
    if len(inputs) > 1:
        yield f"({', '.join(code_of(given) for given in inputs)})", expected


def _find_tables(source: Source, settled: Places) -> Iterator[Table]:
    inside: set[int] = set()
    for node in _walk(source, settled):
        if isinstance(node, ast.Dict) and node.keys:
            yield node.lineno, list(read_entries(node))
        elif isinstance(node, ast.Match):
            yield node.lineno, list(_read_match(node))
        elif isinstance(node, _FUNCTIONS):
            branches = (part for part in walk_all(node) if isinstance(part, _BRANCHES))
            chain = [part for part in branches if id(part) not in inside]
            inside |= {id(part) for part in chain}
            entries = [entry for part in chain for entry in _read_branch(part)]
            if entries:
                yield node.lineno, list(dict.fromkeys(entries))


def _find_keys(source: Source, settled: Places) -> Iterator[Keys]:
    for node in _walk(source, settled):
        match node:
            case ast.Dict(keys=listed):
                found = [string(key) for key in listed]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                parts = (part for part in walk_all(node) if isinstance(part, _COMPARING))
                found = [string(each) for part in parts for each in _find_compared_nodes(part)]
            case _:
                continue
        yield node.lineno, [key for key in found if key]


def _find_compared_nodes(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Compare(left=left, comparators=rest):
            return [
                part
                for side in (left, *rest)
                for part in (
                    side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
                )
            ]
        case ast.MatchValue(value=value):
            return [value]
        case ast.Call(func=ast.Attribute(attr="startswith"), args=[first, *_]):
            return first.elts if isinstance(first, ast.Tuple) else [first]
        case _:
            return []


def _read_match(node: ast.Match) -> Iterator[Entry]:
    for case in node.cases:
        match case:
            case ast.match_case(
                pattern=ast.MatchValue(value=key), guard=None, body=[ast.Return(value=value)]
            ) if is_literal(value):
                yield code_of(key), code_of(value or key)


def _read_branch(node: ast.AST) -> Iterator[Entry]:
    match node:
        case ast.If(test=test, body=[ast.Return(value=ast.expr() as value)]) if is_literal(value):
            keys = list(_find_compared(test))
        case ast.IfExp(test=test, body=value) if is_literal(value):
            keys = list(_find_compared(test))
        case _:
            return
    result = code_of(value)
    for key in keys:
        yield key, result
    if len(keys) > 1:
        yield f"({', '.join(keys)})", result


def _find_compared(test: ast.expr) -> Iterator[str]:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            if is_literal(right) and not is_literal(left):
                yield code_of(right)
            elif is_literal(left) and not is_literal(right):
                yield code_of(left)
        case ast.Compare(
            ops=[ast.In()], comparators=[ast.Tuple(elts=parts) | ast.List(elts=parts)]
        ):
            yield from (code_of(part) for part in parts if is_literal(part))
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _find_compared(value)
        case _:
            pass


def _walk(source: Source, settled: Places = frozenset()) -> Iterator[ast.AST]:
    module = parse_python(source.text)
    for unit in split_statements(module.body) if module else ():
        if not is_settled(unit, settled):
            yield from walk_all(unit)


PYTHON_ANSWERS = AnswerReader(_read_entries, _find_tables, _find_keys)
