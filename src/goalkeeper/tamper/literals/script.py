"""Literals of JavaScript and TypeScript. Texts are as they are written, with their escapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goalkeeper.tamper.literals.model import Given, Literal, Number
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.script.scope import FUNCTION_TYPES
from goalkeeper.tamper.syntax import Source, field, script_root, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_TEXTS = frozenset({"string", "template_string"})
_AROUND = frozenset({"array", "parenthesized_expression", "as_expression", "arguments"})
_LOADING = frozenset({"import_statement", "export_statement"})
_EXACT = frozenset({"===", "==", "!==", "!="})
_NUMBER = late_pattern(r"[0-9]+(?:\.[0-9]+)?")


def read_script_literals(source: str, path: str) -> list[Literal]:
    """Return texts, and numbers that something may be equal to."""
    top = script_root(Source(path, source))
    return [] if top.has_error else [*_find_literals(top)]


def _find_literals(top: Node) -> Iterator[Literal]:
    for node in walk(top):
        if _is_text(node):
            group = _find_group(node) or _find_scope(node)
            start, end = node.start_byte + 1, node.end_byte - 1
            yield Literal(start, end, text(node)[1:-1], group, is_bare=True)
        elif _is_number(node) and (group := _find_group(node)):
            yield Literal(node.start_byte, node.end_byte, _read_number(node), group)
        elif node.type in {"array", "arguments"}:
            row, group = [*map(_read_number, filter(_is_number, node.named_children))], ""
            if row and len(row) == len(node.named_children):
                group = _find_group(node)
            if group:
                last = node.named_children[-1]
                yield Literal(last.start_byte, last.end_byte, tuple(row), f"{group} row")


def _is_text(node: Node) -> bool:
    is_plain = node.type in _TEXTS and all(
        each.type != "template_substitution" for each in node.named_children
    )
    return is_plain and (node.parent is None or node.parent.type not in _LOADING)


def _is_number(node: Node) -> bool:
    return node.type == "number" and _NUMBER.fullmatch(text(node)) is not None


def _read_number(node: Node) -> Number:
    said = text(node)
    return float(said) if "." in said else int(said)


def _find_group(node: Node) -> str:
    """Return the table or the comparisons in which a literal is; empty if it is in none."""
    here, table, columns = node, None, []
    while (parent := here.parent) is not None and parent.type in _AROUND:
        if parent.type == "array":
            table = parent
            columns.append(parent.named_children.index(here))
        here = parent
    if parent is None:
        return ""
    if parent.type == "pair" and field(parent, "key") == here and parent.parent is not None:
        return f"keys {parent.parent.start_byte}"
    if parent.type == "switch_case" and field(parent, "value") == here:
        return f"switch {parent.parent.start_byte if parent.parent is not None else 0}"
    if parent.type == "binary_expression" and text(field(parent, "operator")) in _EXACT:
        sides = [text(field(parent, side)) for side in ("left", "right")]
        asked = [side for side in sides if side != text(here)]
        return f"{_find_scope(parent)} {asked}"
    column = columns[0] if len(columns) > 1 else ""
    return f"table {table.start_byte} {column}" if table is not None else ""


def _find_scope(node: Node) -> str:
    here: Node | None = node
    while here is not None and here.type not in FUNCTION_TYPES:
        here = here.parent
    return f"function {here.start_byte if here is not None else 0}"


def list_script_given(call: str, path: str) -> list[Given]:
    return [_read_leaf(leaf) for leaf in _list_leaves(call, path)]


def give_script(call: str, given: Sequence[Given], path: str) -> str:
    changes = [
        Change(*_find_place(leaf), str(value))
        for leaf, value in zip(_list_leaves(call, path), given, strict=True)
        if value != _read_leaf(leaf)
    ]
    return apply_changes(call, changes)


def _find_place(leaf: Node) -> tuple[int, int]:
    inner = 0 if leaf.type == "number" else 1
    return leaf.start_byte - 1 + inner, leaf.end_byte - 1 - inner  # it was read in a bracket


def _list_leaves(call: str, path: str) -> list[Node]:
    top = script_root(Source(path, f"({call})"))
    found: list[Node] = []
    waiting = [top]
    while waiting:
        here = waiting.pop()
        if _is_text(here) or _is_number(here):
            found.append(here)
        elif here.type == "pair":
            waiting += [each for each in (field(here, "value"),) if each is not None]
        elif here.type not in {"regex", "subscript_expression"}:
            waiting += reversed(here.named_children)
    return found


def _read_leaf(leaf: Node) -> Given:
    return _read_number(leaf) if leaf.type == "number" else text(leaf)[1:-1]
