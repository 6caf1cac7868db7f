"""Reads the questions of a test that is written in shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from goalkeeper.tamper.questions.model import (
    NEIGHBOURS,
    Question,
    QuestionSheet,
    ReadText,
    read_nothing,
)
from goalkeeper.tamper.questions.neighbours import (
    RESIZED,
    change_text_a_little,
    choose_leaves,
    resize_text,
)
from goalkeeper.tamper.questions.sh.commands import ShellCommandReader, find_commands, list_words
from goalkeeper.tamper.questions.sh.places import ScriptPlaces, quote, write_names
from goalkeeper.tamper.questions.sh.program import APART, BASH
from goalkeeper.tamper.source import has_shell_bang
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.sh.conditions import find_name
from goalkeeper.tamper.spoiling.sh.words import find_golden, read_text
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, field, line, shell_root, text, walk
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_TEXT = 400
_LEAST_DIGITS = 2
_EQUAL = frozenset({"=", "==", "-eq", "!="})
_NAMED = late_pattern(r".*\.(?:sh|bash|bats|ksh|zsh)|[^.]*")
_BASH = late_pattern(r"#!.*\bbash\b")
# Functions by these names do not ask whether two texts are the same.
_OTHERWISE = late_pattern(
    r".*(?:like|match|contain|regex|grep|include|start|end|not|n[o']?t_?eq|isnt|differ|_ne\b).*",
    re.IGNORECASE,
)
_PROSE = late_pattern(r"[^0-9]*[a-z][^0-9]* [^0-9]*")
_MOST_WORDS = 3
_GROWN = 4
_RUN = frozenset({"command", "pipeline", "redirected_statement"})
_NO_OUTPUT = late_pattern(r"1?>\s*/dev/null")


class _AskedPair(Value):
    asked: Node  # a substitution
    wanted: Node
    at: Node


def is_shell_test(path: str) -> bool:
    """Return whether a file may be a script, by its name."""
    return bool(_NAMED.fullmatch(path.rsplit("/", 1)[-1]))


def read_shell_questions(
    source: str, path: str, chooser: Chooser, _: ReadText = read_nothing
) -> QuestionSheet | None:
    """Return the questions of a script, and what it sources; None if it has neither.

    Scripts of a suite share what one of them sources.
    """
    if "." not in path.rsplit("/", 1)[-1] and not has_shell_bang(Source(path, source)):
        return None
    try:
        top = shell_root(Source(path, source))
    except RecursionError:
        return None
    if top.has_error:
        return None
    reader = _ScriptReader(top, path, chooser)
    questions = tuple(reader.find_questions())
    head = tuple(reader.write_head(is_bash=bool(_BASH.match(source)) or path.endswith("bash")))
    functions = tuple(reader.write_functions())
    return QuestionSheet(path, head, questions, functions) if head or questions else None


class _ScriptReader:
    def __init__(self, top: Node, path: str, chooser: Chooser) -> None:
        self._top = top
        self._chooser = chooser
        self._places = ScriptPlaces(top, path)
        self._functions = {
            text(field(node, "name")): node
            for node in walk(top)
            if node.type == "function_definition"
        }
        self._commands = ShellCommandReader(self._functions, self._places)
        self._asked: set[str] = set()
        self._used: dict[str, None] = {}

    def find_questions(self) -> Iterator[Question]:
        for pair in self._find_pairs():
            call = _write_call(pair.asked, ())
            wanted = self._write_wanted(pair.wanted)
            is_new = call not in self._asked and len(call) <= _MOST_TEXT
            if wanted is None or not is_new or not self._commands.can_be_asked(pair.asked):
                continue
            self._asked.add(call)
            self._used |= dict.fromkeys(self._commands.list_functions(pair.asked))
            yield self._make_question(pair, call, wanted)

    def write_functions(self) -> Iterator[tuple[str, str]]:
        """Write the functions of the script that questions need, with the product in and apart."""
        for name in self._used:
            body = self._functions[name]
            apart = apply_changes(text(body), self._set_apart(body) or ())
            yield _decode(text(body)), _decode(apart)

    def _set_apart(self, body: Node) -> list[Change] | None:
        """Return changes that call the product in a process of its own; None if it cannot be."""
        starts = self._commands.find_starts(body)
        if starts is None:
            return None
        places = [start - body.start_byte for start in starts]
        made = [Change(place, place, f"{APART} ") for place in places]
        if body.type == "command_substitution":
            return made
        # Where a test throws the output away, somebody may look at it here.
        return made + [
            Change(each.start_byte - body.start_byte, each.end_byte - body.start_byte, "")
            for each in walk(body)
            if each.type == "file_redirect" and _NO_OUTPUT.fullmatch(text(each))
        ]

    def write_head(self, *, is_bash: bool) -> Iterator[str]:
        """Write what the questions need: names and sourced files."""
        if is_bash:
            yield BASH
        if self._asked:
            yield from write_names(self._places.names)
        for command in find_commands(self._top):
            words = command.named_children[1:]
            if text(field(command, "name")) in {".", "source"} and words:
                place = self._places.resolve(text(words[0]))
                if place:
                    yield f". {quote(place if '/' in place else f'./{place}')}"

    def _write_wanted(self, node: Node) -> str | None:
        """Write a word for what is expected: a literal, or what a golden file holds."""
        golden = find_golden(node)
        if golden:
            return f'"$(cat {quote(golden)})"'
        said = read_text(node)
        return quote(_decode(said)) if said is not None else None

    def _find_pairs(self) -> Iterator[_AskedPair]:
        for node in walk(self._top):
            if node.type == "binary_expression" and len(node.children) == 3:  # noqa: PLR2004
                one, operator, other = node.children
                if text(operator) in _EQUAL:
                    yield from self._order(one, other, node)
            elif node.type == "command":
                yield from self._read_command(node)

    def _order(self, one: Node, other: Node, at: Node) -> Iterator[_AskedPair]:
        for got, wanted in ((one, other), (other, one)):
            asked = self._find_asked(got)
            if asked is not None and not find_golden(got):
                yield _AskedPair(asked, wanted, at)
                return

    def _find_asked(self, word: Node) -> Node | None:
        """Return the substitution that a word consists of, or that its name was set to, once."""
        inner = word
        while inner.type == "string" and len(inner.named_children) == 1:
            inner = inner.named_children[0]
        if inner.type == "command_substitution":
            return inner if text(inner).startswith("$(") else None
        name = find_name(word)
        return self._assigned.get(name) or self._statuses.get(name)

    @cached_property
    def _statuses(self) -> dict[str, Node]:
        """Return the commands whose statuses names were set to, once: `… || status=$?`."""
        found: dict[str, list[Node]] = {}
        for node in walk(self._top):
            if node.type == "variable_assignment":
                found.setdefault(text(field(node, "name")), []).append(node)
        made = {}
        for name, nodes in found.items():
            told = [each for each in nodes if text(field(each, "value")) == "$?"]
            others = [text(field(each, "value")) for each in nodes if each not in told]
            before = told[0].prev_named_sibling if len(told) == 1 else None
            if before is not None and before.type in _RUN and all(map(str.isdigit, others)):
                made[name] = before
        return made

    @cached_property
    def _assigned(self) -> dict[str, Node]:
        found: dict[str, list[Node | None]] = {}
        for node in walk(self._top):
            if node.type == "variable_assignment":
                found.setdefault(text(field(node, "name")), []).append(field(node, "value"))
        pairs = ((name, values[0]) for name, values in found.items() if len(values) == 1)
        return {
            name: value
            for name, value in pairs
            if value is not None and value.type == "command_substitution"
        }

    def _read_command(self, node: Node) -> Iterator[_AskedPair]:
        """Read `test a = b`, and a function of the tests that is given both."""
        name, words = text(field(node, "name")), node.named_children[1:]
        if name == "test" and len(words) == _MOST_WORDS and text(words[1]) in _EQUAL:
            yield from self._order(words[0], words[2], node)
        elif self._may_compare(name) and 1 < len(words) <= _MOST_WORDS:
            places = [n for n, each in enumerate(words) if self._find_asked(each)]
            asked = [n for n in places if not find_golden(words[n])]
            others = [n for n in range(len(words)) if n not in asked]
            if len(asked) != 1:
                return
            wanted = others[0] if len(others) == 1 else self._choose_wanted(name, asked[0])
            found = self._find_asked(words[asked[0]])
            if found is not None:
                yield _AskedPair(found, words[wanted], node)

    @staticmethod
    def _may_compare(name: str) -> bool:
        return name not in list_words("standard") and not _OTHERWISE.fullmatch(name)

    def _choose_wanted(self, name: str, asked: int) -> int:
        """Return which of three words is the expected one; another is the name of the test."""
        if asked != 1:
            return 1
        columns: list[Sequence[str]] = [self._calls.get((name, place), ()) for place in (0, 2)]
        prose = [sum(bool(_PROSE.fullmatch(each)) for each in column) for column in columns]
        return 0 if prose[1] > prose[0] else 2

    @cached_property
    def _calls(self) -> dict[tuple[str, int], list[str]]:
        """Return all that functions of the tests are given, by their place."""
        found: dict[tuple[str, int], list[str]] = {}
        for node in find_commands(self._top):
            for place, word in enumerate(node.named_children[1:]):
                key = text(field(node, "name")), place
                found.setdefault(key, []).append(read_text(word) or "")
        return found

    def _make_question(self, pair: _AskedPair, call: str, wanted: str) -> Question:
        inputs = self._commands.find_inputs(pair.asked)
        telling = [each for each in inputs if any(map(str.isdigit, text(each)))]
        quoted = [each for each in inputs if each.type in {"raw_string", "string_content"}]
        known = telling or quoted
        at = self._chooser.at(line(pair.at))
        used = (self._functions[name] for name in self._commands.list_functions(pair.asked))
        changes = [self._set_apart(body) for body in (pair.asked, *used)]
        starts = changes[0] if None not in changes else None
        apart = _write_call(pair.asked, starts, is_apart=True) if starts is not None else ""
        is_status = pair.asked.type != "command_substitution"
        can_vary = bool(known) and not is_status
        made = (
            _vary_call(
                pair.asked,
                choose_leaves(known, telling, n, at.at(n)),
                partial(_change_input, at.at(n)),
                starts or (),
            )
            for n in range(NEIGHBOURS * 2 if can_vary else 0)
        )
        far = (
            _vary_call(pair.asked, quoted, partial(_resize_input, turn), starts or ())
            for turn in range(RESIZED if can_vary else 0)
        )
        others = [other for other in dict.fromkeys(made) if other not in {call, apart}]
        digits = sum(sign.isdigit() for each in telling for sign in text(each))
        has_digits = digits >= _LEAST_DIGITS
        items = self._commands.find_items(pair.asked) if others else []
        plain = [each for each in items if each.type in {"word", "number"}]
        added = (
            _add_item(pair.asked, plain, at.at(f"more {n}"), starts or ())
            for n in range(_GROWN if plain and plain == items else 0)
        )
        grown = tuple(dict.fromkeys(added))
        others = others[:NEIGHBOURS]
        return Question(
            call,
            wanted,
            tuple(others),
            line(pair.at),
            has_digits,
            grown=grown,
            given=tuple(_read_list(each) for each in (*others, *grown)) if grown else (),
            apart=apart,
            far=tuple(each for each in dict.fromkeys(far) if each not in {call, apart}),
        )


def _change_input(chooser: Chooser, place: int, said: str) -> str:
    return change_text_a_little(said, chooser.at(place))


def _resize_input(turn: int, _: int, said: str) -> str:
    return resize_text(said, turn) if "\\" not in said else said


def _vary_call(
    asked: Node,
    inputs: Sequence[Node],
    change: Callable[[int, str], str],
    starts: Sequence[Change],
) -> str:
    """Return the command with other inputs."""
    changes = [*starts]
    for place, each in enumerate(inputs):
        edge = 1 if each.type == "raw_string" else 0
        said = text(each)[edge : len(text(each)) - edge]
        start = each.start_byte - asked.start_byte + edge
        changes.append(Change(start, start + len(said.encode()), change(place, said)))
    return _write_call(asked, changes)


def _add_item(
    asked: Node, items: Sequence[Node], chooser: Chooser, starts: Sequence[Change]
) -> str:
    """Return the command with one more in its list, which is close to one that is there."""
    like, behind = (items[chooser.draw(len(items), what)] for what in ("like", "behind"))
    other = change_text_a_little(text(like), chooser)
    at = behind.end_byte - asked.start_byte
    return _write_call(asked, [*starts, Change(at, at, f" {other}")])


def _read_list(call: str) -> str:
    """Return the words that a call gives to the product, parted by blanks."""
    _, *words = call.partition("|")[0].split()
    return " ".join(words[1:] if words and "%s" in words[0] else words)


def _write_call(asked: Node, changes: Sequence[Change], *, is_apart: bool = False) -> str:
    """Write what is asked: what a command prints, or the status that it ends with."""
    said = _decode(apply_changes(text(asked), changes))
    if asked.type == "command_substitution":
        return said[2:-1].strip()
    return f"said=$(\n{said}\n); echo $?" if is_apart else f"{{\n{said}\n}} >/dev/null; echo $?"


def _decode(told: str) -> str:
    """Return a text as it was before the grammar was given its bytes."""
    return told.encode("latin-1", errors="replace").decode(errors="replace")
