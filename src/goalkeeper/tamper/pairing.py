"""Pairs each test of the candidate with its test of the base."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar

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
        taken = {id(item) for _, item in pairs}
        left, free = rest, [item for item in free if id(item) not in taken]
    return pairs, left, free


def pair_tests(old: Sequence[Test], new: Sequence[Test], moved: Mapping[str, str]) -> Pairing:
    """Pair tests; `moved` gives the candidate's path for each path of the base."""
    rounds: tuple[tuple[Clue[Test], Clue[Test]], ...] = (
        (
            lambda test: (moved.get(test.path, test.path), test.name),
            lambda test: (test.path, test.name),
        ),
        (lambda test: test.name, lambda test: test.collected and test.name),
        (attrgetter("body"), attrgetter("body")),
        (_live_texts, _live_texts),
        (_name_and_shapes, lambda test: test.collected and _name_and_shapes(test)),
    )
    collected = [test for test in old if test.collected]
    preferred = sorted(new, key=lambda test: not test.collected)
    pairs, left, free = match_in_rounds(collected, preferred, rounds)
    similar, left, free = _match_similar(left, free)
    pairs += similar
    # A name may be that of many tests, such as `test_basic`, which have nothing else in common.
    seen = Counter(_short_name(test) for test in new)
    rare = [test for test in free if test.collected and seen[_short_name(test)] == 1]
    same_name, left, _ = match_in_rounds(left, rare, [(_short_name, _short_name)])
    pairs += same_name
    taken = {id(test) for _, test in same_name}
    free = [test for test in free if id(test) not in taken]
    absorbed = _find_absorbed(left, [*free, *(test for _, test in pairs)])
    known = {id(test) for test in absorbed}
    gone = tuple(test for test in left if id(test) not in known)
    return Pairing(tuple(pairs), tuple(absorbed), gone, tuple(t for t in free if t.collected))


def _short_name(test: Test) -> str:
    """Return the name without the classes or groups around it."""
    return re.split(r"\.| > ", test.name)[-1]


def _name_and_shapes(test: Test) -> object:
    return (_short_name(test), *sorted(each.shape for each in test.assertions))


def _live_texts(test: Test) -> object:
    return tuple(sorted(each.text for each in test.live))


def _match_similar(
    old: list[Test], new: list[Test]
) -> tuple[list[tuple[Test, Test]], list[Test], list[Test]]:
    pairs: list[tuple[Test, Test]] = []
    left: list[Test] = []
    free = [(test, _count_clues(test)) for test in new if test.collected]
    is_too_much = len(old) * len(free) > MOST_COMPARED
    for test in old:
        mine = _count_clues(test)
        likeness = [
            0.0 if mine[1].keys().isdisjoint(other[1]) else _measure_likeness(mine, other)
            for _, other in ([] if is_too_much else free)
        ]
        best = max(range(len(likeness)), key=likeness.__getitem__, default=-1)
        if best >= 0 and likeness[best] > ALIKE:
            pairs.append((test, free.pop(best)[0]))
        else:
            left.append(test)
    taken = {id(test) for _, test in pairs}
    return pairs, left, [test for test in new if id(test) not in taken]


def _count_clues(test: Test) -> tuple[Counter[str], Counter[str]]:
    """Count assertions as they are written, and without their values."""
    return Counter(x.text for x in test.assertions), Counter(x.shape for x in test.assertions)


def _measure_likeness(
    old: tuple[Counter[str], Counter[str]], new: tuple[Counter[str], Counter[str]]
) -> float:
    """Return which share of the assertions is kept, word for word or with other values."""
    total = old[0].total()
    return max((was & now).total() for was, now in zip(old, new, strict=True)) / max(total, 1)


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
        frozenset[str]().union(*(each.names for each in live)),
        frozenset[str]().union(*(each.literals for each in live)),
    )
