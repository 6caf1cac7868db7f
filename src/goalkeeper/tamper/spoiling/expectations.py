"""Reads what a Python test expects: the values that it compares with on its straight way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Two values of these are equal only if what is given to them is.
_WRAPPERS = frozenset({"Decimal", "Fraction", "Path", "PurePath", "PurePosixPath", "approx",
                       "dict", "frozenset", "list", "set", "tuple"})  # fmt: skip
_EQUAL = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual",
                    "assertTupleEqual", "assertSetEqual", "assertMultiLineEqual",
                    "assertCountEqual", "assertSequenceEqual", "assertIs"})  # fmt: skip
_LONG_ENOUGH = 4  # a shorter text may be part of another one by chance
RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})


def walk_straight(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements that are carried out if the test comes to its end."""
    for node in body:
        yield node
        if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
            return
        if isinstance(node, ast.With | ast.AsyncWith) and not _can_swallow(node):
            yield from walk_straight(node.body)
        if isinstance(node, ast.For) and _is_surely_walked(node):
            yield from walk_straight(node.body)
        if any(isinstance(each, ast.Return) for each in walk_own(node)):
            return


def _is_surely_walked(node: ast.For) -> bool:
    jumps = any(isinstance(each, ast.Continue | ast.Break) for each in walk_own(node))
    items = node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else []
    return any(not isinstance(each, ast.Starred) for each in items) and not jumps


def _can_swallow(node: ast.With | ast.AsyncWith) -> bool:
    names = {name_of_call(item.context_expr) for item in node.items}
    return bool(names & {*RAISES, "suppress", "warns"})


def walk_own(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a function or statement without the functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            yield from walk_own(child)


def find_expected(node: ast.stmt) -> Iterator[ast.expr]:
    """Return what a statement compares with."""
    if isinstance(node, ast.Assert):
        tests = [node.test]
        if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
            tests = node.test.values
        for test in tests:
            yield from _find_compared(test)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        name, args = name_of_call(node.value), node.value.args
        if name in _EQUAL and len(args) > 1:
            yield from choose_side(args[0], args[1])
        if name == "assertIn" and len(args) > 1 and _is_long(args[0]):
            yield args[0]


def _find_compared(test: ast.expr) -> Iterator[ast.expr]:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return
    left, right = test.left, test.comparators[0]
    match test.ops[0]:
        case ast.Eq():
            yield from choose_side(left, right)
        case ast.In() if _is_long(left):
            yield left


def choose_side(left: ast.expr, right: ast.expr) -> Iterator[ast.expr]:
    """Return the side that is written down, if the other one is not."""
    written = [side for side in (left, right) if is_written(side)]
    names = [side for side in (left, right) if isinstance(side, ast.Name)]
    if len(written) == 1:
        yield written[0]
    elif not written and len(names) == 1:
        yield names[0]


def _is_long(node: ast.expr) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, str) and sum(map(str.isalnum, value)) >= _LONG_ENOUGH


def is_written(node: ast.expr) -> bool:
    """Return whether a value is written down here, though perhaps not all that is in it."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant) and not isinstance(node.op, ast.Not)
    if isinstance(node, ast.Call):
        return _is_made_value(node) or (name_of_call(node) in _WRAPPERS and not node.keywords)
    return isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Set | ast.Dict)


def _is_made_value(node: ast.Call) -> bool:
    """Return whether an object is made of literals alone, such as `Money(5, "EUR")`."""
    given = [*node.args, *(word.value for word in node.keywords)]
    is_class = name_of_call(node).lstrip("_")[:1].isupper()
    return is_class and bool(given) and all(map(is_written, given))


def find_leaves(node: ast.expr) -> Iterator[ast.Constant]:
    """Return the constants in a literal that can be others; keys stay as they are."""
    match node:
        case ast.Constant(value=bool()):
            pass  # the opposite may hold by what an earlier test that failed has left
        case ast.Constant(value=int() | float() | str() | bytes()):
            yield node
        case ast.Dict():
            for value in node.values:
                yield from find_leaves(value)
        case ast.List() | ast.Tuple() | ast.Set():
            for value in node.elts:
                yield from find_leaves(value)
        case ast.Call() if is_written(node):
            for value in (*node.args, *(word.value for word in node.keywords)):
                yield from find_leaves(value)
        case ast.UnaryOp() if is_written(node):
            yield from find_leaves(node.operand)
        case _:
            pass


def is_spoilable(node: ast.expr) -> bool:
    return is_written(node) and any(True for _ in find_leaves(node))


def name_of_call(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def is_exception(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def find_expected_names(scope: ast.AST, body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Return names that are bound once to a literal, and only compared with."""
    bound: dict[str, list[ast.expr]] = {}
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and is_spoilable(node.value):
                bound.setdefault(target.id, []).append(node.value)
    others = _count_other_uses(scope, set(bound))
    return {
        name: values[0] for name, values in bound.items() if len(values) == 1 and not others[name]
    }


def find_rows(function: Function, *, all_columns: bool = False) -> dict[str, list[ast.expr]]:
    """Return, by parameter, the values of `parametrize` that the test only compares with.

    With `all_columns` the values of all parameters are returned, where one mark gives them.
    """
    found: dict[str, list[ast.expr]] = {}
    for mark in function.decorator_list:
        if name_of_call(mark) != "parametrize" or not isinstance(mark, ast.Call):
            continue
        names = _read_parameters(mark.args[0]) if len(mark.args) > 1 else []
        rows = mark.args[1] if names else None
        if not isinstance(rows, ast.List | ast.Tuple):
            continue
        columns = [_read_row(row, len(names)) for row in rows.elts]
        if columns and all(columns):
            for place, name in enumerate(names):
                found[name] = [column[place] for column in columns]
    if all_columns:
        return found
    others = _count_other_uses(function, set(found))
    return {name: values for name, values in found.items() if not others[name]}


def _read_parameters(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, ast.List | ast.Tuple):
        return [str(each.value) for each in node.elts if isinstance(each, ast.Constant)]
    return []


def _read_row(node: ast.expr, count: int) -> list[ast.expr]:
    """Return the values of a row; none if it cannot be read."""
    if name_of_call(node) == "param" and isinstance(node, ast.Call):
        is_plain = all(word.arg == "id" for word in node.keywords)
        return node.args if is_plain and len(node.args) == count else []
    if count == 1:
        return [node]
    is_row = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == count
    return node.elts if is_row and isinstance(node, ast.List | ast.Tuple) else []


def _count_other_uses(scope: ast.AST, names: set[str]) -> dict[str, int]:
    """Count where names are used for anything else than to be compared with."""
    counts = dict.fromkeys(names, 0)
    expected = {
        id(each)
        for node in ast.walk(scope)
        if isinstance(node, ast.stmt)
        for each in find_expected(node)
    }
    bindings: dict[str, int] = dict.fromkeys(names, 0)
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and node.id in names:
            is_read = isinstance(node.ctx, ast.Load)
            counts[node.id] += is_read and id(node) not in expected
            bindings[node.id] += not is_read
    return {name: count + max(bindings[name] - 1, 0) for name, count in counts.items()}
