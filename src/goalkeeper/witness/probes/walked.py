"""Steps through the product that only the numbers of tests lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goalkeeper.tamper.questions.model import LEAST_TELLING
from goalkeeper.witness.probes.lone import Heard, list_groups


def find_stepped_aside(heard: Heard) -> list[int]:
    """Return the questions that go another way than the same calls with other numbers, if many do.

    A table has answers for the numbers of its tests and does something else for all others, be it
    ever so plausible. Some tests are for one special number, and go another way for that reason;
    so it must be the same step for half of the questions about one function. With a wrong check
    digit, all goes another way.
    """
    walked = [n for n in heard.new if n in heard.through and not heard.reads_codes(n)]
    for group in (*list_groups(heard, walked), walked):
        found = _find_common(heard, {number: heard.aside.get(number, ()) for number in group})
        if 2 * len(found) >= len(group):
            return found
    return []


def _find_common(heard: Heard, ways: Mapping[int, Iterable[str]]) -> list[int]:
    """Return the questions that have one way in common, as many as there are."""
    found: dict[str, list[int]] = {}
    for number, each in ways.items():
        for way in each:
            found.setdefault(way, []).append(number)
    telling = [each for each in found.values() if _count_answers(heard, each) >= LEAST_TELLING]
    return max(telling, key=len, default=[])


def _count_answers(heard: Heard, numbers: Sequence[int]) -> int:
    return len({heard.mine[number, 0] for number in numbers})
