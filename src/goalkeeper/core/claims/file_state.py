"""A named file has a state: it holds something, it was changed, or it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from goalkeeper.core.claims.contents import find_contents, find_placed
from goalkeeper.core.claims.masking import flatten_signs
from goalkeeper.core.claims.paths import Mention
from goalkeeper.core.claims.reading import Claim, ClaimClass, Reading
from goalkeeper.core.claims.word_lists import read_pattern

_pattern = partial(read_pattern, ClaimClass.FILE_STATE)
_WINDOW = 90  # a file's verb is looked for in so many characters before it
_LONGEST_JOINT = 24


def is_gone(matched: str) -> bool:
    """Return whether a claim with these words says that the file is not there any more."""
    said = flatten_signs(matched)
    if _pattern("GONE_BEFORE").search(said):
        return not _pattern("PLACE").search(said)
    return bool(_pattern("GONE_AFTER").search(said))


def find_file_states(reading: Reading) -> Iterator[Claim]:
    runs = {run[0].start: run for run in _group_mentions(reading)}
    for run in runs.values():
        for start, end in (*_told_before(reading.view, run), *_told_after(reading.view, run)):
            if reading.is_asserted(start, end):
                compared = _pattern("COMPARED").match(reading.view, run[-1].end)
                others = runs.get(compared.end(), []) if compared and end > run[-1].end else []
                files = dict.fromkeys(mention.path for mention in (*run, *others))
                claim = reading.make_claim(ClaimClass.FILE_STATE, start, end)
                find = find_contents if end > run[-1].end else find_placed
                yield claim.replace(files=tuple(files), contents=find(reading, start, end))


def _group_mentions(reading: Reading) -> Iterator[list[Mention]]:
    """Files that stand in a row belong together: "a.md, b.md and c.md"."""
    run: list[Mention] = []
    for mention in reading.mentions:
        if run and not _is_joined(reading.view, run[-1].end, mention.start):
            yield run
            run = []
        run.append(mention)
    if run:
        yield run


def _is_joined(view: str, end: int, start: int) -> bool:
    return start - end <= _LONGEST_JOINT and bool(_pattern("JOINT").fullmatch(view, end, start))


def _told_before(view: str, run: list[Mention]) -> Iterator[tuple[int, int]]:
    first, last = run[0].start, run[-1].end
    window = view[max(first - _WINDOW, 0) : first]
    if (none := _pattern("NONE").search(window)) and _pattern("NONE_AFTER").match(view, last):
        yield first - len(none[0]), last
    elif did := _pattern("DID").search(window):
        moved = did["verb"] in ("renamed", "moved")
        yield first - len(window) + (did.start("place") + 1 if moved else did.start()), last


def _told_after(view: str, run: list[Mention]) -> Iterator[tuple[int, int]]:
    first, last = run[0].start, run[-1].end
    window = view[max(first - _WINDOW, 0) : first]
    if _pattern("ELSEWHERE").search(window):
        return
    states = _pattern("AFTER").match(view, last)
    if not states and len(run) > 1:
        states = _pattern("DO").match(view, last)
    if not states and _pattern("SUBJECT").search(window):
        states = _pattern("DOES").match(view, last)
    if states:
        yield first, states.end()
