"""The titles of tests as reports have them, where tables or names are filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.spoiling.script.scope import Declaration, ScriptScope
from goalkeeper.tamper.syntax import field, text
from goalkeeper.tamper.words import read_pattern
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ROWS = 500
_FORMAT = late_pattern(r"%([a-zA-Z#%])|\$([a-zA-Z_#])")
_NUMBER = late_pattern(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{0,5}[1-9])?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}

# The texts of a title in the order of rows: one if no table fills it in.
Titles = list[str]


class TitleReader:
    def __init__(self, scope: ScriptScope) -> None:
        self._scope = scope

    def read(self, call: Node, function: Node | None) -> Titles | None:
        """Return the titles of a test or a group; None if only a run can tell them."""
        given = [each for each in arguments_of(call) if each.type != "comment"]
        if not given:
            return None
        callee = field(call, "function")
        if callee is not None and callee.type == "call_expression":
            plain = _read_string(given[0])
            return self._fill_rows(plain, call, function) if plain is not None else None
        return self._fill_names(given[0])

    def _fill_rows(self, title: str, call: Node, function: Node | None) -> Titles | None:
        """Fill in what `it.each(rows)(title, …)` does."""
        if not _FORMAT.search(title):
            return [title]
        rows = self._scope.find_each_rows(call, function) if function is not None else None
        if rows is None or len(rows) > MOST_ROWS:
            return None
        found = [_format(title, row, number) for number, row in enumerate(rows)]
        return [each for each in found if each is not None] if None not in found else None

    def _fill_names(self, node: Node) -> Titles | None:
        """Fill in names whose values are written out, as those of a loop over a table."""
        plain = _read_string(node)
        if plain is not None:
            return [plain]
        parts = node.children[1:-1] if node.type == "template_string" else [node]
        columns: list[Titles] = []
        owners: set[int] = set()
        for each in parts:
            if each.type == "template_substitution":
                each = each.named_children[0] if each.named_children else each  # noqa: PLW2901
            if each.type in {"string_fragment", "escape_sequence"}:
                columns.append([_unescape(text(each))])
                continue
            values, owner = self._find_values(each)
            if values is None:
                return None
            columns.append(values)
            owners |= {owner} if owner else set()
        longest = max((len(each) for each in columns), default=0)
        if len(owners) > 1 or longest > MOST_ROWS:
            return None
        return [
            "".join(each[n if len(each) > 1 else 0] for each in columns) for n in range(longest)
        ]

    def _find_values(self, node: Node) -> tuple[Titles | None, int]:
        """Return the values that a name may have, and which loop or table gives them."""
        declared: Declaration | None = None
        sources: list[Node] | None = None
        if node.type == "identifier":
            declared = self._scope.find_declaration(node)
            sources = self._scope.find_sources(declared) if declared is not None else None
        elif node.type == "member_expression":
            holder = field(node, "object")
            is_name = holder is not None and holder.type == "identifier"
            declared = self._scope.find_declaration(holder) if holder and is_name else None
            rows = self._scope.find_sources(declared) if declared is not None else None
            parts = [self._scope.get_part(row, text(field(node, "property"))) for row in rows or ()]
            sources = [each for each in parts if each is not None] if all(parts) else None
        if declared is None or not sources:
            return None, 0
        values = [_read_value(each) for each in sources]
        is_single = declared.owner.type == "variable_declarator"
        found = [each for each in values if each is not None]
        return (found if len(found) == len(values) else None), 0 if is_single else declared.owner.id


def _read_string(node: Node) -> str | None:
    is_plain = node.type == "string" or (node.type == "template_string" and "${" not in text(node))
    return _unescape(text(node)[1:-1]) if is_plain else None


def _unescape(written: str) -> str:
    def write(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        return chr(min(int(code, 16), 0x10FFFF)) if code else _ESCAPES.get(found[4], found[4])

    return read_pattern("script-escape").sub(write, written)


def _read_value(node: Node) -> str | None:
    """Return how a literal is printed; None for what is printed in several ways."""
    if node.type in {"string", "template_string"}:
        return _read_string(node)
    said = text(node)
    is_word = node.type in {"true", "false", "null", "undefined"}
    return said if is_word or _NUMBER.fullmatch(said) else None


def _format(title: str, row: Node, number: int) -> str | None:
    items = row.named_children if row.type == "array" else [row]
    given = iter([each for each in items if each.type != "comment"])
    parts: list[str] = []
    done = 0
    for found in _FORMAT.finditer(title):
        if found[2]:
            return None
        kind = found[1]
        value: str | None = "%" if kind == "%" else str(number) if kind == "#" else None
        if kind in "sidp":
            item = next(given, None)
            value = _read_value(item) if item is not None else None
            if kind == "p" and item is not None and "string" in item.type and value is not None:
                value = f'"{value}"' if value.isalnum() else None
            if kind in "id" and value is not None and not _NUMBER.fullmatch(value):
                value = None
            if kind == "i" and value is not None and "." in value:
                value = None
        if value is None:
            return None
        parts += [title[done : found.start()], value]
        done = found.end()
    return "".join((*parts, title[done:]))
