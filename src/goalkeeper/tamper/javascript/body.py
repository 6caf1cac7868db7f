"""Reads what one test in JavaScript or TypeScript asserts, and on what conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.asserts import assertion_of, is_assertion, render
from goalkeeper.tamper.javascript.names import FUNCTIONS, arguments_of
from goalkeeper.tamper.syntax import PlacedNode, Source, field, line, list_steps, text
from goalkeeper.tamper.testing import Assertion
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_HELPERS = 3  # helpers that call helpers are followed so deep
_CONDITIONS = {"if_statement", "ternary_expression", "switch_case"}


class Helper(Value):
    """A function that tests call."""

    source: Source
    function: Node
    imported: frozenset[str]  # the assertions that its file imports by their own names


class Helpers:
    """The functions that the tests of a file may call, and what was read of them."""

    def __init__(self, known: Mapping[str, Helper]) -> None:
        self._known = known
        # By name, depth and arguments: tests call the same helper with the same values.
        self.readings: dict[tuple[str, int, tuple[str, ...]], Sequence[Assertion]] = {}
        self._asserting: dict[str, bool] = {}
        self._survey = cache(self._look_through)

    def find(self, name: str) -> Helper | None:
        """Find a helper that may assert something, itself or through others."""
        if name not in self._known:
            return None
        if name not in self._asserting:
            self._asserting[name] = self._may_assert(name)
        return self._known[name] if self._asserting[name] else None

    def _may_assert(self, name: str) -> bool:
        waiting, seen = [name], {name}
        while waiting:
            is_asserting, called = self._survey(waiting.pop())
            if is_asserting:
                return True
            waiting += called - seen
            seen |= called
        return False

    def _look_through(self, name: str) -> tuple[bool, AbstractSet[str]]:
        """Return whether a helper itself may assert something, and which others it calls."""
        helper = self._known[name]
        owners = ("t", *list_parameters(helper.function))
        steps = list_steps(helper.source, helper.function)
        calls = [step.node for step in steps if step.kind == "call_expression"]
        is_asserting = any(
            is_assertion(call, helper.imported, owner) for call in calls for owner in owners
        )
        return is_asserting, {text(field(call, "function")) for call in calls} & self._known.keys()


class ScriptBodyReader:
    def __init__(
        self,
        helpers: Helpers,
        imported: frozenset[str],
        *,
        depth: int = 0,
        owner: str = "t",
    ) -> None:
        self.helpers = helpers
        self.imported = imported
        self.owner = owner
        self.depth = depth
        self.assertions: list[Assertion] = []
        self.early_return = 0
        self._found: dict[tuple[str, int], bool] = {}

    def read(self, source: Source, function: Node, given: dict[str, str]) -> None:
        values = dict(given)
        around: list[PlacedNode] = []
        returned = passed = 0
        body = field(function, "body")
        for step in list_steps(source, body) if body is not None else ():
            if step.start < passed:
                continue
            while around and around[-1].end <= step.start:
                around.pop()
            match step.kind:
                case "variable_declarator":
                    _remember_value(step.node, around, values)
                case "return_statement" if not returned and not _is_in_function(around):
                    returned = 0 if step.node.named_children else line(step.node)
                case "call_expression":
                    self._read_call(step, around, values, returned)
                case "if_statement" if text(field(step.node, "condition")) in {"(false)", "(0)"}:
                    passed = step.end
                case _:
                    pass
            around.append(step)

    def _read_call(
        self, step: PlacedNode, around: list[PlacedNode], values: dict[str, str], returned: int
    ) -> None:
        node = step.node
        if not step.is_link and is_assertion(node, self.imported, self.owner):
            if returned and not self.early_return:
                self.early_return = returned
            self.assertions.append(
                assertion_of(
                    node,
                    values,
                    conditional=self._is_conditional(around),
                    swallowed=self._is_swallowed(node, around),
                )
            )
            return
        called = field(node, "function")
        is_named = called is not None and called.type == "identifier"
        name = text(called) if is_named and self.depth < MOST_HELPERS else ""
        helper = self.helpers.find(name)
        if helper is None:
            return
        given = _bind_arguments(helper.function, node, values)
        key = (name, self.depth, tuple(given.values()))
        found = self.helpers.readings.get(key)
        if found is None:
            owner = next((name for name, value in given.items() if value == "t"), "t")
            depth = self.depth + 1
            inner = ScriptBodyReader(self.helpers, helper.imported, depth=depth, owner=owner)
            inner.read(helper.source, helper.function, given)
            found = self.helpers.readings[key] = inner.assertions
        self.assertions += [each.replace(line=line(node)) for each in found]

    def _is_swallowed(self, node: Node, around: list[PlacedNode]) -> bool:
        for step in reversed(around):
            if step.kind == "try_statement":
                body = field(step.node, "body")
                if (
                    body
                    and node.start_byte < body.end_byte
                    and self._ask(step.node, _is_swallowing)
                ):
                    return True
            elif step.kind == "call_expression" and self._ask(step.node, _is_catching):
                return True
        return False

    def _is_conditional(self, around: list[PlacedNode]) -> bool:
        for step in reversed(around):
            if step.kind == "if_statement":
                return self._ask(step.node, _is_one_sided)
            if step.kind in _CONDITIONS or (
                step.kind == "binary_expression"
                and re.search(r"&&|\|\|", text(field(step.node, "operator")))
            ):
                return True
        return False

    def _ask(self, node: Node, question: Callable[[Node], bool]) -> bool:
        """Ask once of each node, because many assertions may stand in it."""
        key = (question.__name__, node.id)
        if key not in self._found:
            self._found[key] = question(node)
        return self._found[key]


def _remember_value(node: Node, around: list[PlacedNode], values: dict[str, str]) -> None:
    name, value = field(node, "name"), field(node, "value")
    if name is None or value is None or name.type != "identifier" or not around:
        return
    outer = around[-1]
    is_constant = outer.kind == "lexical_declaration" and outer.node.children[0].type == "const"
    if is_constant and value.type not in FUNCTIONS:
        values[text(name)] = render(value, values)


def _bind_arguments(function: Node, call: Node, values: dict[str, str]) -> dict[str, str]:
    given = (render(each, values) for each in arguments_of(call))
    return dict(zip(list_parameters(function), given, strict=False))


def list_parameters(function: Node) -> list[str]:
    single = field(function, "parameter")
    listed = field(function, "parameters")
    nodes = [single] if single is not None else listed.named_children if listed is not None else []
    return [text(node).split(":")[0] for node in nodes]


def _is_in_function(around: list[PlacedNode]) -> bool:
    """Return whether this stands in a function within the one that is read."""
    return any(step.kind in FUNCTIONS for step in around)


def _is_swallowing(attempt: Node) -> bool:
    handler = field(attempt, "handler")
    return handler is not None and not re.search(r"\bthrow\b|expect|assert|fail\(", text(handler))


def _is_catching(call: Node) -> bool:
    return bool(re.search(r"\)\s*\.catch\(", text(call)))


def _is_one_sided(condition: Node) -> bool:
    return not re.search(r"expect|assert", text(field(condition, "alternative")))
