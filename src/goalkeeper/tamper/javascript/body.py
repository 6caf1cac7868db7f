"""Reads what one test in JavaScript or TypeScript asserts, and on what conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.asserts import assertion_of, is_assertion, render
from goalkeeper.tamper.javascript.names import FUNCTIONS, arguments_of, find_function
from goalkeeper.tamper.syntax import field, line, text
from goalkeeper.tamper.testing import Assertion

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_HELPERS = 3  # helpers that call helpers are followed so deep
_CONDITIONS = {"if_statement", "ternary_expression", "switch_case"}


class ScriptBodyReader:
    def __init__(self, helpers: dict[str, Node], depth: int = 0, owner: str = "t") -> None:
        self.helpers = helpers
        self.owner = owner
        self.depth = depth
        self.assertions: list[Assertion] = []
        self.early_return = 0

    def read(self, function: Node, given: dict[str, str]) -> None:
        values = dict(given)
        body = field(function, "body") or function
        returned = 0
        waiting = [body]
        while waiting:
            node = waiting.pop()
            if node.type == "variable_declarator" and field(node, "value") is not None:
                self._remember_value(node, values)
            if node.type == "return_statement" and find_function(node) == function:
                returned = returned or (0 if node.named_children else line(node))
            if node.type == "call_expression":
                self._read_call(node, values, function, returned)
            if node.type == "if_statement" and text(field(node, "condition")) in {"(false)", "(0)"}:
                continue
            waiting.extend(reversed(node.children))

    def _remember_value(self, node: Node, values: dict[str, str]) -> None:
        name, value = field(node, "name"), field(node, "value")
        if name is None or value is None or name.type != "identifier":
            return
        constant = node.parent is not None and text(node.parent).startswith("const")
        if constant and value.type not in FUNCTIONS:
            values[text(name)] = render(value, values)

    def _read_call(self, node: Node, values: dict[str, str], function: Node, returned: int) -> None:
        if is_assertion(node, self.owner):
            if returned and not self.early_return:
                self.early_return = returned
            self.assertions.append(
                assertion_of(node, values).replace(
                    swallowed=_is_swallowed(node, function),
                    conditional=_is_conditional(node, function),
                )
            )
            return
        called = field(node, "function")
        helper = self.helpers.get(text(called)) if called is not None else None
        if helper is None or self.depth >= MOST_HELPERS:
            return
        given = _bind_arguments(helper, node, values)
        owner = next((name for name, value in given.items() if value == "t"), "t")
        inner = ScriptBodyReader(self.helpers, self.depth + 1, owner)
        inner.read(helper, given)
        self.assertions += [each.replace(line=line(node)) for each in inner.assertions]


def _bind_arguments(function: Node, call: Node, values: dict[str, str]) -> dict[str, str]:
    given = (render(each, values) for each in arguments_of(call))
    return dict(zip(list_parameters(function), given, strict=False))


def list_parameters(function: Node) -> list[str]:
    single = field(function, "parameter")
    listed = field(function, "parameters")
    nodes = [single] if single is not None else listed.named_children if listed is not None else []
    return [text(node).split(":")[0] for node in nodes]


def _find_ancestors(node: Node, function: Node) -> Iterator[tuple[Node, Node]]:
    """Yield each node between the two, together with its child that leads to `node`."""
    below, here = node, node.parent
    while here is not None and here.id != function.id:
        yield here, below
        below, here = here, here.parent


def _is_swallowed(node: Node, function: Node) -> bool:
    for here, below in _find_ancestors(node, function):
        if here.type == "try_statement" and field(here, "body") == below:
            handler = field(here, "handler")
            if handler is not None and not re.search(
                r"\bthrow\b|expect|assert|fail\(", text(handler)
            ):
                return True
        if here.type == "call_expression" and re.search(r"\)\s*\.catch\(", text(here)):
            return True
    return False


def _is_conditional(node: Node, function: Node) -> bool:
    for here, _ in _find_ancestors(node, function):
        if here.type == "if_statement":
            other = text(field(here, "alternative"))
            return not re.search(r"expect|assert", other)
        if here.type in _CONDITIONS or (
            here.type == "binary_expression"
            and re.search(r"&&|\|\|", text(field(here, "operator")))
        ):
            return True
    return False
