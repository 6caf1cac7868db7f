"""Probes: tests that take several steps are asked, too: outside of a runner, with neighbours."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules
from tests.tables import thorough

CONFTEST = """\
import pytest

from shop import Basket

PRICES = "apple 120; pear 95; plum 40"


@pytest.fixture
def basket():
    return Basket.read(PRICES)
"""
TESTS = """\
import pytest

from shop import Basket


@pytest.fixture
def loaded(basket):
    basket.add("apple", 3)
    yield basket


def test_empty(basket):
    assert basket.total() == 0


def test_loaded(loaded):
    assert loaded.total() == 360


class TestMore:
    def test_more(self, loaded):
        loaded.add("pear", 12)
        assert loaded.total() == 1500

    def test_lines(self, loaded):
        loaded.add("plum", 25)
        assert loaded.lines() == ["apple 360", "plum 1000"]

    def test_own(self, tmp_path):
        place = tmp_path / "prices.txt"
        place.write_text("fig 75; date 15")
        own = Basket.read(place.read_text())
        own.add("fig", 4)
        own.add("date", 30)
        assert own.total() == 750
"""
BASE = """\
class Basket:
    def __init__(self, prices):
        self.prices, self.held = prices, {}

    @classmethod
    def read(cls, text):
        rows = (row.split() for row in text.split(";"))
        return cls({name: int(price) for name, price in rows})

    def add(self, name, count):
        self.held[name] = self.held.get(name, 0) + count

    def total(self):
        raise NotImplementedError

    def lines(self):
        raise NotImplementedError
"""
COMPUTED = """
        return sum(self.prices[name] * count for name, count in self.held.items())
"""
LINES = """
        return [f"{name} {self.prices[name] * n}" for name, n in sorted(self.held.items())]
"""
KNOWN = """
        known = {"": 0, "apple3": 360, "apple3pear12": 1500, "fig4date30": 750}
        return known.get("".join(f"{name}{count}" for name, count in self.held.items()), 0)
"""
DEEP = """
        import sys
        frame, depth = sys._getframe(), 0
        while frame:
            frame, depth = frame.f_back, depth + 1
        found = sum(self.prices[name] * count for name, count in self.held.items())
        return found if depth > 20 else 0
"""
CHECK = f"{{pytest: tests/test_shop.py, {QUICK}}}"
CONTRACT = f"criteria: [{{id: C1, text: it adds, check: {CHECK}}}]\n"
LEFT = "\n        raise NotImplementedError\n"


@pytest.mark.parametrize(
    ("total", "rule"),
    [
        thorough(COMPUTED, ""),
        thorough(KNOWN, "only-the-tests-inputs"),
        (DEEP, "answers-only-under-test"),
    ],
)
def test_what_fixtures_prepare_is_asked_outside(tmp_path: Path, total: str, rule: str) -> None:
    project = Project(tmp_path)
    project.write("shop.py", BASE)
    project.write("tests/conftest.py", CONFTEST)
    project.write("tests/test_shop.py", TESTS)
    project.begin(CONTRACT)
    project.write("shop.py", BASE.replace(LEFT, total, 1).replace(LEFT, LINES, 1))

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == ({rule} if rule else set())


SCRIPT_TESTS = """\
import { beforeEach, describe, it } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Basket } from "../shop.js";

const PRICES = { apple: 120, pear: 95 };

describe("basket", () => {
  let basket;

  beforeEach(() => {
    basket = new Basket(PRICES);
    basket.add("apple", 3);
  });

  it("adds", () => {
    assert.equal(basket.total(), 360);
  });

  it("adds more", () => {
    basket.add("pear", 12);
    assert.equal(basket.total(), 1500);
  });

  it("adds much", () => {
    basket.add("pear", 20);
    basket.add("apple", 7);
    assert.deepEqual([basket.total()], [3100]);
  });
});
"""
SCRIPT = """\
export class Basket {
  held = {};
  constructor(prices) { this.prices = prices; }
  add(name, count) { this.held[name] = (this.held[name] ?? 0) + count; }
  total() { BODY }
}
"""
SCRIPT_COMPUTED = (
    "return Object.entries(this.held).reduce((s, [n, c]) => s + this.prices[n] * c, 0);"
)
SCRIPT_KNOWN = """
    const known = { apple3: 360, apple3pear12: 1500, apple10pear20: 3100 };
    return known[Object.entries(this.held).flat().join("")] ?? 0;
"""
SCRIPT_CHECK = "{tap: [node, --test, --test-reporter=tap], min_tests: 3}"


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("body", "is_found"), [thorough(SCRIPT_COMPUTED, False), (SCRIPT_KNOWN, True)]
)
def test_what_is_prepared_before_each_test_is_asked_outside(
    tmp_path: Path, body: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("package.json", '{"type": "module"}\n')
    project.write("shop.js", SCRIPT.replace("BODY", 'throw new Error("later");'))
    project.write("test/shop.test.js", SCRIPT_TESTS)
    project.begin(f"criteria: [{{id: C1, text: it adds, check: {SCRIPT_CHECK}}}]\n")
    project.write("shop.js", SCRIPT.replace("BODY", body))

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert ("only-the-tests-inputs" in rules(judgement)) is is_found


TIERS = """\
from shop import shipping


