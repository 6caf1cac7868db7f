"""Honest products that say themselves what is equal, and what they contain, in odd ways."""

PRODUCT = """
import collections, dataclasses, decimal, enum, pathlib, types
@dataclasses.dataclass(frozen=True)
class Price:
    __slots__ = ("cents", "note")
    cents: int
    note: str
@dataclasses.dataclass
class Order:
    price: Price
    name: str = dataclasses.field(compare=False)
class Angle:
    def __init__(self, degrees):
        self.degrees = degrees
    def __eq__(self, other):
        return self.degrees % 360 == other.degrees % 360
class Word(str):
    def __eq__(self, other):
        return self.lower() == other.lower()
    __hash__ = str.__hash__
class Rows(list):
    def __eq__(self, other):
        print("compared")
        return sorted(self) == sorted(other)
class Color(enum.Enum):
    RED = 1
    BLUE = 2
class Nothing:
    __slots__ = ()
    def __eq__(self, other):
        return isinstance(other, Nothing)
class Array:
    def __init__(self, values):
        self.values = values
    def __eq__(self, other):
        others = other.values if isinstance(other, Array) else [other] * len(self.values)
        return Array([one == two for one, two in zip(self.values, others)])
    def __bool__(self):
        raise ValueError("the truth of an array is ambiguous")
    def all(self):
        return all(self.values)
class Column:
    def __init__(self, name):
        self.name = name
    def __eq__(self, other):
        return Condition(f"{self.name} = {other!r}")
class Condition:
    def __init__(self, text):
        self.text = text
@dataclasses.dataclass
class Range:
    low: object
    high: object
    def __contains__(self, item):
        return self.low <= item and (self.high is None or item <= self.high)
class Letters:
    def __contains__(self, text):
        return text.isalpha()
@dataclasses.dataclass(order=True)
class Point:
    x: int
KEYS = {"a": 1}.keys()
SPACE = types.SimpleNamespace(one=1)
Row = collections.namedtuple("Row", "one two")
def same(*values):
    return [(value, value) for value in values]
"""
TEST = """
import datetime
from decimal import Decimal
from pathlib import Path
from unittest.mock import ANY
import pytest
from comparisons import Angle, Array, Color, Column, KEYS, Letters, Nothing, Order, Point, Price
from comparisons import Range, Row, Rows, SPACE, Word, same
def test_equal_objects_are_equal():
    assert Order(Price(5, "a"), "x") == Order(Price(5, "a"), "y") != Order(Price(6, "a"), "x")
    assert Angle(10) == Angle(370) != Angle(20) and Word("One") == Word("oNE") != Word("two")
    assert Color.RED == Color.RED != Color.BLUE and Nothing() == Nothing() and SPACE == SPACE
    assert Row(1, Decimal("2.0")) == Row(1, 2) and [Angle(0)] == [Angle(360)] and Angle(1) == ANY
    for one, two in same(Path("a"), Decimal(1), {1}, [2], {"a": 3}):
        assert one == two
def test_nobody_hears_that_strangers_were_asked_about(capsys):
    assert Rows([2, 1]) == Rows([1, 2])
    assert capsys.readouterr().out == "compared\\n"
def test_an_answer_may_be_an_object():
    assert (Array([1, 2]) == Array([1, 2])).all() and (Array([3, 3]) == 3).all()
    assert not (Array([1, 2]) == Array([1, 3])).all()
    with pytest.raises(ValueError, match="ambiguous"):
        assert Array([1]) == Array([1])
    assert (Column("a") == 5).text == "a = 5"
def test_what_contains_much_does_not_contain_all():
    assert 5 in Range(0, 10**6) and 5 in Range(0, None) and Point(5) in Range(Point(0), None)
    assert datetime.date(2020, 1, 1) in Range(datetime.date(1, 1, 1), None)
    assert "a" in KEYS and "b" not in KEYS and "one" in Letters() and Color.RED in Color
"""
