"""Finds JavaScript functions that give the tests' answers without computing them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.answers import AnswerReader, Entry, Keys, Table
from goalkeeper.tamper.javascript.asserts import is_literal, render
from goalkeeper.tamper.javascript.names import FUNCTIONS, arguments_of
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node


def _read_entries(source: Source) -> Iterator[Entry]:
    """Read pairs of input and expected result, both literals, from a test file."""
    for node in walk(script_root(source)):
        if node.type == "call_expression":
            given = arguments_of(node)
            owner = field(node, "function")
            if owner is not None and owner.type == "member_expression" and given:
                subject = field(owner, "object")
                yield from _read_call(subject, given[-1])  # as in expect(f(1)).toBe(2)
                yield from _read_call(given[0], given[-1])  # as in assert.equal(f(1), 2)
        elif node.type == "array" and len(node.named_children) > 1:
            *inputs, result = node.named_children
            yield from (
                (_render_word(each), _render_word(result)) for each in inputs if is_literal(each)
            )


def _read_call(subject: Node | None, expected: Node) -> Iterator[Entry]:
    if subject is None or not is_literal(expected):
        return
    for part in walk(subject):
        if part.type == "call_expression":
            for given in arguments_of(part):
                if is_literal(given):
                    yield _render_word(given), _render_word(expected)


def _find_tables(source: Source, settled: Places) -> Iterator[Table]:
    for node in _find_outermost(source, settled):
        if node.type == "object":
            pairs = [each for each in node.named_children if each.type == "pair"]
            entries = [
                (_render_key(field(pair, "key")), _render_word(field(pair, "value")))
                for pair in pairs
                if is_literal(field(pair, "value"))
            ]
        elif node.type == "switch_statement":
            entries = [entry for case in walk(node) for entry in _read_case(case)]
        elif node.type in FUNCTIONS:
            entries = [entry for part in walk(node) for entry in _read_branch(part)]
        else:
            continue
        if entries:
            yield line(node), list(dict.fromkeys(entries))


def _find_outermost(source: Source, settled: Places) -> Iterator[Node]:
    """Yield all nodes, but of functions in functions only the outermost: it holds the others."""
    end = 0
    for node in walk(script_root(source), settled):
        if node.type not in FUNCTIONS:
            yield node
        elif node.start_byte >= end:
            end = node.end_byte
            yield node


def _find_keys(source: Source, settled: Places) -> Iterator[Keys]:
    for node in _find_outermost(source, settled):
        if node.type == "object":
            found = [field(pair, "key") for pair in node.named_children if pair.type == "pair"]
        elif node.type == "new_expression" and text(field(node, "constructor")) in {"Map", "Set"}:
            found = [each for part in walk(node) for each in _find_rows(part)]
        elif node.type in FUNCTIONS:
            found = [each for part in walk(node) for each in _find_compared(part)]
        else:
            continue
        yield line(node), [_read_string(each) for each in found if each is not None]


def _find_rows(node: Node) -> list[Node]:
    """Return the first item of each row, or the row itself if it is no list."""
    if node.type != "array" or (node.parent is not None and node.parent.type == "array"):
        return []
    rows = node.named_children
    return [
        row.named_children[0] if row.type == "array" and row.named_children else row for row in rows
    ]


def _find_compared(node: Node) -> list[Node | None]:
    if node.type == "switch_case":
        return [field(node, "value")]
    if node.type == "binary_expression" and text(field(node, "operator")) in {"==", "==="}:
        return [field(node, "left"), field(node, "right")]
    return []


def _read_string(node: Node) -> str:
    """Return the text of a string; it is empty for other nodes."""
    if node.type not in {"string", "template_string"}:
        return ""
    return text(node)[1:-1].replace("\\n", "\n").replace('\\"', '"')


def _read_case(node: Node) -> Iterator[Entry]:
    if node.type == "switch_case" and is_literal(field(node, "value")):
        for part in node.named_children:
            given = part.named_children if part.type == "return_statement" else []
            if given and is_literal(given[0]):
                yield _render_word(field(node, "value")), _render_word(given[0])


def _read_branch(node: Node) -> Iterator[Entry]:
    test, then = field(node, "condition"), field(node, "consequence")
    if node.type == "if_statement":
        returned = [part for part in walk(then) if part.type == "return_statement"] if then else []
        values = [part.named_children[0] for part in returned[:1] if part.named_children]
    elif node.type == "ternary_expression":
        values = [then] if then is not None else []
    else:
        return
    if test is None or not values or not is_literal(values[0]):
        return
    for part in walk(test):
        if part.type == "binary_expression" and text(field(part, "operator")) in {"==", "==="}:
            for side in ("left", "right"):
                if is_literal(field(part, side)):
                    yield _render_word(field(part, side)), _render_word(values[0])


def _render_word(node: Node | None) -> str:
    return render(node, {}) if node is not None else ""


def _render_key(node: Node | None) -> str:
    word = _render_word(node)
    return f'"{word}"' if re.fullmatch(r"[A-Za-z_$]\w*", word) else word


SCRIPT_ANSWERS = AnswerReader(_read_entries, _find_tables, _find_keys)
