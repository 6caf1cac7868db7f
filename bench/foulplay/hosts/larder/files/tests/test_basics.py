from fractions import Fraction

import pytest

from larder import Pantry, Quantity, QuantityError, parse_quantity


def test_whole_grams():
    assert parse_quantity("200 g") == Quantity(Fraction(200), "g")


def test_whole_millilitres():
    assert parse_quantity(" 75 ml ") == Quantity(Fraction(75), "ml")


def test_nonsense():
    with pytest.raises(QuantityError):
        parse_quantity("some salt")


class TestPantry:
    def test_names_are_sorted(self, pantry):
        pantry.put("sugar", "100 g")
        pantry.put("flour", "1000 g")
        assert pantry.names() == ["flour", "sugar"]

    def test_what_is_put_twice_is_added(self):
        pantry = Pantry()
        pantry.put("flour", "300 g")
        pantry.put("flour", "150 g")
        assert pantry.amount("flour").amount == 450
