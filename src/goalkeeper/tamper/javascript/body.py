"""Reads what one test in JavaScript or TypeScript asserts, and on what conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.asserts import assertion_of, is_assertion, render
from goalkeeper.tamper.javascript.names import FUNCTIONS, arguments_of
from goalkeeper.tamper.syntax import field, line, text
from goalkeeper.tamper.testing import Assertion
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_HELPERS = 3  # helpers that call helpers are followed so deep
_CONDITIONS = {"if_statement", "ternary_expression", "switch_case"}


class Helper(Value):
    """A function that tests call."""

    function: Node
    imported: frozenset[str]  # the assertions that its file imports by their own names


# The node around another, and what is around that; the grammar itself would look through the file.
_Around = tuple["Node", "_Around"] | None


class ScriptBodyReader:
    def __init__(
        self,
        helpers: Mapping[str, Helper],
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

    def read(self, function: Node, given: dict[str, str]) -> None:
        values = dict(given)
        body = field(function, "body") or function
        returned = 0
        waiting: list[tuple[Node, _Around]] = [(body, None)]
        while waiting:
            node, around = waiting.pop()
            kind = node.type
            if kind == "variable_declarator" and field(node, "value") is not None:
                _remember_value(node, around, values)
            if kind == "return_statement" and not _is_in_function(around):
                returned = returned or (0 if node.named_children else line(node))
            if kind == "call_expression":
                self._read_call(node, around, values, returned)
            if kind == "if_statement" and text(field(node, "condition")) in {"(false)", "(0)"}:
                continue
            below = node.children
            if below:
                here = None if node.id == function.id else (node, around)
                waiting += [(each, here) for each in reversed(below)]

    def _read_call(
        self, node: Node, around: _Around, values: dict[str, str], returned: int
    ) -> None:
        if is_assertion(node, around[0] if around else None, self.imported, self.owner):
            if returned and not self.early_return:
                self.early_return = returned
            self.assertions.append(
                assertion_of(node, values).replace(
                    swallowed=self._is_swallowed(node, around),
                    conditional=self._is_conditional(around),
                )
            )
            return
        called = field(node, "function")
        helper = self.helpers.get(text(called)) if called is not None else None
        if helper is None or self.depth >= MOST_HELPERS:
            return
        given = _bind_arguments(helper.function, node, values)
        owner = next((name for name, value in given.items() if value == "t"), "t")
        inner = ScriptBodyReader(self.helpers, helper.imported, depth=self.depth + 1, owner=owner)
        inner.read(helper.function, given)
        self.assertions += [each.replace(line=line(node)) for each in inner.assertions]

    def _is_swallowed(self, node: Node, around: _Around) -> bool:
        below = node
        for here in _find_ancestors(around):
            if here.type == "try_statement" and field(here, "body") == below:
                if self._ask(here, _is_swallowing):
                    return True
            elif here.type == "call_expression" and self._ask(here, _is_catching):
                return True
            below = here
        return False

    def _is_conditional(self, around: _Around) -> bool:
        for here in _find_ancestors(around):
            if here.type == "if_statement":
                return self._ask(here, _is_one_sided)
            if here.type in _CONDITIONS or (
                here.type == "binary_expression"
                and re.search(r"&&|\|\|", text(field(here, "operator")))
            ):
                return True
        return False

    def _ask(self, node: Node, question: Callable[[Node], bool]) -> bool:
        """Ask once of each node, because many assertions may stand in it."""
        key = (question.__name__, node.id)
        if key not in self._found:
            self._found[key] = question(node)
        return self._found[key]


def _remember_value(node: Node, around: _Around, values: dict[str, str]) -> None:
    name, value = field(node, "name"), field(node, "value")
    if name is None or value is None or name.type != "identifier":
        return
    constant = around is not None and around[0].children[0].type == "const"
    if constant and value.type not in FUNCTIONS:
        values[text(name)] = render(value, values)


def _bind_arguments(function: Node, call: Node, values: dict[str, str]) -> dict[str, str]:
    given = (render(each, values) for each in arguments_of(call))
    return dict(zip(list_parameters(function), given, strict=False))


def list_parameters(function: Node) -> list[str]:
    single = field(function, "parameter")
    listed = field(function, "parameters")
    nodes = [single] if single is not None else listed.named_children if listed is not None else []
    return [text(node).split(":")[0] for node in nodes]


def _find_ancestors(around: _Around) -> Iterator[Node]:
    while around is not None:
        here, around = around
        yield here


def _is_in_function(around: _Around) -> bool:
    """Return whether this stands in a function within the one that is read."""
    return any(here.type in FUNCTIONS for here in _find_ancestors(around))


def _is_swallowing(attempt: Node) -> bool:
    handler = field(attempt, "handler")
    return handler is not None and not re.search(r"\bthrow\b|expect|assert|fail\(", text(handler))


def _is_catching(call: Node) -> bool:
    return bool(re.search(r"\)\s*\.catch\(", text(call)))


def _is_one_sided(condition: Node) -> bool:
    return not re.search(r"expect|assert", text(field(condition, "alternative")))
