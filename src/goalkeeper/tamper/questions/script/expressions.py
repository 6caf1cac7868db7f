"""Writes an expression of a test so that it stands for itself, without the test around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from goalkeeper.tamper.questions.script.modules import LoadedName, find_loaded
from goalkeeper.tamper.questions.script.words import list_words
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.script.scope import Declaration, ScriptScope, find_path
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_DEPTH = 4  # names that stand for names are followed so deep
_NAMES = frozenset({"identifier", "shorthand_property_identifier"})
_CHANGING = frozenset(
    {"push", "unshift", "pop", "shift", "splice", "sort", "reverse", "set", "add"}
)
_CALLS = frozenset({"call_expression", "new_expression"})


class WrittenExpression(Value):
    text: str
    loaded: frozenset[LoadedName] = frozenset()
    tables: frozenset[tuple[int, int]] = frozenset()  # places that give rows, and how many

    @property
    def asks_product(self) -> bool:
        return any(each.is_product for each in self.loaded)


class ScriptExpressions:
    def __init__(
        self, scope: ScriptScope, path: str, is_in_assertion: Callable[[Node], bool]
    ) -> None:
        self._scope = scope
        self._path = path
        self._is_in_assertion = is_in_assertion

    def write(self, node: Node, row: int, depth: int = 0) -> WrittenExpression | None:
        """Write an expression for a row of the table around it; None if it needs its test."""
        changes: list[Change] = []
        found = WrittenExpression("")
        for each in walk(node):
            if each.type in list_words("not-plain") or depth > _MOST_DEPTH:
                return None
            if each.type not in _NAMES:
                continue
            other = self._write_name(each, node, row, depth)
            if other is None:
                return None
            found = found.replace(
                loaded=found.loaded | other.loaded, tables=found.tables | other.tables
            )
            if other.text != text(each):
                is_short = each.type == "shorthand_property_identifier"
                told = f"{text(each)}: {other.text}" if is_short else other.text
                start = node.start_byte
                changes.append(Change(each.start_byte - start, each.end_byte - start, told))
        return found.replace(text=apply_changes(text(node), changes))

    def _write_name(
        self, use: Node, around: Node, row: int, depth: int
    ) -> WrittenExpression | None:
        name = text(use)
        declared = self._scope.find_declaration(use)
        if declared is None:
            return WrittenExpression(name) if name in list_words("globals") else None
        if around.start_byte <= declared.key < around.end_byte:
            return WrittenExpression(name)
        loaded = find_loaded(declared, self._path)
        if loaded is not None:
            return WrittenExpression(name, frozenset({loaded}))
        if declared.owner.type == "variable_declarator":
            return self._write_variable(declared, row, depth)
        return self._write_cell(declared, row, depth)

    def _write_cell(self, declared: Declaration, row: int, depth: int) -> WrittenExpression | None:
        """Write what a parameter or the variable of a loop is in this row."""
        cells = self._scope.find_sources(declared, told=True) or []
        if row >= len(cells):
            return None
        found = self.write(cells[row], row, depth + 1)
        if found is None:
            return None
        table = (declared.owner.start_byte, len(cells))
        return found.replace(text=f"({found.text})", tables=found.tables | {table})

    def _write_variable(
        self, declared: Declaration, row: int, depth: int
    ) -> WrittenExpression | None:
        """Write what a name always stands for, if nothing but assertions can change that."""
        value = field(declared.owner, "value")
        way = find_path(field(declared.owner, "name"), declared.name)
        uses = self._scope.find_uses(declared)
        if value is None or way is None or any(map(_is_set, uses)):
            return None
        is_called = any(each.type in _CALLS for each in walk(value))
        if is_called and not all(map(self._is_in_assertion, uses)):
            return None
        found = self.write(value, row, depth + 1)
        if found is None:
            return None
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way)
        return found.replace(text=f"({found.text}){steps}")


def _is_set(use: Node) -> bool:
    """Return whether the value of a name, or a part of it, is changed here."""
    here, parent = use, use.parent
    while parent is not None and field(parent, "object") == here:
        here, parent = parent, parent.parent
    return parent is not None and (
        parent.type == "update_expression"
        or ("assignment" in parent.type and field(parent, "left") == here)
        or (parent.type == "call_expression" and text(field(here, "property")) in _CHANGING)
    )
