"""Tells whether a condition about the platform holds where witnesses run."""

from __future__ import annotations

import ast
import operator
import os
import platform
import sys
from collections.abc import Callable, Mapping
from typing import Any

_KNOWN: Mapping[str, Any] = {
    "sys.platform": sys.platform,
    "os.name": os.name,
    "platform.system()": platform.system(),
    "sys.version_info": sys.version_info[:3],
    "sys.version_info[:2]": sys.version_info[:2],
    "sys.version_info[0]": sys.version_info[0],
    "sys.version_info.major": sys.version_info[0],
    "sys.implementation.name": sys.implementation.name,
    "platform.python_implementation()": platform.python_implementation(),
}
_OPERATORS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def holds_here(node: ast.expr) -> bool | None:
    """Return None if that cannot be told without running it."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return _join(values, decided=False)
        case ast.BoolOp(values=values):
            return _join(values, decided=True)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = holds_here(operand)
            return None if inner is None else not inner
        case ast.Compare(left=left, ops=[kind], comparators=[right]) if type(kind) in _OPERATORS:
            return _compare(left, type(kind), right)
        case ast.Call(func=ast.Attribute(value=owner, attr="startswith"), args=[start]):
            known, given = _KNOWN.get(ast.unparse(owner)), _read_literal(start)
            if isinstance(known, str) and isinstance(given, str):
                return known.startswith(given)
            return None
        case _:
            return None


def _join(values: list[ast.expr], *, decided: bool) -> bool | None:
    found = [holds_here(value) for value in values]
    if decided in found:
        return decided
    return None if None in found else not decided


def _compare(left: ast.expr, kind: type[ast.cmpop], right: ast.expr) -> bool | None:
    known, given = _KNOWN.get(ast.unparse(left)), _read_literal(right)
    if known is None or given is None:
        return None
    try:
        return bool(_OPERATORS[kind](known, given))
    except TypeError:
        return None


def _read_literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
