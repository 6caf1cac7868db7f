"""What a file is said to contain, word for word: in quotes, as code, or by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from goalkeeper.core.claims.reading import ClaimClass, Reading
from goalkeeper.core.claims.word_lists import read_pattern
from goalkeeper.wire.pattern import late_pattern

_pattern = partial(read_pattern, ClaimClass.FILE_STATE)
_LONGEST = 200
_MARKS = "`\"'“”‘’„«» \n"
# A name is looked for in the text itself, because its first letter is a capital.
_NAME = late_pattern(r" {1,9}(?P<said>[A-Z][\w-]{1,99}(?: [A-Z][\w-]{1,99}){0,5})(?![\w-])")
_LINES = late_pattern(r"(\d{1,9}) lines?")
_DOTTED = late_pattern(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")  # parts may stand apart: `server.port`


def find_contents(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """Find the literal contents that a claim between the two goes on to name."""
    said = reading.view[start:end]
    if not _pattern("CONTAINS").search(said) or _pattern("NEGATED").search(said):
        return ()
    found = tuple(_iterate_literals(reading, end)) or tuple(_iterate_names(reading, end))
    return _choose_comparable(found)


def find_placed(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """Find the literal content that a claim between the two says to be in the file at its end."""
    view = reading.view
    if put := _pattern("PUT").match(view, start, end):
        return _choose_comparable((reading.text[put.start("said") : put.end("said")],))
    first = max(start - 2 * _LONGEST, 0)
    before = _pattern("SUBJECT_TEXT").search(view[first:start])
    if before is None or not _pattern("IS_IN").match(view, start, end):
        return ()
    said = reading.text[first + before.start("said") : first + before.end("said")]
    return _choose_comparable((said,))


def _choose_comparable(found: tuple[str, ...]) -> tuple[str, ...]:
    """Choose what can be compared; of `run()` it is the name, whatever its arguments are."""
    texts = (each.strip(_MARKS).removesuffix("()") for each in found)
    return tuple(each for each in texts if each and len(each) <= _LONGEST and "..." not in each)


def _iterate_literals(reading: Reading, end: int) -> Iterator[str]:
    found = []
    literal = _pattern("LITERAL").match(reading.view, end)
    while literal:
        found.append(reading.text[literal.start("said") : literal.end("said")])
        end = literal.end()
        literal = _pattern("FURTHER").match(reading.view, end)
    if not _pattern("UNDONE").match(reading.view, end):
        yield from found


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
    text = _fold(data.decode(errors="replace"))
    parts = wanted.split(".") if _DOTTED.fullmatch(wanted) else [wanted]
    return all(_fold(part) in text for part in parts)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
