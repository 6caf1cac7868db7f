"""Ids of tests that carry what every run makes anew: a time, a duration, an address, a folder.

Or the place of a row in a table, which pytest writes for values that have no short name: a row
that is added moves all that follow. It is the same test as long as nothing else differs, and no
other test of either run could be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from goalkeeper.core.contract.test_cases import TestCase
from goalkeeper.wire.pattern import late_pattern

_UNITS = r"ns|[µμu]s|ms|s|secs?|seconds?|mins?|minutes?"
_CLOCK = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?"
_LOCAL = r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]"
# The first that matches at a place counts, so what has others in it stands before them.
_PASSING = late_pattern(
    rf"""
    (?P<folder> (?<![\w.]) (?:/private)? /(?: (?:var/)?tmp | var/folders | dev/shm )
                /[^\s'"\]),;:|]* )
  | (?P<moment> \d{{4}}-?\d\d-?\d\d [T_\ ] (?: {_CLOCK} | \d\d:?\d\d (?::?\d\d)? )
                (?:Z|\s?[+-]\d\d:?\d\d)?
              | (?<!\d) {_CLOCK} (?!\d)
              | (?<![\w.]) 1\d{{9}} (?:\d{{3}}|\d{{6}}|\d{{9}})? (?:\.\d+)? (?!\w) )
  | (?P<address> (?<!\w) 0x[0-9a-fA-F]{{6,16}} (?!\w) )
  | (?P<number> (?<!\w) [0-9a-f]{{8}} (?:-[0-9a-f]{{4}}){{3}} -[0-9a-f]{{12}} (?!\w) )
  | (?P<port> (?: (?<![\w.]) (?:{_LOCAL}): | (?<!\w) port[\ =:]\s? ) \d{{2,5}} (?!\d) )
  | (?P<process> (?<!\w) pid [\ =:\#]\s? \d+ )
  | (?P<duration> (?<![\w.]) \d+ (?:[.,]\d+)? \ ? (?:{_UNITS}) (?!\w) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ROW = late_pattern(r"(?<=[\[-])([A-Za-z_]\w*?)\d+(?=[\]-])")


def find_form(test: str) -> str:
    """Return an id without what every run makes anew."""
    settled = _PASSING.sub(lambda found: f"<{found.lastgroup}>", test)
    return _ROW.sub(r"\1<row>", settled)


def align_cases(cases: Sequence[TestCase], known: Collection[str]) -> tuple[TestCase, ...]:
    """Return tests of a run under the ids that another run gave them.

    Where two tests of one run have the same form, nobody can tell which is which: they keep
    their ids.
    """
    own = {case.id for case in cases}
    waiting = set(known) - own
    if not waiting or own <= set(known):
        return tuple(cases)
    theirs, ours = _index_forms(known), _index_forms(own)
    names = {ours[form]: old for form, old in theirs.items() if old in waiting and form in ours}
    names = {new: old for new, old in names.items() if new not in known}
    return tuple(case.replace(id=names.get(case.id, case.id)) for case in cases)


def _index_forms(tests: Iterable[str]) -> Mapping[str, str]:
    """Map forms to ids, without forms that several ids have."""
    found: dict[str, str] = {}
    doubled = set()
    for test in set(tests):
        form = find_form(test)
        if form in found:
            doubled.add(form)
        found[form] = test
    return {form: test for form, test in found.items() if form not in doubled}
