"""Quantities as recipes write them."""

import re
from dataclasses import dataclass
from fractions import Fraction

_UNITS = {
    "g": (1, "g"), "kg": (1000, "g"), "oz": (28, "g"), "lb": (454, "g"),
    "ml": (1, "ml"), "l": (1000, "ml"), "tsp": (5, "ml"), "tbsp": (15, "ml"), "cup": (240, "ml"),
    "": (1, "piece"),
}
_TEXT = re.compile(r"(?:(\d+)\s+)?(\d+)/(\d+)\s*([a-z]*)|(\d+(?:\.\d+)?)\s*([a-z]*)")


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
    """Read a quantity: a number, a fraction or a mixed number, and a unit."""
    found = _TEXT.fullmatch(text.strip().lower())
    if found is None:
        raise QuantityError(f"not a quantity: {text!r}")
    whole, top, bottom, unit, number, other = found.groups()
    if number is None:
        if not int(bottom):
            raise QuantityError(f"division by zero: {text!r}")
        amount = int(whole or 0) + Fraction(int(top), int(bottom))
    else:
        amount, unit = Fraction(number), other
    if unit not in _UNITS:
        unit = unit.removesuffix("s")
    if unit not in _UNITS:
        raise QuantityError(f"unknown unit: {text!r}")
    factor, base = _UNITS[unit]
    return Quantity(amount * factor, base)


def format_quantity(quantity):
    """Write a quantity with at most two decimals."""
    amount, unit = quantity.amount, quantity.unit
    if unit != "piece" and amount >= 1000:
        amount, unit = amount / 1000, {"g": "kg", "ml": "l"}[unit]
    number = f"{float(amount):.2f}".rstrip("0").rstrip(".")
    return number if unit == "piece" else f"{number} {unit}"
