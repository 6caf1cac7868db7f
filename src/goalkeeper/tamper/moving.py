"""Keeps account of what tests gained: a lost case or assertion may stand in another test now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from goalkeeper.tamper.pairing import Pairing
from goalkeeper.tamper.testing import Assertion, Test


class GainedParts:
    """What tests have that they had not. Whatever is taken is counted once."""

    def __init__(
        self, paired: Pairing, subjects: frozenset[str] = frozenset(), *, base_decides: bool
    ) -> None:
        """`subjects` are names of the product that a test can be about."""
        self.base_decides = base_decides
        self._subjects = subjects
        self._fresh = [test for test in paired.fresh if test.live]
        self._cases: Counter[str] = Counter()
        self._assertions: Counter[str] = Counter()
        self._by_file: Counter[str] = Counter()
        for old, new in (*paired.pairs, *((None, test) for test in paired.fresh)):
            if new.collected:
                cases = Counter(new.cases) - Counter(old.cases if old else ())
                sure = _count_sure(new) - (_count_sure(old) if old else Counter())
                self._cases += cases
                self._assertions += sure
                self._by_file[new.path] += cases.total() + sure.total()
        for test in paired.absorbed:  # each took the place of what it became
            self._by_file[test.path] -= len(test.live) + 1

    def take_cases(self, lost: Counter[str]) -> Counter[str]:
        """Return the cases that no test has gained."""
        found = lost & self._cases
        self._cases -= found
        return lost - found

    def take_assertions(self, lost: Iterable[Assertion]) -> list[Assertion]:
        """Return the assertions that no test has gained, word for word."""
        rest = []
        for each in lost:
            if self._assertions[each.text] > 0:
                self._assertions[each.text] -= 1
            else:
                rest.append(each)
        return rest

    def take_test(self, lost: Test) -> bool:
        """Return whether a new test, wherever it stands, asks as much of what the lost one did."""
        about = self._find_subject(lost)
        if not about or not self.base_decides:
            return False
        strength = max(each.strength for each in lost.live)
        for place, test in enumerate(self._fresh):
            is_as_strict = max(each.strength for each in test.live) >= strength
            if is_as_strict and about <= self._find_subject(test):
                del self._fresh[place]
                return True
        return False

    def _find_subject(self, test: Test) -> frozenset[str]:
        """Return what of the product the test calls for its assertions."""
        return self._subjects & frozenset[str]().union(
            *(each.details().names for each in test.live)
        )

    def is_rewritten(self, path: str, lost: int) -> bool:
        """Return whether as many cases and assertions are new in the file as were lost.

        New ones do not make up for lost ones; so it counts only where the base's still decide.
        """
        is_enough = self.base_decides and self._by_file[path] >= lost
        self._by_file[path] -= lost if is_enough else 0
        return is_enough


def _count_sure(test: Test) -> Counter[str]:
    return Counter(each.text for each in test.live if not each.conditional)
