"""Writes nodes of Python as source, each once: tests call helpers with the same values again."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

WRITTEN = "_goalkeeper_text"
_MOST_KEPT = 10_000

_COMPARED: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_HEADS = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Subscript})
# These need no parentheses in a comparison.
_SIDES = _HEADS | {ast.Constant, ast.Dict, ast.List, ast.Set, ast.Tuple}


def code_of(node: ast.AST) -> str:
    """Write a node as `ast.unparse` does, or dump it: some f-strings cannot be written back."""
    kept: str | None = node.__dict__.get(WRITTEN)
    if kept is None:
        write = _WRITERS.get(node.__class__)
        kept = (write(node) if write else None) or _unparse(node)
        if len(kept) <= _MOST_KEPT:  # brackets around a long text would each keep it
            node.__dict__[WRITTEN] = kept
    return kept


def _unparse(node: ast.AST) -> str:
    try:
        return ast.unparse(node)
    except ValueError:
        return ast.dump(node)


def _write_name(node: ast.Name) -> str:
    return node.id


def _write_attribute(node: ast.Attribute) -> str | None:
    return f"{code_of(node.value)}.{node.attr}" if node.value.__class__ in _HEADS else None


def _write_constant(node: ast.Constant) -> str | None:
    is_plain = node.kind is None and not isinstance(node.value, float | complex | type(...))
    return repr(node.value) if is_plain else None


def _write_call(node: ast.Call) -> str | None:
    if node.func.__class__ not in _HEADS:
        return None
    return f"{code_of(node.func)}({_join((*node.args, *node.keywords))})"


def _write_keyword(node: ast.keyword) -> str | None:
    return f"{node.arg}={code_of(node.value)}" if node.arg else None


def _write_subscript(node: ast.Subscript) -> str | None:
    if node.value.__class__ not in _HEADS or isinstance(node.slice, ast.Tuple):
        return None
    return f"{code_of(node.value)}[{code_of(node.slice)}]"


def _write_list(node: ast.List) -> str:
    return f"[{_join(node.elts)}]"


def _write_set(node: ast.Set) -> str | None:
    return f"{{{_join(node.elts)}}}" if node.elts else None


def _write_tuple(node: ast.Tuple) -> str:
    return f"({_join(node.elts)},)" if len(node.elts) == 1 else f"({_join(node.elts)})"


def _write_dict(node: ast.Dict) -> str | None:
    if None in node.keys:
        return None
    pairs = zip(filter(None, node.keys), node.values, strict=True)
    return "{" + ", ".join(f"{code_of(key)}: {code_of(value)}" for key, value in pairs) + "}"


def _write_comparison(node: ast.Compare) -> str | None:
    if any(each.__class__ not in _SIDES for each in (node.left, *node.comparators)):
        return None
    pairs = zip(node.ops, node.comparators, strict=True)
    rest = (f" {_COMPARED[operator.__class__]} {code_of(each)}" for operator, each in pairs)
    return code_of(node.left) + "".join(rest)


def _write_negation(node: ast.UnaryOp) -> str | None:
    is_plain = node.operand.__class__ in _SIDES or isinstance(node.operand, ast.Compare)
    return f"not {code_of(node.operand)}" if isinstance(node.op, ast.Not) and is_plain else None


def _join(nodes: Iterable[ast.AST]) -> str:
    return ", ".join(map(code_of, nodes))


_WRITERS: Mapping[type[ast.AST], Callable[[Any], str | None]] = {
    ast.Name: _write_name,
    ast.Attribute: _write_attribute,
    ast.Constant: _write_constant,
    ast.Call: _write_call,
    ast.keyword: _write_keyword,
    ast.Subscript: _write_subscript,
    ast.List: _write_list,
    ast.Set: _write_set,
    ast.Tuple: _write_tuple,
    ast.Dict: _write_dict,
    ast.Compare: _write_comparison,
    ast.UnaryOp: _write_negation,
}
