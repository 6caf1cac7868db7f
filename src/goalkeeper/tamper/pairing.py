"""Which test of the candidate is which test of the base."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from goalkeeper.tamper.testing import Test
from goalkeeper.wire.value import Value

ALIKE = 0.5  # the share of assertions that a renamed and edited test must keep


class Paired(Value):
    pairs: tuple[tuple[Test, Test], ...]
    absorbed: tuple[Test, ...]  # became a case of a parametrized test
    gone: tuple[Test, ...]
    fresh: tuple[Test, ...]


def pair(old: Sequence[Test], new: Sequence[Test], moved: Mapping[str, str]) -> Paired:
    """`moved` gives the candidate's path for each path of the base."""
    left = [test for test in old if test.collected]
    free = sorted(new, key=lambda test: not test.collected)  # a collected one is preferred
    pairs: list[tuple[Test, Test]] = []

    def settle(key: Callable[[Test], object], old_key: Callable[[Test], object]) -> None:
        nonlocal left, free
        found, left, free = _match(left, free, old_key, key)
        pairs.extend(found)

    def place(test: Test) -> object:
        return (moved.get(test.path, test.path), test.name)

    settle(lambda test: (test.path, test.name), place)
    settle(lambda test: test.collected and test.name, lambda test: test.name)
    settle(_body, _body)
    settle(_assertions, _assertions)
    found, left, free = _similar(left, free)
    pairs += found
    absorbed = _absorbed(left, [*free, *(new_test for _, new_test in pairs)])
    known = {id(test) for test in absorbed}
    gone = tuple(test for test in left if id(test) not in known)
    return Paired(tuple(pairs), tuple(absorbed), gone, tuple(t for t in free if t.collected))


def _body(test: Test) -> object:
    return test.body


def _assertions(test: Test) -> object:
    return tuple(sorted(each.text for each in test.live)) or None


def _match(
    old: Iterable[Test],
    new: Iterable[Test],
    old_key: Callable[[Test], object],
    new_key: Callable[[Test], object],
) -> tuple[list[tuple[Test, Test]], list[Test], list[Test]]:
    waiting: dict[object, list[Test]] = defaultdict(list)
    for test in new:
        if key := new_key(test):
            waiting[key].append(test)
    pairs: list[tuple[Test, Test]] = []
    left: list[Test] = []
    for test in old:
        candidates = waiting.get(old_key(test) or "", [])
        if candidates:
            pairs.append((test, candidates.pop(0)))
        else:
            left.append(test)
    taken = {id(new_test) for _, new_test in pairs}
    return pairs, left, [test for test in new if id(test) not in taken]


def _similar(
    old: list[Test], new: list[Test]
) -> tuple[list[tuple[Test, Test]], list[Test], list[Test]]:
    pairs: list[tuple[Test, Test]] = []
    left: list[Test] = []
    free = list(new)
    for test in old:
        best = max(free, key=lambda other: _likeness(test, other), default=None)
        if best is not None and best.collected and _likeness(test, best) > ALIKE:
            pairs.append((test, best))
            free.remove(best)
        else:
            left.append(test)
    return pairs, left, free


def _likeness(old: Test, new: Test) -> float:
    if not old.assertions:
        return 0.0
    shapes = Counter(each.text for each in old.assertions)
    kept = shapes & Counter(each.text for each in new.assertions)
    return sum(kept.values()) / len(old.assertions)


def _absorbed(old: list[Test], new: list[Test]) -> list[Test]:
    """Tests whose literals all stand in one case of a test that looks at the same things."""
    free = {id(test): list(test.cases) for test in new if test.cases and test.live}
    found: list[Test] = []
    for test in old:
        for other in new:
            cases = free.get(id(other), [])
            case = next((case for case in cases if _holds(test, other, case)), None)
            if case is not None:
                cases.remove(case)
                found.append(test)
                break
    return found


def _holds(test: Test, other: Test, case: str) -> bool:
    if not test.live or max(a.strength for a in test.live) > max(a.strength for a in other.live):
        return False
    literals = frozenset[str]().union(*(each.literals for each in test.live))
    common = frozenset[str]().union(*(each.literals for each in other.live))
    asserted = frozenset[str]().union(*(each.names for each in test.live))
    seen = frozenset[str]().union(*(each.names for each in other.live))
    return bool(asserted & seen) and all(
        literal in case for literal in literals if literal not in common
    )
