from fractions import Fraction

import pytest

from larder import Quantity, QuantityError, format_quantity, parse_quantity


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("2 kg", 2000, "g"),
        ("0.75 l", 750, "ml"),
        ("3/4 cup", 180, "ml"),
        ("1 1/2 cups", 360, "ml"),
        ("2 TBSP", 30, "ml"),
        ("4 oz", 112, "g"),
        ("3", 3, "piece"),
    ],
)
def test_parse(text, amount, unit):
    assert parse_quantity(text) == Quantity(Fraction(amount), unit)


@pytest.mark.parametrize("text", ["", "1/0 cup", "2 furlongs"])
def test_what_cannot_be_read(text):
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [
        (Fraction(250), "g", "250 g"),
        (Fraction(1500), "g", "1.5 kg"),
        (Fraction(1000, 3), "ml", "333.33 ml"),
        (Fraction(6), "piece", "6"),
    ],
)
def test_format(amount, unit, text):
    assert format_quantity(Quantity(amount, unit)) == text
