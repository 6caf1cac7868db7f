"""The commands that a plan gives, and what it expects of each.

A command stands in back-ticks, in a fenced block, or before an arrow (`→ expected: …`). The
expectation may stand on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from goalkeeper.core.campaign.labelled_fields import WrittenField, report_line
from goalkeeper.core.campaign.markdown import (
    ARROW,
    Fence,
    Piece,
    TextLine,
    cut_bullet,
    find_code,
    read_code,
)
from goalkeeper.core.campaign.plan import PlannedCommand
from goalkeeper.core.campaign.written_fields import (
    flatten_words,
    read_prose,
    report_placeholder,
    says_none,
)
from goalkeeper.core.schema import Notes
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_WORD = r"(?P<bold>\*\*)?expect(?:ed|s)?(?:[ ](?:output|result))?[ ]*:(?(bold)\*\*)[ \t]*"
_EXPECTED = late_pattern(rf"{ARROW}[ \t]*{_WORD}", re.IGNORECASE)
_EXPECTED_ALONE = late_pattern(rf"(?:{ARROW}[ \t]*)?{_WORD}", re.IGNORECASE)
_BEHIND_CODE = late_pattern(
    rf"[ \t]*(?:{ARROW}[ \t]*(?:{_WORD})?|[(,;:–—-]*[ \t]*(?:expect(?:ed|s)?[ ]*:[ \t]*)?)",
    re.IGNORECASE,
)
_LONGEST_BYTES = 100_000  # the system takes no longer argument
_MOST = 1000
_PLACEHOLDER = late_pattern(r"\{[A-Za-z][\w /|-]*\}")
_GENERAL = late_pattern(r"\b(?:un)?commit(?:ted|s)?\b", re.IGNORECASE)


class CommandItem(Value):
    """One thing in a list of commands, which may turn out to be prose."""

    line: int
    text: str
    expected: str = ""
    is_marked: bool = True  # by back-ticks, a fence or an arrow
    is_ticked: bool = False  # by back-ticks or a fence
    is_listed: bool = False


def read_verify(field: WrittenField | None, notes: Notes) -> tuple[PlannedCommand, ...]:
    """Read the commands of a step: whatever stands there is one."""
    if field is None or (says_none(field.first) and not field.pieces):
        return ()
    items = [_mark_plain(item, notes) for item in _list_items(field, notes)]
    return _take_most([_make_command(item, "verify", notes) for item in items], field, notes)


def _take_most(
    found: list[PlannedCommand], field: WrittenField, notes: Notes
) -> tuple[PlannedCommand, ...]:
    if len(found) > _MOST:
        report_line(notes, field.line, f"it has {len(found)} commands; at most {_MOST} are run")
    return tuple(found[:_MOST])


def read_exit(field: WrittenField | None, notes: Notes) -> tuple[PlannedCommand, ...]:
    """Read the commands of an exit condition; that all is committed needs no command."""
    found = []
    for item in _list_items(field, notes) if field else ():
        if item.is_marked:
            found.append(_make_command(item, "exit condition", notes))
        elif item.is_listed and not _GENERAL.search(item.text) and not says_none(item.text):
            message = f"'{item.text[:60]}' is no command; put a command in back-ticks"
            report_line(notes, item.line, f"exit condition: {message}")
    return _take_most(found, field, notes) if field else ()


def read_entry(field: WrittenField | None, notes: Notes) -> tuple[str, tuple[PlannedCommand, ...]]:
    """Read an entry condition: what it says in words, and the commands that it gives."""
    if field is None:
        return "", ()
    pieces: list[Piece] = [*field.pieces]
    if _EXPECTED.search(field.first):
        pieces.insert(0, TextLine(field.line, field.first))
        field = field.replace(first="")
    given = tuple(piece for piece in pieces if _is_given(piece))
    prose = field.replace(pieces=tuple(piece for piece in pieces if not _is_given(piece)))
    items = _list_items(WrittenField(field.line, "", given), notes)
    commands = [_make_command(item, "entry condition", notes) for item in items]
    return read_prose(prose, "entry condition", notes), _take_most(commands, field, notes)


def _is_given(piece: Piece) -> bool:
    """Return whether a part of an entry condition is a command, or what is expected of one."""
    if isinstance(piece, Fence):
        return True
    bare, is_listed = cut_bullet(piece.text)
    codes = find_code(bare) if is_listed else []
    is_code = len(codes) == 1 and codes[0].span() == (0, len(bare))
    return is_code or bool(_EXPECTED.search(bare))


def _make_command(item: CommandItem, name: str, notes: Notes) -> PlannedCommand:
    longest = max(len(item.text.encode()), len(item.expected.encode()))
    if longest > _LONGEST_BYTES:
        message = f"{name} has {longest} bytes for one command; at most {_LONGEST_BYTES} can be run"
        report_line(notes, item.line, message)
    if not item.text.strip():
        report_line(notes, item.line, f"{name} expects something, but of no command")
    for what, text in (
        (f"a command of {name}", item.text),
        (f"what {name} expects", item.expected),
    ):
        if _PLACEHOLDER.fullmatch(text):  # other braces are for the shell, or are JSON
            report_placeholder(text, item.line, what, notes)
    return PlannedCommand(item.text, item.expected, item.line)


def _mark_plain(item: CommandItem, notes: Notes) -> CommandItem:
    """Take the code of a sentence such as "run `make` twice"."""
    codes = [] if item.is_marked else find_code(item.text)
    if not codes:
        return item
    _report_many(len(codes), item.line, notes)
    return item.replace(text=read_code(codes[0]), expected=item.text[codes[0].end() :].strip())


def _report_many(count: int, line: int, notes: Notes) -> None:
    if count > 1:
        report_line(notes, line, "several commands on one line; give each a line of its own")


def _list_items(field: WrittenField, notes: Notes) -> Iterator[CommandItem]:
    """Yield commands and prose in their order, each with what is expected of it."""
    last: CommandItem | None = None
    more: list[str] = []  # lines that go on with the last one
    is_apart = False  # whether a blank line stands before this one
    for line in _list_candidates(field):
        if isinstance(line, CommandItem):
            if last:
                yield _join_lines(last, more)
            last, more, is_apart = line, [], False
            continue
        bare, is_listed = cut_bullet(line.text)
        if not line.text.strip():
            is_apart = True
            continue
        alone = None if is_listed else _EXPECTED_ALONE.match(bare)
        if last and alone:
            expected = flatten_words(bare[alone.end() :])
            last = _join_lines(last, more).replace(expected=expected, is_marked=True)
            more = []
        elif last and not is_listed and not is_apart and _goes_on(last, more, bare):
            more.append(bare)
        else:
            if last:
                yield _join_lines(last, more)
            last, more = _read_item(TextLine(line.number, bare), notes, is_listed=is_listed), []
        is_apart = False
    if last:
        yield _join_lines(last, more)


def _list_candidates(field: WrittenField) -> Iterator[TextLine | CommandItem]:
    """Yield the lines, and fenced blocks as one command each.

    A block that expects something on its own lines gives a command for each of them, unless an
    expectation follows it.
    """
    if field.first:
        yield TextLine(field.line, field.first)
    for number, piece in enumerate(field.pieces):
        if isinstance(piece, TextLine):
            yield piece
            continue
        if _EXPECTED.search(piece.content) and not _is_followed(field.pieces, number):
            lines = enumerate(piece.content.split("\n"), piece.number + 1)
            yield from (TextLine(number, text) for number, text in lines if text.strip())
        else:
            text = piece.content.strip("\n")
            first = piece.number + 1 if text else piece.number  # an empty one may end the file
            yield CommandItem(first, text, is_ticked=True)


def _is_followed(pieces: Sequence[Piece], at: int) -> bool:
    """Return whether what follows, but for blank lines, says what is expected."""
    for number in range(at + 1, len(pieces)):
        piece = pieces[number]
        if isinstance(piece, Fence):
            return False
        if piece.text.strip():
            return _EXPECTED_ALONE.match(piece.text.strip()) is not None
    return False


def _goes_on(last: CommandItem, more: Sequence[str], bare: str) -> bool:
    """Return whether a line goes on with the one before it.

    Whoever puts one command in back-ticks does so with the next; a plain line after a plain one
    is a command of its own.
    """
    if bare.startswith("`") or _EXPECTED.search(bare):
        return False
    return last.is_ticked or [last.text, *more[-1:]][-1].endswith("\\")


def _join_lines(last: CommandItem, more: Sequence[str]) -> CommandItem:
    """Join the lines that go on with a command: they belong to it, or to what is expected."""
    if not more:
        return last
    if last.is_ticked:
        return last.replace(expected=flatten_words(" ".join((last.expected, *more))))
    *cut, end = last.text, *more
    return last.replace(text=" ".join([*(each.removesuffix("\\").rstrip() for each in cut), end]))


def _read_item(line: TextLine, notes: Notes, *, is_listed: bool) -> CommandItem:
    codes = find_code(line.text)
    if codes and codes[0].start() == 0:
        return _read_behind_code(line, codes, notes, is_listed=is_listed)
    if line.text.startswith("`"):
        report_line(notes, line.number, "a back-tick is never closed")
    arrow = _EXPECTED.search(line.text)
    if arrow is None:
        text = line.text.removeprefix("$ ")
        return CommandItem(line.number, text, "", is_marked=False, is_listed=is_listed)
    before = line.text[: arrow.start()].rstrip()
    codes = find_code(before)
    _report_many(len(codes), line.number, notes)
    command = read_code(codes[0]) if codes else before.removeprefix("$ ")
    expected = flatten_words(line.text[arrow.end() :])
    is_ticked = bool(codes)
    return CommandItem(line.number, command, expected, is_ticked=is_ticked, is_listed=is_listed)


def _read_behind_code(
    line: TextLine, codes: list[re.Match[str]], notes: Notes, *, is_listed: bool
) -> CommandItem:
    """Read a command in back-ticks; what stands behind it is what is expected."""
    rest = line.text[codes[0].end() :]
    behind = _BEHIND_CODE.match(rest)
    words = rest[behind.end() :] if behind else rest
    if behind and "(" in behind[0]:
        words = words.removesuffix(")")
    if not re.match(rf"[ \t]*{ARROW}", rest):
        _report_many(len(codes), line.number, notes)
    command, expected = read_code(codes[0]), flatten_words(words)
    return CommandItem(line.number, command, expected, is_ticked=True, is_listed=is_listed)
