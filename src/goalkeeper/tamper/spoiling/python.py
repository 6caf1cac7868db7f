"""Spoils Python tests: literals that are compared with, rows of parameters, expected exceptions.

A test whose expectations cannot be read gets an assertion at its end that cannot hold. A test that
passes and has no `return` comes to its end, so it must fail then, whatever it asserts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.spoiling.expectations import (
    FUNCTIONS,
    RAISES,
    Function,
    find_expected,
    find_expected_names,
    find_leaves,
    find_rows,
    is_exception,
    is_spoilable,
    is_written,
    name_of_call,
    walk_own,
    walk_straight,
)
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.values import Chooser, change_text

_SHORT = 6
_UNLIKELY = ("BufferError", "FloatingPointError", "StopAsyncIteration")
_WORDS = ("left", "other")  # they stay unlike: their lengths differ
_END = re.compile(rb"[ \t]*(#[^\n]*)?\r?(\n|$)")


def spoil_python(
    text: str, seed: str, *, path: str = "", golden: Sequence[str] = ()
) -> SpoiltFile | None:
    """Return the test file with other expectations; None if it has no tests that can be read.

    `golden` are names of expected files that are changed beside it.
    """
    module = parse_python(text)
    tests = dict(_find_tests(module, ())) if module else {}
    if module is None or not tests:
        return None
    spoiler = _Spoiler(text, Chooser(seed, path), module, frozenset(golden))
    spoilt, left = [], []
    for name, function in tests.items():
        is_read = spoiler.spoil_function(function)
        if not is_read:
            left.append(name)
        if is_read or spoiler.spoil_end(function):
            spoilt.append(name)
    return SpoiltFile(spoiler.render(), tuple(spoilt), tuple(left))


def _find_tests(node: ast.AST, classes: tuple[str, ...]) -> Iterator[tuple[str, Function]]:
    """Return the tests by name; the last one of a name is the one that counts."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _find_tests(child, (*classes, child.name))
        elif isinstance(child, FUNCTIONS) and child.name.startswith("test"):
            yield "::".join((*classes, child.name)), child
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _find_tests(child, classes)


class _Spoiler:
    """Collects the edits of one file."""

    def __init__(
        self, text: str, chooser: Chooser, module: ast.Module, golden: frozenset[str]
    ) -> None:
        self._data = text.encode()
        self._chooser = chooser
        self._golden = golden
        self._lines = [0]
        for line in self._data.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._edits: dict[int, tuple[int, bytes]] = {}
        self._constants = find_expected_names(module, module.body)

    def render(self) -> str:
        made, done = [], 0
        for start, (end, new) in sorted(self._edits.items()):
            made += [self._data[done:start], new]
            done = end
        return b"".join([*made, self._data[done:]]).decode()

    def spoil_function(self, function: Function) -> bool:
        """Change what a test expects on its straight way; return whether anything was."""
        named = {**self._constants, **find_expected_names(function, function.body)}
        rows = find_rows(function)
        found = False
        for node in walk_straight(function.body):
            for expected in find_expected(node):
                found |= self._spoil_expected(expected, named, rows)
            found |= self._spoil_call(node)
        return found or self._compares_with_golden(function)

    def _spoil_expected(
        self, node: ast.expr, named: dict[str, ast.expr], rows: dict[str, list[ast.expr]]
    ) -> bool:
        if not isinstance(node, ast.Name):
            return self._spoil_value(node)
        values = rows.get(node.id) or ([named[node.id]] if node.id in named else [])
        # All rows or none: a row that stays as it is would pass, rightly.
        if not values or not all(map(is_spoilable, values)):
            return False
        for value in values:
            self._spoil_value(value)
        return True

    def _spoil_value(self, node: ast.expr) -> bool:
        leaves = [*find_leaves(node)] if is_written(node) else []
        for leaf in leaves:
            self._replace(leaf, repr(_make_other(leaf.value, self._chooser.at(_place(leaf)))))
        return bool(leaves)

    def _spoil_call(self, node: ast.expr | ast.stmt) -> bool:
        """Change the exception that a call expects."""
        calls = [item.context_expr for item in node.items] if isinstance(node, ast.With) else []
        calls += [node.value] if isinstance(node, ast.Expr) else []
        found = False
        for call in calls:
            name = name_of_call(call)
            if not isinstance(call, ast.Call) or not call.args:
                continue
            if name in RAISES and is_exception(call.args[0]):
                drawn = self._chooser.draw(len(_UNLIKELY), _place(call))
                self._replace(call.args[0], _UNLIKELY[drawn])
                found = True
        return found

    def _compares_with_golden(self, function: Function) -> bool:
        """Return whether a test compares with the contents of a file that is changed."""
        named = {
            node.value.rsplit("/", 1)[-1]
            for node in ast.walk(function)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        if named.isdisjoint(self._golden):
            return False
        return any(
            isinstance(node, ast.Assert)
            and isinstance(node.test, ast.Compare)
            and isinstance(node.test.ops[0], ast.Eq)
            for node in walk_straight(function.body)
        )

    def spoil_end(self, function: Function) -> bool:
        """Add an assertion that cannot hold to the end; False if the end may not be reached."""
        inner = [*walk_own(function)]
        if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in inner):
            return False
        last, first = function.body[-1], function.body[0]
        if first.lineno == function.lineno or _END.match(self._data, self._end(last)) is None:
            return False  # it stands on one line, or something follows on its last
        start = self._lines[first.lineno - 1]
        indent = self._data[start : start + first.col_offset]
        if indent.strip():
            return False
        ended = _END.match(self._data, self._end(last))
        place = ended.end() if ended else self._end(last)
        one, other = (change_text(word, self._chooser.at(function.name)) for word in _WORDS)
        line = indent + f'assert "{one}" == "{other}"\n'.encode()
        if not self._data[:place].endswith(b"\n"):
            line = b"\n" + line
        end, more = self._edits.get(place, (place, b""))
        self._edits[place] = (end, line + more)
        return True

    def _replace(self, node: ast.expr, new: str) -> None:
        self._edits[self._offset(node.lineno, node.col_offset)] = (self._end(node), new.encode())

    def _end(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int | None, column: int | None) -> int:
        return self._lines[(line or 1) - 1] + (column or 0)


def _place(node: ast.expr) -> str:
    return f"{node.lineno}:{node.col_offset}"


def _make_other(value: object, chooser: Chooser) -> object:
    match value:
        case int():
            return chooser.choose_number()
        case float():
            return value * (2 + chooser.draw(5, "times")) + 1.25 + chooser.draw(7, "more")
        case bytes():
            return _change_or_add(value.decode("latin-1"), chooser).encode("latin-1")
        case _:
            return _change_or_add(str(value), chooser)


def _change_or_add(text: str, chooser: Chooser) -> str:
    """Return another text; a short one gets longer, so that no other test's answer fits it."""
    other = change_text(text, chooser)
    # Letters of other scripts stay as they are.
    is_short = sum(map(str.__ne__, text, other)) < _SHORT
    return other + chooser.choose_letters(_SHORT) if is_short else other
