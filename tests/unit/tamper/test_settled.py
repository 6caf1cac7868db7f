"""What a change left as it was is not read again; what it reaches is."""

from goalkeeper.tamper.readers import find_names_changed, settle, settle_code
from goalkeeper.tamper.syntax import Source
from tests.tables import for_each

PYTHON = """\
from helpers import check

LIMIT = 3


def give(n):
    return check(n)


class TestRate:
    def test_ten(self):
        assert give(10) == LIMIT

    def test_zero(self):
        assert rate(0) == 0
"""
SCRIPT = """\
const { check } = require("./helpers");

function give(n) {
  return check(n);
}

describe("rate", () => {
  it("rates ten", () => {
    expect(give(10)).toBe(3);
  });
  it("rates zero", () => {
    expect(rate(0)).toBe(0);
  });
});
"""


@for_each(
    ("old", "new"),
    [
        ("return check(n)", "return n"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("class TestRate:", "class TestRate(Base):"),
        ("class TestRate", "def give(n):\n    return 3\n\n\nclass TestRate"),
        ("import check", "import check as look, rate as check"),
        ("LIMIT = 3", "LIMIT = 3\nif True:\n    def give(n):\n        return 3\n"),
        ("LIMIT = 3", "LIMIT = 3\nlast = (LIMIT := 4)"),
    ],
)
def test_what_uses_what_was_changed_is_not_settled(old: str, new: str) -> None:
    places = settle_python(PYTHON.replace(old, new))

    assert not any("def test_ten" in line for line in places)


@for_each(
    ("path", "old", "new", "is_same"),
    [
        ("a.py", "assert f('a', 2) == [1]", 'assert f(\n    "a",\n    2,\n) == [1]', True),
        ("a.py", "class A(object):\n    x = 1", "class A(object):\n\n    x = 1", True),
        ("a.py", "def f():\n  x = (1)\n  return x", "def f():\n    x = 1\n    return x", True),
        ("a.py", "class A:\n def f(s): return 1", "class A:\n  def f(s):\n    return 1", True),
        ("a.py", "assert f('a b') == 1", "assert f('a  b') == 1", False),
        ("a.py", "assert f() == 1", "assert f() == 2", False),
        ("a.py", "assert f() == 1", "assert f() == 1.0", False),
        ("a.py", "assert f() == (1)", "assert f() == (1,)", False),
        ("a.py", "assert f() == 1", "assert f() != 1", False),
        ("a.py", "assert f(a, b)", "assert f(b, a)", False),
        ("a.py", "assert f(), 'a'", "assert (f(), 'a')", False),
        ("a.py", "assert f(True)", "assert f(1)", False),
        ("a.py", "assert f(u'a')", 'assert f(u"a")', True),
        ("a.py", "if f():\n    g()\nh()", "if f():\n    g()\n    h()", False),
        ("a.js", "t.is(f('a', 2), [1])", 't.is(\n  f("a", 2),\n  [\n    1,\n  ],\n);', True),
        ("a.ts", "const a = { b: 1 } as A", "const a = {\n  b: 1,\n} as A;", True),
        ("a.js", "t.is(f('a b'))", "t.is(f('a  b'))", False),
        ("a.js", "t.is(f(`a b`))", "t.is(f(`a  b`))", False),
        ("a.js", "t.is(f(), 1)", "t.is(f(), 2)", False),
        ("a.js", "t.is(f(), (a + b) * c)", "t.is(f(), a + b * c)", False),
        ("a.js", "t.is(f(), [])", "t.is(f(), [,])", False),
        ("a.js", "t.is(f(), [1,])", "t.is(f(), [1,,])", False),
        ("a.js", "function f() { return x }", "function f() { return\nx }", False),
        ("a.js", "t.is(f(a, b))", "t.is(f(b, a))", False),
    ],
)  # fmt: skip
def test_layout_is_no_change(path: str, old: str, new: str, is_same: bool) -> None:
    places, _ = settle_code(Source(path, old), Source(path, new))

    assert bool(places) is is_same


@for_each(
    ("old", "new"),
    [
        ("assert rate(0) == 0", "assert rate(0) == 1"),
        (
            "    def test_zero",
            "    x = 1\n\n    def test_zero",
        ),
    ],
)
def test_what_was_left_alone_is_settled(old: str, new: str) -> None:
    assert any("def test_ten" in line for line in settle_python(PYTHON.replace(old, new)))


@for_each(
    "added",
    [
        "if TYPE_CHECKING:\n    from collections.abc import Iterator\n",
        '"""Why some skip this."""\n',
        "pytestmark = pytest.mark.slow\n",
        "import helpers.more\n",
        "class Row(NamedTuple):\n    give: int\n    LIMIT: int\n",
        "if TYPE_CHECKING:\n    class Can(Protocol):\n        def give_from(self, LIMIT): ...\n",
        'if TYPE_CHECKING:\n    class Can(Protocol):\n        """What can."""\n',
        "assert __debug__\n",
    ],
)
def test_what_decides_nothing_leaves_all_settled(added: str) -> None:
    assert any("def test_ten" in line for line in settle_python(added + PYTHON))


def test_a_statement_of_any_kind_may_define_what_is_a_keyword_elsewhere() -> None:
    def settle_new(more: str) -> list[str]:
        text = PYTHON.replace("give", "new")
        changed = f"{text}{more}"
        _, places = settle(Source("test_rate.py", text), Source("test_rate.py", changed))
        return [changed.splitlines()[place - 1].strip() for place in sorted(places)]

    assert "def test_ten(self):" in settle_new("")
    assert "def test_ten(self):" not in settle_new("try:\n    new = len\nfinally:\n    pass\n")


def test_nothing_is_settled_below_a_skip_of_the_whole_file() -> None:
    assert settle_python("pytestmark = pytest.mark.skip\n" + PYTHON) == []


def test_a_script_is_settled_call_by_call() -> None:
    def is_settled(new: str, word: str) -> bool:
        _, places = settle(Source("rate.test.js", SCRIPT), Source("rate.test.js", new))
        return new == SCRIPT or new.index(word) in places

    assert is_settled(SCRIPT.replace("rate(0)", "rate(1)"), 'it("rates ten"')
    assert not is_settled(SCRIPT.replace("check(n)", "n"), 'it("rates ten"')
    assert is_settled(SCRIPT.replace("check(n)", "n"), 'it("rates zero"')
    assert is_settled(f"const helpers = 3;\n{SCRIPT}", 'it("rates ten"')
    assert not is_settled(SCRIPT.replace("describe(", "describe.only("), 'it("rates zero"')


def test_one_more_name_of_an_import_leaves_a_script_settled() -> None:
    old = 'import { expect, it } from "vitest";\n' + SCRIPT
    new = old.replace("expect, it", "expect, it, vi")
    _, places = settle(Source("rate.test.js", old), Source("rate.test.js", new))

    assert new.index('it("rates ten"') in places


def settle_python(new: str) -> list[str]:
    _, places = settle(Source("test_rate.py", PYTHON), Source("test_rate.py", new))
    lines = new.splitlines()
    return [lines[place - 1] for place in sorted(places)]


@for_each(
    ("old", "new", "is_left_out"),
    [
        ("LIMIT = 3", "LIMIT = 4", True),
        ("return check(n)", "return n", True),
        ("assert give(10)", "assert give(11)", False),
        ("import check", "import check, rate as give", False),
        ("LIMIT = 3", "LIMIT = len(environ)", False),
    ],
)
def test_code_is_left_out_where_it_and_what_its_names_import_are_the_same(
    old: str, new: str, is_left_out: bool
) -> None:
    changed = PYTHON.replace(old, new)
    _, places = settle_code(Source("test_rate.py", PYTHON), Source("test_rate.py", changed))
    lines = [changed.splitlines()[place - 1] for place in places]

    assert any("def test_ten" in line for line in lines) is is_left_out


HELPERS = """\
class Checker:
    def check(self, n):
        return n > 0


def check(n):
    return Checker().check(n)


def other(n):
    return n
"""


def test_only_what_uses_a_changed_name_of_a_helper_is_read_again() -> None:
    def is_settled(old: str, new: str) -> bool:
        pair = Source("helpers.py", HELPERS), Source("helpers.py", HELPERS.replace(old, new))
        test = Source("test_rate.py", PYTHON)
        _, places = settle(test, test, find_names_changed([pair]))
        return any("def test_ten" in PYTHON.splitlines()[place - 1] for place in places)

    assert is_settled("return n\n", "return n + 1\n")
    assert is_settled("def other(n):", "def fresh(n):")
    assert not is_settled("Checker().check(n)", "True")
    assert not is_settled("n > 0", "True")
