"""Finds what a function of JavaScript surely does each time it is called, and ends well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.spoiling.script.scope import FUNCTION_TYPES, ScriptScope
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVING = frozenset({"return_statement", "break_statement", "continue_statement"})
_PROMISED = late_pattern(r"then|finally")
_SKIPS = late_pattern(r"(?:\w+\.)?(?:skip|todo|exit|discard)")
_COUNTED = late_pattern(
    r"\(\s*(?:let|var)\s+(\w+)\s*=\s*(\d+)\s*;\s*\1\s*(<|<=)\s*(\d+)\s*;.*", re.DOTALL
)


class Step(Value):
    """An expression that is surely evaluated. Is its promise waited for?"""

    node: Node
    is_awaited: bool = False


class StraightWay:
    def __init__(self, scope: ScriptScope) -> None:
        self._scope = scope

    def find_steps(self, function: Node) -> Iterator[Step]:
        """Yield the steps up to the place from which on it is not sure what is done."""
        if function.type.startswith("generator"):
            return
        body = field(function, "body")
        if body is None:
            return
        if body.type != "statement_block":
            yield from self._read_expression(body, is_awaited=True)
            return
        yield from self._read_statements(body)

    def find_last_steps(self, function: Node, done: str) -> Iterator[Step]:
        """Yield the steps before the only `done()`: a test that passes has come there."""
        uses = [n for n in walk(function) if n.type == "identifier" and text(n) == done][1:]
        call = uses[0].parent if len(uses) == 1 else None
        statement = call.parent if call is not None else None
        block = statement.parent if statement is not None else None
        if call is None or statement is None or block is None or arguments_of(call):
            return
        around = block.parent
        is_plain = call.type == "call_expression" and statement.type == "expression_statement"
        if is_plain and around is not None and around.type in FUNCTION_TYPES:
            for step in self.find_steps(around):
                if step.node.end_byte <= call.start_byte:
                    yield step

    def _read_statements(self, block: Node) -> Iterator[Step]:
        for statement in block.named_children:
            yield from self._read_statement(statement)
            if may_leave(statement):
                return

    def _read_statement(self, node: Node) -> Iterator[Step]:
        inner = node.named_children
        match node.type:
            case "expression_statement" if inner:
                yield from self._read_expression(inner[0])
            case "return_statement" if inner:
                yield from self._read_expression(inner[0], is_awaited=True)
            case "lexical_declaration" | "variable_declaration":
                for each in inner:
                    value = field(each, "value") if each.type == "variable_declarator" else None
                    if value is not None:
                        yield from self._read_expression(value)
            case "statement_block" if not may_leave(node):
                yield from self._read_statements(node)
            case "try_statement" if field(node, "handler") is None and not may_leave(node):
                body = field(node, "body")
                yield from self._read_statements(body) if body is not None else ()
            case "for_in_statement" | "for_statement" if self._runs_once(node):
                body = field(node, "body")
                if body is not None and not may_leave(node):
                    yield from self._read_statement(body)
            case _:
                pass

    def _runs_once(self, loop: Node) -> bool:
        """Return whether the body of a loop surely runs."""
        if loop.type == "for_statement":
            head = text(loop)[len("for") :].lstrip()
            found = _COUNTED.match(head)
            if not found:
                return False
            first, last = int(found[2]), int(found[4])
            return first < last or (found[3] == "<=" and first == last)
        right = field(loop, "right")
        kinds = {each.type for each in loop.children}
        if right is None or "of" not in kinds or "await" in kinds:
            return False
        return self._scope.find_rows(right) is not None

    def _read_expression(self, node: Node, *, is_awaited: bool = False) -> Iterator[Step]:
        while node.type in {"await_expression", "parenthesized_expression"} and node.named_children:
            is_awaited = is_awaited or node.type == "await_expression"
            node = node.named_children[0]
        yield Step(node, is_awaited)
        if node.type != "call_expression":
            return
        if is_awaited:
            yield from self._read_promises(node)
        callee = field(node, "function")
        if callee is not None and callee.type == "member_expression":
            rows, method = field(callee, "object"), text(field(callee, "property"))
            given = arguments_of(node)
            is_table = method == "forEach" and rows is not None and len(given) == 1
            if is_table and rows is not None and self._scope.find_rows(rows) is not None:
                yield from self._read_callback(given[0])

    def _read_promises(self, node: Node) -> Iterator[Step]:
        """Read `p.then(f).then(g)`: if it ends well, all were called."""
        here: Node | None = node
        while here is not None and here.type == "call_expression":
            callee = field(here, "function")
            if callee is None or callee.type != "member_expression":
                return
            given = arguments_of(here)
            if not _PROMISED.fullmatch(text(field(callee, "property"))) or len(given) != 1:
                return
            yield from self._read_callback(given[0])
            here = field(callee, "object")

    def _read_callback(self, function: Node) -> Iterator[Step]:
        if function.type in FUNCTION_TYPES and "async" not in {e.type for e in function.children}:
            yield from self.find_steps(function)


def may_leave(statement: Node) -> bool:
    """Return whether the function may end here, or the test may be skipped."""
    waiting = [statement]
    while waiting:
        here = waiting.pop()
        if here.type in FUNCTION_TYPES:
            continue
        if here.type in _LEAVING or here.type == "yield_expression":
            return True
        if here.type == "call_expression":
            called = text(field(here, "function"))
            if _SKIPS.fullmatch(called):
                return True
        waiting += here.children
    return False