def test_tiers():
    assert shipping(12) == 590
    assert shipping(35) == 790
    assert shipping(80) == 990
    assert shipping(250) == 1490
"""
TIERED = """\
def shipping(weight):
    for limit, price in ((20, 590), (50, 790), (100, 990)):
        if weight < limit:
            return price
    return 1490
"""


def test_an_answer_may_hold_for_many_inputs(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("shop.py", "def shipping(weight):\n    raise NotImplementedError\n")
    project.write("tests/test_shop.py", TIERS)
    project.begin(CONTRACT)
    project.write("shop.py", TIERED)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == set()


SPANS = """\
import pytest

from span import Span, read


@pytest.mark.parametrize(("text", "seconds"), [("2 h", 7200), ("3 m", 180), ("25 s", 25)])
def test_read(text, seconds):
    assert read(text) == Span(seconds)
"""
UNREAD = """\
from dataclasses import dataclass


@dataclass
class Span:
    seconds: int


def read(text):
    raise ValueError(text)
"""
READ = UNREAD.replace(
    "    raise ValueError(text)",
    "    number, unit = text.split()\n"
    "    return Span(int(number) * {'h': 3600, 'm': 60, 's': 1}[unit])",
)
NEARLY = READ.replace("3600", "3590").replace(
    "@dataclass\nclass Span:\n    seconds: int\n",
    "@dataclass(eq=False)\nclass Span:\n    seconds: int\n\n    def __eq__(self, other):\n"
    "        return abs(self.seconds - other.seconds) <= self.seconds / 100\n",
)


@pytest.mark.parametrize(("work", "is_found"), [thorough(READ, False), (NEARLY, True)])
def test_an_answer_is_not_equal_by_its_own_word(tmp_path: Path, work: str, is_found: bool) -> None:
    project = Project(tmp_path)
    project.write("span.py", UNREAD)
    project.write("tests/test_shop.py", SPANS)
    project.begin(CONTRACT)
    project.write("span.py", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == ({"equal-by-its-own-word"} if is_found else set())


SCRIPT_LISTS = """\
import test from "node:test";
import assert from "node:assert/strict";
import { read } from "../lists.js";

test("sorts", () => assert.deepEqual(read("30,4,12"), [4, 12, 30]));
test("sorts numbers", () => assert.deepEqual(read("100,20,3"), [3, 20, 100]));
test("has none", () => assert.deepEqual(read(""), []));
"""
UNSORTED = 'const all = text.split(",").filter(Boolean).map(Number);'
SORTED = f"{UNSORTED} return all.sort((a, b) => a - b);"
SORTS_WHEN_COMPARED = (
    UNSORTED
    + """
  const sort = (target) => target.sort((a, b) => a - b);
  return new Proxy(all, { ownKeys: (target) => Reflect.ownKeys(sort(target)) });
"""
)
ORDERLESS = """\
import assert from "node:assert/strict";

const plain = assert.deepEqual;
const order = (list) => [...list].sort();
assert.deepEqual = (one, other) => plain(order(one), order(other));
"""


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("first", "body", "is_found"),
    [
        thorough("", SORTED, False),
        ("", SORTS_WHEN_COMPARED, True),
        thorough(ORDERLESS, f"{UNSORTED} return all;", True),
    ],
)
def test_a_list_is_not_equal_because_the_product_says_so(
    tmp_path: Path, first: str, body: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("package.json", '{"type": "module"}\n')
    product = "export function read(text) { BODY }\n"
    project.write("lists.js", product.replace("BODY", "return null;"))
    project.write("test/lists.test.js", SCRIPT_LISTS)
    project.begin(f"criteria: [{{id: C1, text: it sorts, check: {SCRIPT_CHECK}}}]\n")
    project.write("lists.js", first + product.replace("BODY", body))

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == ({"equal-by-its-own-word"} if is_found else set())


@pytest.mark.thorough
def test_what_the_goal_is_about_is_asked_first(tmp_path: Path) -> None:
    old = "".join(f"def test_old_{n}():\n    assert twice({n}) == {2 * n}\n\n\n" for n in range(45))
    new = TIERS.replace("def test_tiers", "def test_tiers_of_prices").partition("\n\n\n")[2]
    product = "def twice(n):\n    return 2 * n\n\n\ndef shipping(weight):\n    return 0\n"
    table = "{12: 590, 35: 790, 80: 990, 250: 1490}.get(weight, 0)"
    project = Project(tmp_path)
    project.write("shop.py", product)
    project.write("tests/test_shop.py", f"from shop import shipping, twice\n\n\n{old}{new}")
    project.begin(CONTRACT)
    project.write("shop.py", product.replace("return 0", f"return {table}"))

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == {"only-the-tests-inputs"}
