"""What a file is said to contain, word for word: in quotes, as code, or by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from goalkeeper.core.claims.reading import ClaimClass, Reading
from goalkeeper.core.claims.word_lists import read_pattern

_pattern = partial(read_pattern, ClaimClass.FILE_STATE)
_LONGEST = 200
_MARKS = "`\"'“”‘’„«» \n"
# A name is looked for in the text itself, because its first letter is a capital.
_NAME = re.compile(r" {1,9}(?P<said>[A-Z][\w-]{1,99}(?: [A-Z][\w-]{1,99}){0,5})(?![\w-])")
_LINES = re.compile(r"(\d{1,9}) lines?")


def find_contents(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """Find the literal contents that a claim between the two goes on to name."""
    said = reading.view[start:end]
    if not _pattern("CONTAINS").search(said) or _pattern("NEGATED").search(said):
        return ()
    found = tuple(_iterate_literals(reading, end)) or tuple(_iterate_names(reading, end))
    return tuple(each for each in found if each and len(each) <= _LONGEST and "..." not in each)


def _iterate_literals(reading: Reading, end: int) -> Iterator[str]:
    while literal := _pattern("LITERAL").match(reading.view, end):
        yield reading.text[literal.start("said") : literal.end("said")].strip(_MARKS)
        end = literal.end()


def _iterate_names(reading: Reading, end: int) -> Iterator[str]:
    """Yield names if nothing else belongs to them: "English text" is no name."""
    counted = _pattern("LINES").match(reading.view, end)
    if counted:
        yield counted["said"]
        return
    found = []
    while name := _NAME.match(reading.text, end):
        found.append(name["said"])
        end = name.end()
        joint = _pattern("JOINT").match(reading.view, end)
        if joint is None or not _NAME.match(reading.text, joint.end() - 1):
            break
        end = joint.end() - 1
    if found and _pattern("NAME_ENDS").match(reading.view, end):
        yield from found


def is_contained(wanted: str, data: bytes) -> bool:
    """Return whether the file has the text, in any case and spacing, or so many lines."""
    lines = _LINES.fullmatch(wanted)
    if lines and len(data.splitlines()) == int(lines[1]):
        return True
    return _fold(wanted) in _fold(data.decode(errors="replace"))


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
