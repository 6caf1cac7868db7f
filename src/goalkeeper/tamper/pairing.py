"""Pairs each test of the candidate with its test of the base."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TypeVar

from goalkeeper.tamper.settled import WORD
from goalkeeper.tamper.testing import Test
from goalkeeper.wire.value import Value

Item = TypeVar("Item")
Clue = Callable[[Item], object]

MOST_COMPARED = 40_000  # pairs of tests; where more are rewritten at once, none is recognised
MOST_CASES = 400_000  # so often a test may be compared with a case of another
ALIKE = 0.5  # the share of assertions that a renamed and edited test must keep


class Pairing(Value):
    pairs: tuple[tuple[Test, Test], ...]
    absorbed: tuple[Test, ...]  # each became a case of a parametrized test
    gone: tuple[Test, ...]
    fresh: tuple[Test, ...]


def match_in_rounds(
    old: Iterable[Item], new: Iterable[Item], rounds: Iterable[tuple[Clue[Item], Clue[Item]]]
) -> tuple[list[tuple[Item, Item]], list[Item], list[Item]]:
    """Return pairs of items whose clues are equal, and what is left of both sides.

    Each round has a clue for old and one for new items; the first round that pairs an item decides.
    An item that has no clue is not paired.
    """
    pairs: list[tuple[Item, Item]] = []
    left, free = list(old), list(new)
    for old_clue, new_clue in rounds:
        if not left or not free:
            break  # to find a clue may mean to read much
        waiting: dict[object, deque[Item]] = defaultdict(deque)
        for item in free:
            if clue := new_clue(item):
                waiting[clue].append(item)
        rest: list[Item] = []
        for item in left:
            same = waiting.get(old_clue(item) or "")
            if same:
                pairs.append((item, same.popleft()))
            else:
                rest.append(item)
        left, free = rest, _leave_out(pairs, free)
    return pairs, left, free


def _leave_out(pairs: Iterable[tuple[Item, Item]], new: Iterable[Item]) -> list[Item]:
    taken = {id(item) for _, item in pairs}
    return [item for item in new if id(item) not in taken]


def pair_tests(old: Sequence[Test], new: Sequence[Test], moved: Mapping[str, str]) -> Pairing:
    """Pair tests; `moved` gives the candidate's path for each path of the base."""
    by_name: tuple[tuple[Clue[Test], Clue[Test]], ...] = (
        (
            lambda test: (moved.get(test.path, test.path), test.name),
            lambda test: (test.path, test.name),
        ),
        (lambda test: test.name, lambda test: test.collected and test.name),
    )
    collected = [test for test in old if test.collected]
    preferred = sorted(new, key=lambda test: not test.collected)
    pairs, left, free = match_in_rounds(collected, preferred, by_name)
    outlines = {test.outline() for test in left}  # much faster to find than the bodies
    by_content: tuple[tuple[Clue[Test], Clue[Test]], ...] = (
        (attrgetter("body"), lambda test: test.outline() in outlines and test.body),
        (_live_texts, _live_texts),
    )
    same, left, free = match_in_rounds(left, free, by_content)
    pairs += same
    names = {_short_name(test) for test in left}
    named = [test for test in free if test.collected and _short_name(test) in names]
    alike, left, _ = match_in_rounds(left, named, [(_name_and_shapes, _name_and_shapes)])
    pairs += alike
    free = _leave_out(alike, free)
    similar, left, free = _match_similar(left, free)
    pairs += similar
    # A name may be that of many tests, such as `test_basic`, which have nothing else in common.
    seen = Counter(_short_name(test) for test in new)
    rare = [test for test in free if test.collected and seen[_short_name(test)] == 1]
    same_name, left, _ = match_in_rounds(left, rare, [(_short_name, _short_name)])
    pairs += same_name
    free = _leave_out(same_name, free)
    absorbed = _find_absorbed(left, [*free, *(test for _, test in pairs)])
    known = {id(test) for test in absorbed}
    gone = tuple(test for test in left if id(test) not in known)
    return Pairing(tuple(pairs), tuple(absorbed), gone, tuple(t for t in free if t.collected))


def _short_name(test: Test) -> str:
    """Return the name without the classes or groups around it."""
    return re.split(r"\.| > ", test.name)[-1]


def _name_and_shapes(test: Test) -> object:
    return (_short_name(test), *sorted(each.details().shape for each in test.assertions))


def _live_texts(test: Test) -> object:
    return tuple(sorted(each.text for each in test.live))


def _match_similar(
    old: list[Test], new: list[Test]
) -> tuple[list[tuple[Test, Test]], list[Test], list[Test]]:
    pairs: list[tuple[Test, Test]] = []
    left: list[Test] = []
    free = [(test, _Clues(test)) for test in new if test.collected]
    is_too_much = len(old) * len(free) > MOST_COMPARED
    for test in old:
        mine = _Clues(test)
        likeness = [mine.measure_likeness(other) for _, other in ([] if is_too_much else free)]
        best = max(range(len(likeness)), key=likeness.__getitem__, default=-1)
        if best >= 0 and likeness[best] > ALIKE:
            pairs.append((test, free.pop(best)[0]))
        else:
            left.append(test)
    return pairs, left, _leave_out(pairs, new)


class _Clues:
    """The assertions of a test as they are written, and without their values."""

    def __init__(self, test: Test) -> None:
        self._assertions = test.assertions
        self._texts = Counter(each.text for each in test.assertions)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(WORD.findall(" ".join(self._texts)))

    @cached_property
    def _shapes(self) -> Counter[str]:
        return Counter(each.details().shape for each in self._assertions)

    @cached_property
    def _words_of_shapes(self) -> list[frozenset[str]]:
        return [frozenset(WORD.findall(shape)) - {"_"} for shape in self._shapes]

    def measure_likeness(self, new: _Clues) -> float:
        """Return which share of the assertions is kept, word for word or with other values."""
        # A shape has no words but those of its text, and is dear to find.
        if not any(words <= new._words for words in self._words_of_shapes):
            return 0.0
        kept = max((self._texts & new._texts).total(), (self._shapes & new._shapes).total())
        return kept / max(self._texts.total(), 1)


def _find_absorbed(old: list[Test], new: list[Test]) -> list[Test]:
    """Find tests whose literals all stand in one case of a test with the same subject."""
    tables = [(_summarize(test), list(test.cases)) for test in new if test.cases and test.live]
    if len(old) * sum(len(cases) for _, cases in tables) > MOST_CASES:
        return []
    found: list[Test] = []
    for test in old if tables else ():
        mine = _summarize(test)
        for other, cases in tables:
            if mine.strength > other.strength or mine.names.isdisjoint(other.names):
                continue
            literals = mine.literals - other.literals
            case = next((each for each in cases if all(x in each for x in literals)), None)
            if case is not None:
                cases.remove(case)
                found.append(test)
                break
    return found


class _Summary(Value):
    """What the assertions of a test have between them."""

    strength: int
    names: frozenset[str]
    literals: frozenset[str]


def _summarize(test: Test) -> _Summary:
    live = test.live
    return _Summary(
        max((each.strength for each in live), default=0),
        frozenset[str]().union(*(each.details().names for each in live)),
        frozenset[str]().union(*(each.details().literals for each in live)),
    )
