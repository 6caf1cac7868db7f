"""Splits a JavaScript or TypeScript file into what can be settled by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.asserts import unify_quotes
from goalkeeper.tamper.javascript.names import ENDINGS, find_imports, resolve_module
from goalkeeper.tamper.javascript.tests import (
    MOST_DEPTH,
    TestCalls,
    find_test_calls,
    has_inner_tests,
)
from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.settled import NOWHERE, Unit, make_import, make_unit
from goalkeeper.tamper.syntax import Source, field, measure_source, script_root, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_MODULE = late_pattern(r"['\"](\.[^'\"\n]*)['\"]")
_DECLARATIONS = {"lexical_declaration", "variable_declaration", "import_statement"}
_PIECES = {
    "import_specifier", "namespace_import", "shorthand_property_identifier_pattern", "pair_pattern",
}  # fmt: skip
_RESERVED = frozenset({"const", "else", "for", "function", "if", "new", "return", "this", "var"})
_CLOSING = {")", "]", "}"}
_NAMES = {"identifier", "shorthand_property_identifier_pattern", "property_identifier"}


def split_script(source: Source) -> list[Unit]:
    return list(_split_block(script_root(source), (), find_test_calls(source)))


def _split_block(block: Node, titles: tuple[str, ...], calls: TestCalls) -> Iterator[Unit]:
    owner = " > ".join(titles)
    for statement in block.named_children:
        if statement.type == "comment":
            continue
        call = _find_call(statement)
        test = calls.find(call) if call is not None else None
        body = field(test.function, "body") if test and test.function else None
        is_group = test is not None and (test.is_group or has_inner_tests(test, calls))
        if test and is_group and body is not None and len(titles) < MOST_DEPTH:
            head = text(statement)[: max(body.start_byte - statement.start_byte, 0)]
            yield make_unit(owner, head, NOWHERE, ())
            yield from _split_block(body, (*titles, test.title or ""), calls)
        elif test and not is_group:
            yield make_unit(owner, text(statement), statement.start_byte, (), is_function=True)
        else:
            yield from _split_statement(statement, owner)


def _split_statement(statement: Node, owner: str) -> Iterator[Unit]:
    inner = field(statement, "declaration") or statement
    body = field(inner, "body")
    if inner.type == "class_declaration" and body is not None:
        name = text(field(inner, "name"))
        head = text(statement)[: max(body.start_byte - statement.start_byte, 0)]
        yield make_unit(owner, head, NOWHERE, {name})
        for member in body.named_children:
            defined = {text(field(member, "name"))}
            yield make_unit(name, text(member), member.start_byte, defined, is_function=True)
        return
    given = _find_module(inner)
    if given:
        for piece in _find_pieces(inner):  # one more does not touch the others
            defined = {text(node) for node in walk(piece) if node.type in _NAMES}
            yield make_import(owner, f"import {text(piece)} from {given}", defined)
        return
    is_function = inner.type.endswith("function_declaration")
    yield make_unit(
        owner,
        text(statement),
        statement.start_byte,
        _find_defined(inner),
        is_function=is_function,
        reserved=_RESERVED,
    )


def _find_module(statement: Node) -> str:
    """Return the module of a statement that only imports."""
    if statement.type == "import_statement":
        return text(field(statement, "source"))
    parts = statement.named_children if statement.type in _DECLARATIONS else []
    value = field(parts[0], "value") if len(parts) == 1 else None
    if value is None or value.type != "call_expression":
        return ""
    return text(value) if text(field(value, "function")) == "require" else ""


def _find_pieces(statement: Node) -> list[Node]:
    """Return what is imported, name by name."""
    parts = list(walk(statement))
    found = [
        node
        for node in parts
        if node.type in _PIECES
        or (node.type == "identifier" and node.parent and node.parent.type == "import_clause")
    ]
    return found or [node for node in parts if node.type == "identifier"]


def _find_call(statement: Node) -> Node | None:
    here: Node | None = statement
    while here is not None and here.type in {"expression_statement", "await_expression"}:
        here = here.named_children[0] if here.named_children else None
    return here if here is not None and here.type == "call_expression" else None


def _find_defined(statement: Node) -> set[str] | None:
    """Return the names that a statement defines; None if it may do anything."""
    if statement.type.endswith("function_declaration"):
        return {text(field(statement, "name"))}
    if statement.type == "import_statement":
        return {text(node) for node in walk(statement) if node.type in _NAMES}
    if statement.type in _DECLARATIONS:
        names = [field(each, "name") for each in statement.named_children]
        return {text(node) for name in names if name for node in walk(name) if node.type in _NAMES}
    inner = statement.named_children[0] if statement.named_children else None
    if inner is not None and inner.type == "assignment_expression":
        left = field(inner, "left")
        return {text(node) for node in (walk(left) if left else ()) if node.type in _NAMES}
    return None


def is_same_code(path: str, old: str, new: str) -> bool:
    """Return whether two statements of a file do the same, however they are laid out."""
    was = _list_parts(Source(path, old))
    return was is not None and was == _list_parts(Source(path, new))


@remember(measure_source)
def _list_parts(source: Source) -> list[str] | None:
    """Return the kinds and words of a statement in order; None if it cannot stand alone."""
    top = script_root(source)
    found: list[str] = []
    waiting = [] if top.has_error else [top]
    while waiting:
        node = waiting.pop()
        if node.is_named:
            found.append(node.type)
        if node.type == "string":
            found.append(unify_quotes(text(node)))
        elif not node.child_count:
            found.append(text(node))
        else:
            waiting += reversed([each for each in node.children if not _is_layout(each)])
    return found or None


def _is_layout(node: Node) -> bool:
    if node.type != ",":
        return node.type in {"comment", ";"}
    before, behind = node.prev_sibling, node.next_sibling  # `[,]` is a list with one place
    return bool(before and before.is_named and behind and behind.type in _CLOSING)


def may_import(source: Source, paths: Collection[str]) -> bool:
    """Return whether the text has the name of a module that may be one of the paths."""
    modules = {resolve_module(source.path, each) for each in _MODULE.findall(source.text)}
    return any(module + ending in paths for module in modules for ending in ENDINGS)


def find_names_from(source: Source, paths: Iterable[str]) -> set[str]:
    """Return the names that a file imports from one of the paths."""
    known = {*paths}
    return {
        name
        for module, names in (find_imports(source) if known else ())
        if module.startswith(".")
        and known & {resolve_module(source.path, module) + ending for ending in ENDINGS}
        for name in names
    }
