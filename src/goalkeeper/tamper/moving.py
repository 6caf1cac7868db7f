"""Keeps account of what tests gained: a lost case or assertion may stand in another test now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from goalkeeper.tamper.pairing import Pairing
from goalkeeper.tamper.testing import Assertion, Test


class GainedParts:
    """What tests have that they had not. Whatever is taken is counted once."""

    def __init__(self, paired: Pairing, *, base_decides: bool) -> None:
        self.base_decides = base_decides
        self._cases: Counter[str] = Counter()
        self._assertions: Counter[str] = Counter()
        self._gained = 0
        for old, new in (*paired.pairs, *((None, test) for test in paired.fresh)):
            if new.collected:
                cases = Counter(new.cases) - Counter(old.cases if old else ())
                sure = _count_sure(new) - (_count_sure(old) if old else Counter())
                self._cases.update(cases)
                self._assertions.update(sure)
                was = _count_parts(old) if old else 0
                self._gained += max(_count_parts(new) - was, 0)
        # Each took the place of what it became.
        self._gained -= sum(len(test.live) + 1 for test in paired.absorbed)

    def take_cases(self, lost: Counter[str]) -> Counter[str]:
        """Return the cases that no test has gained."""
        found = lost & self._cases
        self._cases -= found
        self._gained -= found.total()
        return lost - found

    def take_assertions(self, lost: Iterable[Assertion]) -> list[Assertion]:
        """Return the assertions that no test has gained, word for word."""
        rest = []
        for each in lost:
            if self._assertions[each.text] > 0:
                self._assertions[each.text] -= 1
                self._gained -= 1
            else:
                rest.append(each)
        return rest

    def spend_gains(self, lost: int) -> bool:
        """Return whether as many cases and assertions came as were lost; they are spent then.

        They ask for something else; so it counts only where the base's tests still decide.
        """
        is_enough = self.base_decides and self._gained >= lost
        self._gained -= lost if is_enough else 0
        return is_enough


def _count_parts(test: Test) -> int:
    """Return how much a test asks; cases of a test without assertions ask nothing."""
    return len(test.cases) + _count_sure(test).total() if test.live else 0


def _count_sure(test: Test) -> Counter[str]:
    return Counter(each.text for each in test.live if not each.conditional)
