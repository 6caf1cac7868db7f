"""Python functions that give the tests' answers without computing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goalkeeper.tamper.answers import TestAnswers, find_copied_inputs, is_copied
from goalkeeper.tamper.python.names import (
    Function,
    code_of,
    functions,
    is_literal,
    parameters,
    parse_python,
    string,
    without_docstring,
)
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.syntax import Source
from goalkeeper.wire.value import Value

Entry = tuple[str, str]


class AnswerTable(Value):
    line: int
    entries: tuple[Entry, ...]


def read_python_answers(source: Source) -> Iterator[tuple[str, str]]:
    """This reads pairs of input and expected result, both literals, from a test file."""
    module = parse_python(source.text)
    if module is None:
        return
    for node in ast.walk(module):
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
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is not None:
                        yield code_of(key), code_of(value)


def _read_equality(subject: ast.expr, expected: ast.expr) -> Iterator[Entry]:
    if not is_literal(expected):
        return
    for part in ast.walk(subject):
        if isinstance(part, ast.Call):
            literal = [argument for argument in part.args if is_literal(argument)]
            yield from _read_case(literal, expected)


def _read_case(inputs: list[ast.expr], result: ast.expr) -> Iterator[Entry]:
    expected = code_of(result)
    for given in inputs:
        yield code_of(given), expected
    if len(inputs) > 1:
        yield f"({', '.join(code_of(given) for given in inputs)})", expected


def find_answer_tricks(
    old: Source | None, new: Source, answers: TestAnswers, called: frozenset[str]
) -> Iterator[Sighting]:
    """`called` are the names that tests call."""
    module = parse_python(new.text)
    before = parse_python(old.text) if old else None
    if module is None:
        return
    known = functions(before) if before else {}
    old_entries = (
        {entry for table in _find_tables(before) for entry in table.entries} if before else set()
    )
    for table in _find_tables(module):
        fresh = [entry for entry in table.entries if entry not in old_entries]
        copied = is_copied(table.entries, fresh, answers)
        if copied is not None:
            shown = ", ".join(f"{key} → {value}" for key, value in fresh)
            text = f"gives the tests' own answers: {shown}"
            yield Sighting("answer-table", new.path, table.line, text, shown, not copied)
    before_keys = {key for _, keys in _find_keys(before) for key in keys} if before else set()
    for line, keys in _find_keys(module):
        if given := find_copied_inputs((key for key in keys if key not in before_keys), answers):
            text = f"singles out the tests' own inputs: {'; '.join(given)}"
            yield Sighting("answer-table", new.path, line, text, text)
    for name, function in functions(module).items():
        if name in known:
            yield from _find_stub(name, known[name], function, new.path, called)


def _find_tables(module: ast.Module) -> Iterator[AnswerTable]:
    inside: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Dict) and node.keys:
            yield AnswerTable(node.lineno, tuple(_read_dict(node)))
        elif isinstance(node, ast.Match):
            yield AnswerTable(node.lineno, tuple(_read_match(node)))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            chain = [part for part in ast.walk(node) if id(part) not in inside]
            inside |= {id(part) for part in chain}
            entries = [entry for part in chain for entry in _read_branch(part)]
            if entries:
                yield AnswerTable(node.lineno, tuple(dict.fromkeys(entries)))


def _find_keys(module: ast.Module) -> Iterator[tuple[int, list[str]]]:
    """This gives, for each table and function, the texts that it looks up or compares with."""
    for node in ast.walk(module):
        match node:
            case ast.Dict(keys=listed):
                found = [string(key) for key in listed]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                found = [
                    string(each) for part in ast.walk(node) for each in _find_compared_nodes(part)
                ]
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


def _read_dict(node: ast.Dict) -> Iterator[Entry]:
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None and is_literal(key) and is_literal(value):
            yield code_of(key), code_of(value)


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


def _find_stub(
    name: str, old: Function, new: Function, path: str, called: frozenset[str]
) -> Iterator[Sighting]:
    """A stub is a function that used its arguments and now only returns a literal."""
    body = without_docstring(new.body)
    wanted = set(parameters(old))
    used = {part.id for part in ast.walk(old) if isinstance(part, ast.Name)} & wanted
    before = without_docstring(old.body)
    if not used or ast.dump(ast.Module(before, [])) == ast.dump(ast.Module(body, [])):
        return
    match body:
        case [ast.Return(value=value), *_] if value is None or is_literal(value):
            pass
        case [ast.Pass()] | [ast.Expr(value=ast.Constant())]:
            value = None
        case _:
            return
    if all(isinstance(each, ast.Raise | ast.Pass) for each in before):
        return
    text = f"{name} used to compute its result and now returns {code_of(value) if value else None}"
    mild = name.rpartition(".")[2] not in called
    yield Sighting("stub-returned", path, new.lineno, text, name, mild)


def find_calls_in_python(source: Source) -> frozenset[str]:
    module = parse_python(source.text)
    return frozenset(
        getattr(node.func, "attr", getattr(node.func, "id", ""))
        for node in (ast.walk(module) if module else ())
        if isinstance(node, ast.Call)
    )
