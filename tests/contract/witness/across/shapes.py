"""Shapes that honest products have, each with tests as people write them."""

SHAPES = {
    "classes": (
        """
class Basket:
    limit = 3
    def __init__(self):
        self.items = []
        self.closed = False
    def add(self, item, *, times=1):
        self.items += [item] * times
        return self
    def __len__(self):
        return len(self.items)
    def __iter__(self):
        return iter(self.items)
    def __contains__(self, item):
        return item in self.items
    def __getitem__(self, at):
        return self.items[at]
""",
        """
import inspect
from classes import Basket
def test_a_basket_is_filled():
    basket = Basket()
    basket.add("a").add("b", times=2)
    assert len(basket) == 3 and [*basket] == ["a", "b", "b"] and basket[0] == "a" and "b" in basket
    assert isinstance(basket, Basket) and type(basket) is Basket and Basket.limit == basket.limit
def test_its_list_is_the_products_own():
    basket = Basket()
    basket.items.append("c")
    assert len(basket) == 1 and basket.items == ["c"] and isinstance(basket.items, list)
    assert str(inspect.signature(basket.add)) == "(item, *, times=1)"
""",
    ),
    "exceptions": (
        """
import argparse, json, sys
class ShopError(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code
class Missing(ShopError, KeyError):
    pass
def find(code):
    try:
        {}[code]
    except KeyError as exc:
        raise Missing(code) from exc
def parse(text):
    return json.loads(text)
def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("number", type=int)
    number = parser.parse_args(argv).number
    print(2 * number)
    sys.exit(number)
""",
        """
import json, sys
import pytest
import exceptions as product
def test_errors_of_its_own_are_caught_by_class():
    with pytest.raises(product.Missing, match="code 7") as seen:
        product.find(7)
    assert seen.value.code == 7 and isinstance(seen.value, (KeyError, product.ShopError))
    assert isinstance(seen.value.__cause__, KeyError)
    with pytest.raises(product.ShopError):
        product.find(7)
def test_errors_of_python_are_pythons():
    with pytest.raises(json.JSONDecodeError) as seen:
        product.parse("{")
    assert seen.value.pos == 1
    with pytest.raises(AttributeError):
        product.nothing
    with pytest.raises(TypeError):
        product.find()
def test_a_command_ends(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["product", "3"])
    with pytest.raises(SystemExit) as seen:
        product.main()
    assert seen.value.code == 3 and capsys.readouterr().out == "6\\n"
""",
    ),
    "data": (
        """
import collections, dataclasses, datetime, decimal, enum, fractions, pathlib
class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
Row = collections.namedtuple("Row", "name price")
@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 0
    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)
    @classmethod
    def origin(cls):
        return cls(0, 0)
    @property
    def norm(self):
        return abs(self.x) + abs(self.y)
class Lower(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)
    def __ior__(self, other):
        raise NotImplementedError
def group(words):
    found = collections.defaultdict(list)
    for word in words:
        found[word[0]].append(word)
    return found
def list_plain():
    moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)
    return [None, True, 1 << 80, -0.5, float("inf"), 1j, "\\udc80", b"\\0", (1, [2]), {3: {4}},
            moment, moment.date(), moment.time(), datetime.timedelta(1, 2), decimal.Decimal("1.50"),
            fractions.Fraction(1, 3), pathlib.Path("a/b"), range(3), collections.Counter("aab"),
            collections.deque([1]), frozenset({1}), bytearray(b"x"), ...]
""",
        """
import copy, dataclasses, datetime, decimal, fractions, pathlib
from collections import Counter, deque
from data import Color, Level, Lower, Point, Row, group, list_plain
def test_plain_data_is_what_it_was():
    moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)
    assert list_plain() == [
        None, True, 1 << 80, -0.5, float("inf"), 1j, "\\udc80", b"\\0", (1, [2]), {3: {4}},
        moment, moment.date(), moment.time(), datetime.timedelta(1, 2), decimal.Decimal("1.50"),
        fractions.Fraction(1, 3), pathlib.Path("a/b"), range(3), Counter("aab"),
        deque([1]), frozenset({1}), bytearray(b"x"), ...]
def test_data_classes():
    assert Point(1, 2) == Point(1, 2) != Point(2, 2) and Point(1) < Point(2)
    assert Point(1) + Point(2) == Point(3) and Point.origin().norm == 0
    assert dataclasses.asdict(Point(1, 2)) == vars(Point(1, 2)) == {"x": 1, "y": 2}
    point = dataclasses.replace(Point(1), y=3)
    point.x = 5
    assert repr(point) == "Point(x=5, y=3)" and copy.deepcopy(point) == point
def test_containers_of_its_own_stay_the_products():
    lower = Lower()
    lower["A"] = 1
    lower.update(b=2)
    assert lower == {"a": 1, "b": 2} and [*lower] == ["a", "b"] and lower != {"a": 1}
    assert isinstance(lower, dict) and isinstance(lower, Lower) and lower.get("b") == 2
    found = group(["an", "at", "be"])
    assert found == {"a": ["an", "at"], "b": ["be"]} and dict(found)["b"] == ["be"]
def test_enumerations_and_rows():
    assert Color("red") is Color.RED and Color["BLUE"].value == "blue" and len([*Color]) == 2
    assert Level.HIGH == 2 and Level.LOW < Level.HIGH and isinstance(Level.LOW, int)
    row = Row("x", 2)
    assert row == ("x", 2) and row.name == "x" and row._replace(price=3).price == 3
""",
    ),
    "iterators": (
        """
def count(most):
    for number in range(most):
        yield number * number
class Echo:
    def __init__(self, source):
        self.source = iter(source)
    def __iter__(self):
        return self
    def __next__(self):
        return next(self.source) * 2
""",
        """
import pytest
from iterators import Echo, count
def test_generators_go_on_until_they_end():
    assert [*count(4)] == [0, 1, 4, 9] and sum(count(3)) == 5
    numbers = count(1)
    assert next(numbers) == 0
    with pytest.raises(StopIteration):
        next(numbers)
def test_a_generator_of_the_tests_is_read_by_the_product():
    assert [*Echo(n for n in [1, 2])] == [2, 4]
""",
    ),
    "contexts": (
        """
import contextlib
class Suppressing:
    entered = False
    def __enter__(self):
        self.entered = True
        return self
    def __exit__(self, kind, value, trace):
        return kind is ZeroDivisionError
@contextlib.contextmanager
def shout(text):
    try:
        yield text.upper()
    except LookupError:
        raise ValueError("looked up")
""",
        """
import pytest
from contexts import Suppressing, shout
def test_contexts():
    with Suppressing() as seen:
        1 / 0
    assert seen.entered
    with shout("a") as told:
        assert told == "A"
    with pytest.raises(OSError):
        with shout("a"):
            raise OSError
    with pytest.raises(ValueError, match="looked up"):
        with shout("a"):
            raise KeyError
""",
    ),
    "callbacks": (
        """
import dataclasses
def call(function, *args, **named):
    return function(*args, **named)
def catch(function, kinds):
    try:
        return function()
    except kinds as exc:
        return f"caught {type(exc).__name__} {exc}"
def sort_in_place(values):
    values.sort()
    return values
def sum_up(rows):
    return [sum(row) if isinstance(row, tuple) else dataclasses.astuple(row) for row in rows]
class Bus:
    def __init__(self):
        self.heard = []
    def on(self, function):
        self.heard.append(function)
        return function
    def tell(self, what):
        return [function(what) for function in self.heard]
""",
        """
import collections, dataclasses
from unittest import mock
import pytest
from callbacks import Bus, call, catch, sort_in_place, sum_up
class Boom(Exception):
    pass
def boom():
    raise Boom("b")
def test_callbacks_are_called():
    assert call(lambda one, two=0: one + two, 1, two=2) == 3 and call(sorted, [2, 1]) == [1, 2]
    told = mock.Mock(return_value=7)
    assert call(told, 1) == 7
    told.assert_called_once_with(1)
    bus = Bus()
    @bus.on
    def hear(what):
        return call(len, what)
    assert bus.tell("four") == [4]
def test_errors_of_callbacks_come_back():
    with pytest.raises(Boom) as seen:
        call(boom)
    assert type(seen.value) is Boom
    assert catch(boom, Boom) == catch(boom, (KeyError, Boom)) == "caught Boom b"
def test_an_argument_is_changed():
    values = [3, 1]
    assert sort_in_place(values) is values and values == [1, 3]
Row = collections.namedtuple("Row", "one two")
@dataclasses.dataclass
class Pair:
    one: int
    two: int
def test_rows_of_the_tests_are_rows():
    row = Row(1, 2)
    assert sum_up([row, Pair(3, 4)]) == [3, (3, 4)] and call(lambda: row) is row
    assert call(lambda each: each.one, row) == call(getattr, row, "two") - 1 == 1
""",
    ),
    "replaced": (
        """
import os, time
RATES = {"tax": 1}
class Till:
    def ring(self, amount):
        return amount
def tax(amount):
    return amount * RATES["tax"]
def bill(amount):
    return tax(amount)
def read_clock():
    return time.time()
def ask():
    return input("? ")
def look_around():
    return os.environ.get("SHOP"), os.getcwd()
def read(path):
    with open(path) as file:
        return file.read()
""",
        """
import importlib, io, os, pathlib, sys, time
from unittest import mock
import replaced as product
from replaced import Till
def test_what_tests_replace_is_replaced(monkeypatch, tmp_path):
    monkeypatch.setitem(product.RATES, "tax", 3)
    assert product.bill(2) == 6
    monkeypatch.setattr(product, "tax", lambda amount: 99)
    assert product.bill(2) == 99
    monkeypatch.setattr(time, "time", lambda: 5.0)
    assert product.read_clock() == 5.0
    monkeypatch.setattr("builtins.input", lambda prompt: "yes")
    assert product.ask() == "yes"
    monkeypatch.setattr(Till, "ring", lambda self, amount: amount + 1)
    assert Till().ring(1) == 2
    monkeypatch.setenv("SHOP", "open")
    monkeypatch.chdir(tmp_path)
    assert product.look_around() == ("open", str(tmp_path))
    (tmp_path / "a").write_text("A")
    assert product.read(tmp_path / "a") == product.read("a") == "A"
def test_and_put_back():
    assert product.bill(2) == 2 and Till().ring(1) == 1
    assert product.read_clock() > 5 and product.look_around()[0] is None
    with mock.patch("replaced.tax", return_value=1), mock.patch.object(Till, "ring") as ring:
        assert product.bill(5) == 1
        Till().ring(3)
        ring.assert_called_once_with(3)
    assert product.bill(5) == 5 and Till().ring(3) == 3
    with mock.patch("sys.stdin", io.StringIO("word\\n")):
        assert product.ask() == "word"
def test_a_module_is_loaded_again(monkeypatch):
    product.RATES["tax"] = 8
    importlib.reload(product)
    assert product.bill(1) == 1
    product.RATES["tax"] = 8
    monkeypatch.delitem(sys.modules, "replaced")
    import replaced as again
    assert again.bill(1) == 1 and product.bill(1) == 8
def test_data_files_that_a_test_names_are_lent():
    here = pathlib.Path(__file__).parent
    assert product.read(here / "wanted.txt") == product.read("held_out/wanted.txt") == "4"
""",
    ),
    "spoken": (
        """
import asyncio, logging, sys, warnings
def greet():
    print("hello")
    print("error", file=sys.stderr)
    sys.stdout.buffer.write(b"bytes")
    logging.getLogger("shop").warning("careful")
    warnings.warn("old", DeprecationWarning)
async def wait(number):
    await asyncio.sleep(0.001)
    return number + 1
if __name__ == "__main__":
    print(sys.stdin.read().upper())
    sys.exit(3)
""",
        """
import asyncio, subprocess, sys
import pytest
from spoken import greet, wait
def test_what_it_says_is_heard(capsys, caplog):
    with pytest.warns(DeprecationWarning, match="old"):
        greet()
    said = capsys.readouterr()
    assert (said.out, said.err) == ("hello\\nbytes", "error\\n") and "careful" in caplog.text
def test_what_it_awaits():
    async def ask():
        return await asyncio.gather(wait(1), wait(2))
    assert asyncio.run(ask()) == [2, 3]
def test_its_programs_run_beside_it():
    asked = [sys.executable, "src/spoken.py"]
    ran = subprocess.run(asked, input="a", capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (3, "A\\n")
    with pytest.raises(FileNotFoundError):
        subprocess.run(["no-such-program"], check=True)
""",
    ),
}
UNCARRIED = """
import pathlib, sys, types
import pytest
import classes, callbacks
def test_derived():
    class Own(classes.Basket):
        pass
def test_module():
    with pytest.raises(BaseException):
        callbacks.call(types)
def test_member(monkeypatch):
    with pytest.raises(BaseException):
        monkeypatch.setattr(pathlib.Path, "home", lambda: None)
    monkeypatch.setitem(sys.modules, "json", None)
"""
