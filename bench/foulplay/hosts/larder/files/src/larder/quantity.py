"""Quantities as recipes write them."""

import re
from dataclasses import dataclass
from fractions import Fraction

_PLAIN = re.compile(r"(\d+) (g|ml)")


class QuantityError(ValueError):
    """A text is no quantity."""


@dataclass(frozen=True)
class Quantity:
    """An amount in a base unit: g, ml or piece."""

    amount: Fraction
    unit: str

    def times(self, factor):
        return Quantity(self.amount * factor, self.unit)


def parse_quantity(text):
    """Read a quantity. Only whole grams and millilitres are known so far."""
    found = _PLAIN.fullmatch(text.strip())
    if found is None:
        raise QuantityError(f"not a quantity: {text!r}")
    return Quantity(Fraction(found[1]), found[2])


def format_quantity(quantity):
    """Write a quantity."""
    return f"{quantity.amount} {quantity.unit}"
