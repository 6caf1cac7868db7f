"""Literals of Python code."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from goalkeeper.tamper.literals.model import Given, Literal, Number, Row
from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.questions.scenarios import find_varied

_EXACT = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def read_python_literals(text: str, _: str) -> list[Literal]:
    """Return texts, and numbers that something may be equal to."""
    module = parse_python(text)
    return [*_PythonLiterals(text, module).find()] if module else []


class _PythonLiterals:
    def __init__(self, text: str, module: ast.Module) -> None:
        self._data = text.encode(errors="replace")
        self._nodes = [*ast.walk(module)]
        self._parents = {c: node for node in self._nodes for c in ast.iter_child_nodes(node)}
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def find(self) -> Iterator[Literal]:
        for node in self._nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if not isinstance(self._parents[node], ast.Expr | ast.JoinedStr):
                    yield self._make(node, node.value, self._find_group(node) or self._scope(node))
            elif isinstance(node, ast.Constant) and _is_number(node.value):
                group = self._find_group(node)
                if group and not isinstance(self._parents[node], ast.UnaryOp):
                    yield self._make(node, node.value, group)
            elif isinstance(node, ast.List | ast.Tuple | ast.Call):
                parts = node.args if isinstance(node, ast.Call) else node.elts
                values = [each.value for each in parts if isinstance(each, ast.Constant)]
                row = [*filter(_is_number, values)]
                group = self._find_group(node) if parts and len(row) == len(parts) else ""
                if group:
                    yield self._make(parts[-1], tuple(row), f"{group} row")

    def _make(self, node: ast.expr, value: str | float | Row, group: str) -> Literal:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        said = value.encode(errors="replace") if isinstance(value, str) else b""
        at = self._data.rfind(said, start, end) if said else -1
        if at >= 0:  # it has no escapes, and is one piece
            return Literal(at, at + len(said), value, group, is_bare=True)
        return Literal(start, end, value, group)

    def _find_group(self, node: ast.expr) -> str:
        """Return the table or the comparisons in which a literal is; empty if it is in none."""
        here: ast.AST = node
        columns, table = [], None
        while isinstance(parent := self._parents[here], (*_DISPLAYS, ast.Call)):
            if isinstance(parent, ast.Call) and here not in parent.args:
                break
            if isinstance(parent, _DISPLAYS):
                table = parent
                columns.append(next(n for n, each in enumerate(parent.elts) if each is here))
            here = parent
        match parent:
            case ast.Compare(left=left, ops=ops, comparators=[*others]) if all(
                isinstance(op, _EXACT) for op in ops
            ):
                asked = [ast.unparse(each) for each in (left, *others) if each is not here]
                return f"{self._scope(parent)} {asked}"
            case ast.Dict(keys=keys) if here in keys:
                return f"keys {parent.lineno}:{parent.col_offset} {columns[:1]}"
            case ast.MatchValue():
                return f"match {self._scope(parent)}"
            case _:
                return f"table {table.lineno}:{table.col_offset} {columns[:-1]}" if table else ""

    def _scope(self, node: ast.AST) -> str:
        here: ast.AST | None = node
        while here is not None and not isinstance(here, _SCOPES):
            here = self._parents.get(here)
        return f"function {getattr(here, 'lineno', 0)}"


def _is_number(value: object) -> TypeGuard[Number]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def list_python_given(call: str, _: str) -> list[Given]:
    return [leaf.value for leaf in _list_leaves(ast.parse(call))]  # type: ignore[misc]


def give_python(call: str, given: Sequence[Given], _: str) -> str:
    module = ast.parse(call)
    for leaf, value in zip(_list_leaves(module), given, strict=True):
        leaf.value = value
    return ast.unparse(module)


def _list_leaves(module: ast.Module) -> list[ast.Constant]:
    return sorted(find_varied(module), key=lambda leaf: (leaf.lineno, leaf.col_offset))
