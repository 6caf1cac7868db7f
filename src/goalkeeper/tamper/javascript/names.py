"""Names, calls and imports in JavaScript and TypeScript source."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.source import folder
from goalkeeper.tamper.syntax import field, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = {
    "arrow_function", "function_expression", "function_declaration", "method_definition",
    "generator_function_declaration",
}  # fmt: skip


def find_function(node: Node) -> Node | None:
    """Return the function around the node."""
    here = node.parent
    while here is not None and here.type not in FUNCTIONS:
        here = here.parent
    return here


def arguments_of(call: Node) -> list[Node]:
    arguments = field(call, "arguments")
    return arguments.named_children if arguments is not None else []


def find_functions(top: Node, *, with_methods: bool = False) -> Iterator[tuple[str, Node]]:
    for node in walk(top):
        is_method = with_methods and node.type == "method_definition"
        if node.type == "function_declaration" or is_method:
            yield text(field(node, "name")), node
        elif node.type == "variable_declarator":
            value = field(node, "value")
            if value is not None and value.type in FUNCTIONS:
                yield text(field(node, "name")), value


def resolve_module(path: str, module: str) -> str:
    return posixpath.normpath(posixpath.join(folder(path), module))


def find_imports(top: Node) -> Iterator[tuple[str, list[str]]]:
    for node in walk(top):
        if node.type == "import_statement":
            names = [text(each) for each in walk(node) if each.type == "identifier"]
            yield text(field(node, "source")).strip("'\""), names
        elif node.type == "variable_declarator":
            value = text(field(node, "value"))
            if found := re.fullmatch(r"require\(['\"](.+)['\"]\)", value):
                yield found[1], re.findall(r"\w+", text(field(node, "name")))
