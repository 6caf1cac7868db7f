"""Names and places of a test script, as the root of its tree knows them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from goalkeeper.tamper.source import folder
from goalkeeper.tamper.syntax import field, shell_text, text
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

# How a script says in which folder it lies.
_OWN = r"""(?:\$0|"\$0"|"?\$\{?BASH_SOURCE(?:\[0\])?\}?"?|"?\$\{BASH_SOURCE\[0\]:-\$0\}"?)"""
_HERE = late_pattern(
    rf"\$\(\s*dirname\s+(?:--\s+)?{_OWN}\s*\)|\$\{{0%/\*\}}|\$\{{BASH_SOURCE(?:\[0\])?%/\*\}}"
    r"|\$\{?BATS_TEST_DIRNAME\}?"
)
_ENTERED = late_pattern(
    r"""\$\(\s*(?:CDPATH=\S*\s+)?cd\s+(?:-P\s+|--\s+)*["']?([\w@/.-]+)["']?\s*(?:>\s*/dev/null\s*)?"""
    r"""(?:2>&1\s*)?&&\s*pwd(?:\s+-P)?\s*\)"""
)
_NAMED = late_pattern(r"\$(?:\{(\w+)\}|(\w+))")
_PLAIN = late_pattern(r"""[^$`\\"'\n]*""")
_MARK = "@here@"


class ScriptPlaces:
    """What names of a script stand for, if that is written out, or is a place in the tree."""

    def __init__(self, top: Node, path: str) -> None:
        self._folder = folder(path) or "."
        self.names: dict[str, str] = {}
        for node in top.named_children:
            for each in _find_assignments(node):
                name, value = text(field(each, "name")), field(each, "value")
                told = self.resolve(shell_text(value)) if value is not None else ""
                self.names.pop(name, None)
                if told is not None:
                    self.names[name] = told

    def resolve(self, word: str) -> str | None:
        """Return what a word says, seen from the root; None if only a run can tell."""
        if len(word) > 1 and word[0] == word[-1] == "'" and "'" not in word[1:-1]:
            return word[1:-1]
        told = _HERE.sub(_MARK, word)
        told = _NAMED.sub(self._write_name, told)
        if len(told) > 1 and told[0] == told[-1] == '"':
            told = told[1:-1]
        told = _ENTERED.sub(lambda found: found[1], told.replace('"', ""))
        if not _PLAIN.fullmatch(told):
            return None
        if _MARK not in told:
            return told
        place = posixpath.normpath(told.replace(_MARK, self._folder))
        return place if "/" in place or place == "." else f"./{place}"

    def _write_name(self, found: re.Match[str]) -> str:
        return self.names.get(found[1] or found[2], found[0])


def _find_assignments(node: Node) -> Iterator[Node]:
    """Yield the assignments of a statement at the top, also `export A=b`."""
    if node.type == "variable_assignment":
        yield node
    elif node.type in {"declaration_command", "variable_assignments"}:
        yield from (each for each in node.named_children if each.type == "variable_assignment")


def quote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def write_names(names: Mapping[str, str]) -> Iterator[str]:
    return (f"{name}={quote(value)}" for name, value in names.items())
