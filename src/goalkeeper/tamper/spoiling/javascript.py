"""Spoils tests of JavaScript and TypeScript: node:test, jest, vitest, mocha, ava, tap.

A test whose expectations cannot be read fails at its end. A test that passes and has no `return`
comes there, whatever it asserts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.javascript.tests import MOST_DEPTH, read_test_call
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.script.asserts import AssertionSpoiler, SpoiltAssertion
from goalkeeper.tamper.spoiling.script.libraries import Libraries, Make
from goalkeeper.tamper.spoiling.script.scope import FUNCTION_TYPES, ScriptScope, parameters_of
from goalkeeper.tamper.spoiling.script.titles import TitleReader
from goalkeeper.tamper.spoiling.script.values import ScriptValues
from goalkeeper.tamper.spoiling.script.way import Step, StraightWay, may_leave
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, field, script_root, text, walk
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_NAMES = 2000  # tables in tables name so many tests at most
MOST_HELPERS = 3  # helpers that call helpers are followed so deep
_TYPED = late_pattern(r".*\.[cm]?tsx?")
_NOT_COUNTED = frozenset({"skip", "todo", "failing", "fails", "fixme", "skipIf", "runIf"})
_OPTION = late_pattern(r"\b(?:skip|todo|fails|failing|expectFailure)\b\s*[:,}]\s*(?!false)")


_BY_VALUE = ""  # a test fails because an assertion of it was changed


class _FoundTest(Value):
    names: tuple[str, ...]
    function: Node | None
    counts: bool  # it runs, and a report calls it by these names
    holds_tests: bool = False


class _Surroundings(Value):
    titles: tuple[str, ...] = ()
    names: tuple[str, ...] | None = ("",)  # all names that reports may have for it, if known
    counts: bool = True


def spoil_javascript(text: str, seed: str, *, path: str) -> SpoiltFile | None:
    """Change what the tests of a file expect; None if it holds no test, or cannot be read.

    A name stands for all tests of that name in the file. Those that only fail at their end are
    both spoilt and left.
    """
    try:
        top = script_root(Source(path, text))
    except RecursionError:
        return None
    if top.has_error:
        return None
    file = _ScriptFile(top, Chooser(seed, path), is_typed=bool(_TYPED.fullmatch(path)))
    tests = list(_find_tests(top, file.scope))
    if not tests:
        return None
    spoilt: list[str] = []
    left: list[str] = []
    golden: list[tuple[str, str]] = []
    unsure: set[str] = set()
    for test in tests:
        ways = file.spoil_test(test.function) if test.function is not None else set()
        is_read = _BY_VALUE in ways
        is_ended = not (ways or test.holds_tests) and file.spoil_end(test.function)
        if test.counts and (is_read or is_ended):
            spoilt += test.names
        elif test.counts and ways:
            golden += [(min(ways), name) for name in test.names]
        elif not test.holds_tests:
            unsure |= {*test.names}
        if not (test.holds_tests or (ways and test.counts)):
            left += test.names
    sure = tuple(dict.fromkeys(name for name in spoilt if name not in unsure))
    files = tuple(dict.fromkeys(each for each in golden if each[1] not in {*unsure, *sure}))
    told = tuple(dict.fromkeys(left))
    return SpoiltFile(apply_changes(text, file.changes), sure, told, files)


def _find_tests(top: Node, scope: ScriptScope) -> Iterator[_FoundTest]:
    titles = TitleReader(scope)
    waiting = [(top, _Surroundings())]
    while waiting:
        node, place = waiting.pop()
        call = read_test_call(node)
        if call is not None and call.title is not None and len(place.titles) < MOST_DEPTH:
            counts = place.counts and not _is_switched(node, call.kind, call.marks)
            names = _join_names(place.names, titles.read(node, call.function))
            place = _Surroundings((*place.titles, call.title), names, counts)
            if not call.is_group:
                holds = call.function is not None and _holds_tests(call.function)
                told = names or (" > ".join(place.titles),)
                is_sure = counts and names is not None
                yield _FoundTest(told, call.function, is_sure, holds)
            node = call.function or node
        elif node.type in FUNCTION_TYPES and not _is_called_here(node, scope):
            place = place.replace(counts=False)
        waiting += [(child, place) for child in reversed(node.children)]


def _join_names(outer: tuple[str, ...] | None, inner: list[str] | None) -> tuple[str, ...] | None:
    if outer is None or inner is None or len(outer) * len(inner) > MOST_NAMES:
        return None
    return tuple(f"{one} > {other}" if one else other for one in outer for other in inner)


def _is_switched(call: Node, kind: str, marks: tuple[str, ...]) -> bool:
    """Return whether the test may be skipped, or may be meant to fail."""
    if kind.startswith("x") or not _NOT_COUNTED.isdisjoint(marks):
        return True
    options = [each for each in arguments_of(call)[1:] if each.type not in FUNCTION_TYPES]
    return any(each.type != "object" or _OPTION.search(text(each)) for each in options)


def _is_generator(function: Node) -> bool:
    return function.type.startswith("generator")


def _holds_tests(function: Node) -> bool:
    return any(
        (call := read_test_call(node)) is not None and call.title is not None
        for node in walk(function)
    )


def _is_called_here(function: Node, scope: ScriptScope) -> bool:
    """Return whether a function is given to a call, or only called outside of all functions.

    Only then is it known in which groups the tests are that it makes.
    """
    parent = function.parent
    if parent is not None and parent.type in {"arguments", "parenthesized_expression"}:
        return True
    calls = scope.find_calls(function)
    return bool(calls) and not any(map(_is_in_function, calls or ()))


def _is_in_function(node: Node) -> bool:
    here = node.parent
    while here is not None and here.type not in FUNCTION_TYPES:
        here = here.parent
    return here is not None


class _ScriptFile:
    """One file while its tests are spoilt."""

    def __init__(self, top: Node, chooser: Chooser, *, is_typed: bool) -> None:
        self.scope = ScriptScope(top)
        values = ScriptValues(chooser, is_typed=is_typed)
        self._libraries = Libraries(self.scope)
        self._spoiler = AssertionSpoiler(chooser.place, self.scope, self._libraries, values)
        self._way = StraightWay(self.scope)
        self.changes: dict[Change, int] = {}
        self._done: dict[int, SpoiltAssertion | None] = {}
        for node in walk(top):
            if node.type == "call_expression":
                compared = self._spoiler.list_compared(node)
                self._spoiler.expected |= {each.start_byte for each in compared}

    def spoil_test(self, function: Node) -> set[str]:
        """Spoil all assertions of a test; return by what it surely fails: a value, or files."""
        ways = self._spoil_steps(self._way.find_steps(function), 0)
        for done in self._name_ending(function)[:1]:
            ways |= self._spoil_steps(self._way.find_last_steps(function, done), 0)
        for node in walk(function):
            if node.type in {"call_expression", "member_expression"}:
                self._spoil_assertion(node)
        return ways

    def spoil_end(self, function: Node | None) -> bool:
        """Let a test fail at its end; return whether it surely comes there."""
        body = field(function, "body") if function is not None else None
        is_plain = body is not None and body.type == "statement_block"
        if function is None or body is None or not is_plain or _is_generator(function):
            return False
        names = [text(each) for each in parameters_of(function)]
        used = {text(node) for node in walk(body) if node.type == "identifier"}
        if not used.isdisjoint(self._name_ending(function)) or any(
            map(may_leave, body.named_children)
        ):
            return False
        by_context = names and not self._libraries.contexts.isdisjoint({Make.AVA, Make.TAP})
        fail = f"{names[0]}.fail()" if by_context else "throw new Error()"
        at = body.end_byte - 1
        return self._add(SpoiltAssertion((Change(at, at, f";{fail} "),)), body.id)

    def _name_ending(self, function: Node) -> list[str]:
        """Return the parameters by which a test may say that it is done."""
        names = [text(each) for each in parameters_of(function)]
        return names[1:] if self._libraries.contexts else names

    def _spoil_steps(self, steps: Iterable[Step], depth: int) -> set[str]:
        ways: set[str] = set()
        for step in steps:
            found = self._spoil_assertion(step.node)
            if found is not None:
                ways |= {found.golden} if step.is_awaited or not found.is_later else set()
            elif depth < MOST_HELPERS and step.node.type == "call_expression":
                ways |= self._spoil_helper(step, depth)
        return ways

    def _spoil_helper(self, step: Step, depth: int) -> set[str]:
        name = field(step.node, "function")
        helper = self.scope.find_function(name) if name is not None else None
        if helper is None:
            return set()
        is_async = any(each.type == "async" for each in helper.children)
        ways = self._spoil_steps(self._way.find_steps(helper), depth + 1)
        return ways if step.is_awaited or not is_async else set()

    def _spoil_assertion(self, node: Node) -> SpoiltAssertion | None:
        """Spoil an assertion once, and only if no other one has changed the same place."""
        if node.id in self._done:
            return self._done[node.id]
        found = self._spoiler.spoil(node)
        if found is not None and not self._add(found, node.id):
            found = None
        self._done[node.id] = found
        return found

    def _add(self, found: SpoiltAssertion, owner: int) -> bool:
        if all(change in self.changes for change in found.changes):
            return True  # several assertions share an expectation
        for change in found.changes:
            for other in self.changes:
                if change.start <= other.end and other.start <= change.end and change != other:
                    return False
        self.changes |= dict.fromkeys(found.changes, owner)
        return True
