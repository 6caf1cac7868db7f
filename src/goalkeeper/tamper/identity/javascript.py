"""Tests in JavaScript and TypeScript: the titles of describe, it and test, joined by ` > `."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from goalkeeper.tamper.identity.tokens import fingerprint, tokens
from goalkeeper.tamper.syntax import Source, script_root, text

if TYPE_CHECKING:
    from tree_sitter import Node

_GROUPS = frozenset({"describe", "suite", "context", "fdescribe", "xdescribe"})
_TESTS = frozenset({"it", "test", "specify", "fit", "xit", "xtest"})
_MODIFIERS = frozenset(
    {"only", "skip", "todo", "concurrent", "sequential", "serial", "parallel", "each", "for"}
    | {"failing", "fails", "fixme", "slow", "skipIf", "runIf"}
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_VERBATIM = frozenset({"string", "template_string", "regex", "jsx_text"})
_COMMENTS = frozenset({"comment", "html_comment"})
_MOST_DEPTH = 20
_MOST_TESTS_AROUND = 2  # each reads again what is in it
_MOST_TITLE = 300  # a title is repeated in all that it encloses
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


EXTENSIONS = frozenset({"js", "jsx", "mjs", "cjs", "ts", "mts", "cts", "tsx"})


def tests(source: Source) -> dict[str, str]:
    """By title path, a fingerprint of the function; a second one of that title is `title #2`."""
    root = script_root(source)
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name, body in () if root.has_error else _calls(root):
        counts[name] = counts.get(name, 0) + 1
        found[name if counts[name] == 1 else f"{name} #{counts[name]}"] = body
    return found


def _calls(root: Node) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[Node, tuple[str, ...], int]] = [(root, (), 0)]
    while waiting:
        node, path, around = waiting.pop()
        call = _test_call(node) if node.type == "call_expression" else None
        if call and len(path) < _MOST_DEPTH:
            callee, title, function = call
            path = (*path, title)
            if _kind(callee) in _TESTS and around <= _MOST_TESTS_AROUND:
                around += 1
                yield " > ".join(path), fingerprint(chain(_table(callee), _words(function)))
            node = function
        waiting += [(child, path, around) for child in reversed(node.children)]


def _test_call(node: Node) -> tuple[Node, str, Node] | None:
    """What is called, its title and its function; None if it is not about a test."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if not callee or not arguments or not _kind(callee):
        return None
    given = [child for child in arguments.named_children if child.type not in _COMMENTS]
    functions = [child for child in given[1:] if child.type in _FUNCTIONS]
    return (callee, _title(given[0]), functions[-1]) if functions else None


def _kind(callee: Node) -> str:
    """`describe`, `it`, … for `it`, `it.only`, `it.each(table)`, `t.test`; else empty."""
    names = _names(callee)
    first = names[0] if names else ""
    while names and names[-1] in _MODIFIERS:
        names.pop()
    last = names[-1] if names else ""
    known = last in _GROUPS | _TESTS and (len(names) <= 2 or first in _TESTS)  # noqa: PLR2004
    return last if known else ""


def _names(callee: Node) -> list[str]:
    names: list[str] = []
    node: Node | None = callee
    while node:
        if node.type == "identifier":
            return [text(node), *reversed(names)]
        if node.type == "member_expression":
            names.append(text(node.child_by_field_name("property") or node))
            node = node.child_by_field_name("object")
        else:
            node = node.child_by_field_name("function") if node.type == "call_expression" else None
    return []


def _table(callee: Node) -> Iterator[str]:
    """The cases of `it.each(cases)(…)`: they are part of what is tested."""
    arguments = (
        callee.child_by_field_name("arguments") if callee.type == "call_expression" else None
    )
    return _words(arguments) if arguments else iter(())


def _words(node: Node) -> Iterator[str]:
    return tokens(node, verbatim=_VERBATIM, dropped=_COMMENTS)


def _title(node: Node) -> str:
    whole = text(node)
    if node.type not in {"string", "template_string"}:
        return whole[:_MOST_TITLE]
    return _ESCAPE.sub(_unescaped, whole[1:-1])[:_MOST_TITLE]


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPES.get(found[4], found[4])
    return chr(min(int(code, 16), 0x10FFFF))
