"""Names, calls and imports in JavaScript and TypeScript source."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.source import folder
from goalkeeper.tamper.syntax import Source, field, group_nodes, measure_source, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts")
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


def find_functions(source: Source) -> Iterator[tuple[str, Node]]:
    known = group_nodes(source)
    for node in known.get("function_declaration", ()):
        yield text(field(node, "name")), node
    for node in known.get("variable_declarator", ()):
        value = field(node, "value")
        if value is not None and value.type in FUNCTIONS:
            yield text(field(node, "name")), value


def resolve_module(path: str, module: str) -> str:
    return posixpath.normpath(posixpath.join(folder(path), module))


@remember(measure_source)
def find_imports(source: Source) -> Sequence[tuple[str, Sequence[str]]]:
    """Return the modules that a file imports, each with the names that it takes from there."""
    return list(_read_imports(source))


def _read_imports(source: Source) -> Iterator[tuple[str, list[str]]]:
    known = group_nodes(source)
    for node in known.get("import_statement", ()):
        names = [text(each) for each in walk(node) if each.type == "identifier"]
        yield text(field(node, "source")).strip("'\""), names
    for node in known.get("variable_declarator", ()):
        value = field(node, "value")
        called = text(value) if value is not None and value.type == "call_expression" else ""
        if found := re.fullmatch(r"require\(['\"](.+)['\"]\)", called):
            yield found[1], re.findall(r"\w+", text(field(node, "name")))
