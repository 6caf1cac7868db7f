"""Finds which names of a test file are words of an assertion library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from goalkeeper.tamper.spoiling.script.scope import Declaration, ScriptScope, parameters_of
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node


class Make(StrEnum):
    """Who made an assertion: the same words differ a little."""

    NODE = "node"
    CHAI = "chai"
    UVU = "uvu"
    AVA = "ava"
    TAP = "tap"  # tap, tape, QUnit
    EXPECT = "expect"  # expect of jest, vitest, chai
    ANY = "any"  # a global `assert`, which may be node's or chai's


_MODULES = {
    "assert": Make.NODE,
    "assert/strict": Make.NODE,
    "power-assert": Make.NODE,
    "chai": Make.CHAI,
    "uvu/assert": Make.UVU,
    "vitest": Make.CHAI,
    "expect": Make.EXPECT,
    "@jest/globals": Make.EXPECT,
    "bun:test": Make.EXPECT,
    "@playwright/test": Make.EXPECT,
    "expect.js": Make.EXPECT,
    "tap": Make.TAP,
    "tape": Make.TAP,
}
_CONTEXTS = {
    "ava": Make.AVA,
    "tap": Make.TAP,
    "tape": Make.TAP,
    "tape-catch": Make.TAP,
    "test": Make.NODE,
    "qunit": Make.TAP,
}
_REQUIRED = late_pattern(r"require\(['\"]([^'\"]+)['\"]\)((?:\.\w+)*)")
_MEMBER = late_pattern(r"(\w+)((?:\.\w+)+)")


class Libraries:
    def __init__(self, scope: ScriptScope) -> None:
        self._scope = scope
        self._known: dict[int, tuple[Make, str] | None] = {}
        modules = set(_find_modules(scope.top))
        self.contexts = {_CONTEXTS[each] for each in modules if each in _CONTEXTS}
        if re.search(r"\bQUnit\.", text(scope.top)):
            self.contexts.add(Make.TAP)
        self.is_tape = bool(modules & {"tape", "tape-catch"})

    def find_make(self, root: Node) -> tuple[Make, str] | None:
        """Return who made the word, and its own name there (empty for the whole library)."""
        name = text(root)
        declared = self._scope.find_declaration(root)
        if declared is None:
            return {"expect": (Make.EXPECT, "expect"), "assert": (Make.ANY, "")}.get(name)
        if declared.key not in self._known:
            self._known[declared.key] = self._find_declared(declared)
        return self._known[declared.key]

    def _find_declared(self, declared: Declaration) -> tuple[Make, str] | None:
        owner = declared.owner
        if owner.type == "import_statement":
            module = text(field(owner, "source")).strip("'\"")
            parent = declared.name.parent
            is_named = parent is not None and parent.type == "import_specifier"
            own = text(field(parent, "name")) if parent is not None and is_named else ""
            return _name_word(module, own)
        if owner.type == "variable_declarator":
            return self._find_required(declared)
        names = [each for each in parameters_of(owner)[:1] if each == declared.name]
        if names and len(self.contexts) == 1:
            return next(iter(self.contexts)), "context"
        return None

    def _find_required(self, declared: Declaration) -> tuple[Make, str] | None:
        pattern, value = field(declared.owner, "name"), text(field(declared.owner, "value"))
        own = ""
        if pattern is not None and pattern.type == "object_pattern":
            parent = declared.name.parent
            is_pair = parent is not None and parent.type == "pair_pattern"
            own = text(field(parent, "key") if parent and is_pair else declared.name)
        if found := _REQUIRED.fullmatch(value):
            return _name_word(found[1], own or found[2].rpartition(".")[2])
        if found := _MEMBER.fullmatch(value):
            holder = field(declared.owner, "value", "object")
            made = self.find_make(holder) if holder and holder.type == "identifier" else None
            return _name_own(made[0], own or found[2].rpartition(".")[2]) if made else None
        holder = field(declared.owner, "value")
        if own and holder is not None and holder.type == "identifier":
            made = self.find_make(holder)
            return _name_own(made[0], own) if made else None
        return None


def _find_modules(top: Node) -> Iterator[str]:
    for node in walk(top):
        if node.type == "import_statement":
            yield text(field(node, "source")).strip("'\"").removeprefix("node:")
        elif node.type == "call_expression" and (found := _REQUIRED.fullmatch(text(node)[:200])):
            yield found[1].removeprefix("node:")


def _name_word(module: str, own: str) -> tuple[Make, str] | None:
    make = _MODULES.get(module.removeprefix("node:"))
    return _name_own(make, own) if make is not None else None


def _name_own(make: Make, own: str) -> tuple[Make, str] | None:
    """Return a word under the name that the library gives it."""
    if own == "expect" or make is Make.EXPECT:
        return (Make.EXPECT, "expect") if own in {"expect", "", "default"} else None
    if own in {"assert", "strict", "default", ""}:
        return make, ""
    return (make, own) if make in {Make.NODE, Make.UVU, Make.CHAI} else None
