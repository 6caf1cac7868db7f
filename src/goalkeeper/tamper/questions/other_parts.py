"""Parts of a call that are others wherever they stand, and how its answer changes with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from goalkeeper.tamper.questions.numbers import list_numbers, shift_numbers
from goalkeeper.tamper.spoiling.values import Chooser, change_text
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_WORDS = 2  # of one call, the most frequent ones
_WORD = late_pattern(r"[A-Za-z]{4,}")
_TENS = (1000, 100, 10)  # round numbers leave the last digits as they are
_SHIFTS = 3  # by multiples of one of these
_MOST_SHIFTS = 5


class OtherPart(Value):
    """A word that is another one, or by how much numbers are larger that are not less than that."""

    old: str = ""
    new: str = ""
    by: int = 0
    least: int = 0

    def change(self, text: str) -> str:
        if self.by:
            return shift_numbers(text, self.by, least=self.least)
        return text.replace(self.old, self.new)


def choose_words(texts: Sequence[str], chooser: Chooser) -> Iterator[OtherPart]:
    """Yield other words for the most frequent ones."""
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    for word, _ in counts.most_common(_WORDS):
        at = chooser.at(word)
        for new in (change_text(word, at), word + at.choose_letters(2)):
            if not any(new in text for text in texts):
                yield OtherPart(word, new)


def choose_shifts(texts: Sequence[str], chooser: Chooser) -> Iterator[OtherPart]:
    """Yield shifts that leave every number as long, and none behind that lies close to others."""
    numbers = {int(each) for text in texts for each in list_numbers(text)}
    found = []
    for tens in _TENS:
        moved = [n for n in numbers if n >= tens]
        is_apart = not any(tens // 2 <= n < tens for n in numbers)
        shifts = [by * tens for by in range(-8, 9) if by and is_apart and moved]
        kept = [by for by in shifts if all(_is_as_long(n, n + by) for n in moved)]
        kept.sort(key=lambda by: chooser.draw(1 << 30, "shift", by))
        found += [OtherPart(by=by, least=tens) for by in kept[:_SHIFTS]]
    yield from found[:_MOST_SHIFTS]


def _is_as_long(old: int, new: int) -> bool:
    return new > 0 and len(str(new)) == len(str(old))
