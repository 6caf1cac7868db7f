"""Tests in shell: bats' `@test "name" { … }`, functions, and commands that are given a title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.witness.identity.tokens import fingerprint, parsed, text, tokens

if TYPE_CHECKING:
    from tree_sitter import Node

_BATS_TEST = re.compile(rb"^[ \t]*@test[ \t]+(\S.*?)[ \t]+\{[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_SHEBANG = re.compile(rb"#!.*\b(?:ba|da|k|z)?sh\b")
_VERBATIM = frozenset({"string", "raw_string", "ansi_c_string", "concatenation", "heredoc_body"})
_DROPPED = frozenset({"comment", "\n", ";"})


def is_script(source: bytes) -> bool:
    return bool(_SHEBANG.match(source))


def tests(source: bytes) -> dict[str, str]:
    """By name, a fingerprint of the body."""
    titles: list[str] = []

    def as_function(found: re.Match[bytes]) -> bytes:
        titles.append(_unquoted(found[1].decode(errors="replace")))
        return b"__bats_test_%d__() {" % (len(titles) - 1)

    root = parsed(_BATS_TEST.sub(as_function, source), _bash)
    names = {f"__bats_test_{number}__": title for number, title in enumerate(titles)}
    if root is None:
        return {}
    functions = {
        names.get(name, name): fingerprint(tokens(body, verbatim=_VERBATIM, dropped=_DROPPED))
        for name, body in _functions(root)
    }
    return {**_titled(root), **functions}


def _titled(root: Node) -> dict[str, str]:
    """`is "$(clean 1.2.3)" "v1.2.3" "a tag gets its v"`: what a title stands for is the rest."""
    found = {}
    for command in _commands(root):
        for title in command.children:
            if title.type in {"string", "raw_string"}:
                rest = [
                    word
                    for part in command.children
                    if part != title
                    for word in tokens(part, verbatim=_VERBATIM, dropped=_DROPPED)
                ]
                found[_unquoted(text(title))] = fingerprint(rest)
    return found


def _commands(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "command":
            yield node
        waiting += node.children


def _bash() -> object:
    import tree_sitter_bash  # noqa: PLC0415  dear, and not always needed

    return tree_sitter_bash.language()


def _functions(root: Node) -> list[tuple[str, Node]]:
    found = []
    for node in root.children:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if node.type == "function_definition" and name and body:
            found.append((text(name), body))
    return found


def _unquoted(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name
