"""Assertions of bats that every project has under the same names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from goalkeeper.tamper.spoiling.edits import Change
from goalkeeper.tamper.spoiling.sh.conditions import Flip
from goalkeeper.tamper.spoiling.sh.decisions import may_leave
from goalkeeper.tamper.spoiling.sh.words import (
    append_letters,
    change_document,
    change_number,
    change_pattern_word,
    change_word,
    has_expansion,
)
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import field, text

if TYPE_CHECKING:
    from tree_sitter import Node

_STATUS = frozenset({"assert_success", "assert_failure"})
_TEXTS = frozenset({"assert_output", "assert_line", "assert_equal", *_STATUS})
_PATTERNS = frozenset({"-e", "--regexp"})


def is_known(name: str) -> bool:
    return name in _TEXTS


class KnownAssertions:
    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    def find(self, statements: Sequence[Node]) -> Iterator[Flip]:
        """Yield changes for assertions that surely run."""
        for statement in statements:
            found = self._read(statement)
            if found is not None:
                yield found
            if may_leave(statement):
                return

    def _read(self, statement: Node) -> Flip | None:
        is_filled = statement.type == "redirected_statement"
        command = field(statement, "body") if is_filled else statement
        if command is None or command.type != "command":
            return None
        name, words = field(command, "name"), command.named_children[1:]
        if name is None or text(name) not in _TEXTS:
            return None
        if is_filled:
            documents = [each for each in statement.children if each.type == "heredoc_redirect"]
            changes = change_document(documents[0], self._chooser) if documents else ()
            return Flip(changes, command) if changes else None
        return self._read_words(name, [each for each in words if each.type != "comment"])

    def _read_words(self, name: Node, words: list[Node]) -> Flip | None:
        if not words:
            # No program ends with such a status, and none prints such a number.
            asked = f"assert_failure {self._chooser.at(name.start_byte).choose_number()}"
            change = Change(name.start_byte, name.end_byte, asked)
            return Flip((change,), name) if text(name) in _STATUS else None
        options = {text(each) for each in words}
        last = words[-1]
        if not options.isdisjoint(_PATTERNS):
            changes = change_pattern_word(last, self._chooser)
        elif text(name) == "assert_equal":
            plain = [each for each in words[:2] if not has_expansion(each)]
            changes = change_word((plain or [last])[-1], self._chooser)
        elif text(name) == "assert_failure" and text(last).isdigit():
            changes = change_number(last, self._chooser)
        else:
            changes = () if "-" in options else change_word(last, self._chooser, far=True)
        if not changes and last.type == "string" and options.isdisjoint(_PATTERNS):
            changes = append_letters(last, self._chooser)
        return Flip(changes, last) if changes else None
