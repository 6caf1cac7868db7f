"""Tests in shell: bats' `@test "name" { … }`, functions, and commands that are given a title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from goalkeeper.tamper.identity.tokens import fingerprint, tokens
from goalkeeper.tamper.syntax import Source, shell_root, shell_text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_BATS_TEST = re.compile(r"^[ \t]*@test[ \t]+(\S.*?)[ \t]+\{[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_SHEBANG = re.compile(r"#!.*\b(?:ba|da|k|z)?sh\b")
_VERBATIM = frozenset({"string", "raw_string", "ansi_c_string", "concatenation", "heredoc_body"})
_DROPPED = frozenset({"comment", "\n", ";"})
_MOST_PARTS = 20  # of a command with a title; each is read for each


def is_script(source: Source) -> bool:
    return bool(_SHEBANG.match(source.text))


def tests(source: Source) -> dict[str, str]:
    """By name, a fingerprint of the body."""
    titles: list[str] = []

    def as_function(found: re.Match[str]) -> str:
        titles.append(_unquoted(found[1]))
        return f"__bats_test_{len(titles) - 1}__() {{"

    root = shell_root(Source(source.path, _BATS_TEST.sub(as_function, source.text)))
    names = {f"__bats_test_{number}__": title for number, title in enumerate(titles)}
    if root.has_error:
        return {}
    functions = {
        names.get(name, name): fingerprint(_words(body)) for name, body in _functions(root)
    }
    return {**_titled(root), **functions}


def _titled(root: Node) -> dict[str, str]:
    """`is "$(clean 1.2.3)" "v1.2.3" "a tag gets its v"`: what a title stands for is the rest."""
    found = {}
    for command in walk(root):
        parts = command.children
        if command.type != "command" or len(parts) > _MOST_PARTS:
            continue
        for title in parts:
            if title.type in {"string", "raw_string"}:
                rest = chain.from_iterable(_words(part) for part in parts if part != title)
                found[_unquoted(shell_text(title))] = fingerprint(rest)
    return found


def _words(node: Node) -> Iterator[str]:
    return tokens(node, verbatim=_VERBATIM, dropped=_DROPPED)


def _functions(root: Node) -> list[tuple[str, Node]]:
    found = []
    for node in root.children:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type == "function_definition" and name and body:
            found.append((shell_text(name), body))
    return found


def _unquoted(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name
