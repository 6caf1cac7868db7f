"""Suites that move to another style, or lose what they tested, close no gate; others do."""

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.review import review
from tests.unit.tamper.diffs import changed, judged

TAP = """\
const { test } = require("tap");
const { load, rate } = require("..");

test("rates ten", (t) => {
  const found = rate(10);
  t.equal(found.whole, 3, "three");
  t.same(found.parts, [1, 2]);
  t.not(rate(10), found);
  t.notOk(found.late, "not late");
  t.pass("rated");
});

test("loads", (t) => {
  t.plan(1);
  load((error) => {
    t.equal(error, undefined);
  });
});

test("refuses", (t) => {
  t.throws(() => rate(-1), "below zero");
});
"""
NODE = """\
const { test } = require("node:test");
const { load, rate } = require("..");

test("rates ten", (t) => {
  const found = rate(10);
  t.assert.strictEqual(found.whole, 3);
  t.assert.deepStrictEqual(found.parts, [1, 2]);
  t.assert.notStrictEqual(rate(10), found);
  t.assert.ok(!found.late);
  t.assert.ok(true, "rated");
});

test("loads", (t, done) => {
  t.plan(1);
  load((error) => {
    t.assert.ifError(error);
    done();
  });
});

test("refuses", (t) => {
  t.assert.throws(() => rate(-1), new Error("must not be below zero"));
});
"""


def asked(*changes: FileChange, base_decides: bool = True) -> list[str]:
    """Return the rules that ask or block."""
    files = {each.path: each.new for each in changes}
    found = review(changes, tree=files.get, base_decides=base_decides)
    return [each.rule for each in found if each.level is not Level.ADVISORY]


def test_a_suite_may_move_to_another_runner() -> None:
    assert asked(changed("test/rate.test.js", TAP, NODE)) == []


def test_a_suite_that_moves_may_not_ask_for_less() -> None:
    def judge(old: str, new: str) -> list[str]:
        assert old in NODE
        return asked(changed("test/rate.test.js", TAP, NODE.replace(old, new)))

    assert judge("strictEqual(found.whole, 3)", "ok(found.whole)") == ["assertion-weakened"]
    assert judge("strictEqual(found.whole, 3)", "ok(true, found.whole)") == ["test-cannot-fail"]
    assert judge("ifError(error)", "ok(true)") == ["test-cannot-fail"]
    assert judge('new Error("must not be below zero")', "/.*/") == ["assertion-weakened"]
    said = 'new Error("must not be below zero")'
    assert judge(said, '(e) => e.message === "not below zero"') == []
    assert judge(said, '(e) => true || "not below zero"') == ["assertion-weakened"]


def test_what_is_true_may_be_asked_for_as_truth() -> None:
    def judge(old: str, new: str) -> list[str]:
        test = "from rate import rate\n\n\ndef test_rate():\n    assert {}\n"
        return asked(changed("tests/test_rate.py", test.format(old), test.format(new)))

    assert judge("rate(10) is True", "rate(10)") == []
    for old in ("rate(10) == False", "rate(10) is False", "rate(10) == ''", "len(rate(10)) == 0"):
        assert judge(old, "not rate(10)") == [], old
        assert judge(old, "rate(10)") == ["assertion-weakened"], old
    for old, new in (
        ("rate(10) == 3", "rate(10)"),
        ("rate(10) == 0", "not rate(10)"),
        ("rate(10) is None", "not rate(10)"),
        ("rate(10) is True", "not rate(10)"),
        ("len(rate(10)) == 0", "not isinstance(rate(10), int)"),
        ("rate(10) == ()", "not any(rate(10))"),
    ):
        assert judge(old, new) == ["assertion-weakened"], old


def test_a_comparison_may_do_without_not() -> None:
    def judge(old: str, new: str) -> list[str]:
        test = "def test_rate():\n    assert {}\n"
        return asked(changed("tests/test_rate.py", test.format(old), test.format(new)))

    assert judge("not rate(0) == 1", "rate(0) != 1") == []
    assert judge("not rate(0) in rates", "rate(0) not in rates") == []
    assert judge("rate(0) == 1", "not rate(0) == 1") == ["assertion-weakened"]


def test_an_error_may_say_the_same_in_fewer_letters() -> None:
    def judge(new: str) -> list[str]:
        test = """\
import pytest
from rate import rate


def test_rate():
    with pytest.raises(ValueError, match="{}"):
        rate(-1)
"""
        old = test.format("not a subclass of base.Numeral")
        return asked(changed("tests/test_rate.py", old, test.format(new)))

    assert judge("not a subclass of Number") == []
    assert judge("not a subclass of base.Numeral.") == []
    assert judge("not a subclass") == ["assertion-weakened"]
    assert judge("not .* number") == ["assertion-weakened"]


def test_a_list_that_others_may_change_is_not_what_it_was() -> None:
    def judge(call: str) -> list[str]:
        test = """\
from rate import put


def test_put():
    {}d = {{}}
    {}
    assert d == {{"ten": 3}}
"""
        old = test.format("d = None\n    ", "put(d, 10)")
        return asked(changed("tests/test_rate.py", old, test.format("", call)))

    assert judge("put(d, 10)") == []
    assert judge("d.update(put(10))") == []


PRODUCT = """\
class Options:
    def __init__(self, meta):
        self.ordered = meta.ordered
        self.strict = meta.strict


def load(options, rows):
    return sorted(rows) if options.ordered else list(rows)


def dump(options, rows):
    return [str(row) for row in rows]
"""
FIRST = """\
from rows import Options, dump, load


def test_order_is_kept():
    assert load(Options(ordered=True), [2, 1]) == [1, 2]


"""
SECOND = """\
def test_rows_become_text():
    assert dump(Options(strict=True), [1]) == ["1"]
"""
UNORDERED = PRODUCT.replace("        self.ordered = meta.ordered\n", "").replace(
    "sorted(rows) if options.ordered else list(rows)", "list(rows)"
)
TESTS = "tests/test_rows.py"


def test_a_test_may_go_with_the_option_that_it_tested() -> None:
    without = changed(TESTS, FIRST + SECOND, FIRST.partition("def")[0] + SECOND)
    kept = changed("rows.py", PRODUCT, PRODUCT.replace("sorted(rows)", "sorted(rows, key=int)"))
    gone = changed("rows.py", PRODUCT, UNORDERED)

    assert asked(gone, without) == []
    assert asked(kept, without) == ["test-removed"]
    assert asked(gone, without, base_decides=False) == ["test-removed"]


def test_a_file_of_tests_may_go_with_most_of_its_code() -> None:
    gone = FileChange(TESTS, TESTS, (FIRST + SECOND).encode(), None)
    unordered = changed("rows.py", PRODUCT, UNORDERED)

    assert asked(unordered, gone) == []
    assert asked(unordered, gone, base_decides=False) == ["test-removed"]
    more = SECOND + "\n\n" + SECOND.replace("text", "words").replace("[1]", "[2]")
    assert asked(unordered, gone.replace(old=(FIRST + more).encode())) == ["test-removed"]


def test_a_warning_may_go_with_a_deprecation() -> None:
    def judge(kind: str) -> list[str]:
        test = f"""\
import pytest
from rate import rate


def test_rate():
    with pytest.warns({kind}):
        rate(-1)
    assert rate(-1) == 0
"""
        new = test.replace(f"    with pytest.warns({kind}):\n        rate(-1)\n", "")
        return asked(changed("tests/test_rate.py", test, new))

    assert judge("DeprecationWarning") == []
    assert judge("UserWarning") == ["assertion-weakened"]


def test_new_tests_that_ask_as_much_take_the_place_of_one_that_is_gone() -> None:
    product = changed("rows.py", PRODUCT, PRODUCT.replace("sorted(rows)", "sorted(rows, key=int)"))
    first = FIRST.replace(
        "== [1, 2]\n", "== [1, 2]\n    assert load(Options(ordered=False), []) == []\n"
    )
    without = changed(TESTS, first + SECOND, FIRST.partition("def")[0] + SECOND)

    def judge(*asserted: str, base_decides: bool = True) -> list[str]:
        body = "".join(f"    assert {each}\n" for each in asserted)
        text = f"from rows import Options, dump, load\n\n\ndef test_numbers():\n{body}".encode()
        more = FileChange("tests/test_order.py", "", None, text)
        return asked(product, without, more, base_decides=base_decides)

    orders = 'load(Options(ordered=1), ["10", "9"]) == ["9", "10"]', "load(None, 1)"
    assert judge(*orders) == []
    assert judge(*orders, base_decides=False) == ["test-removed"]
    assert judge(orders[0]) == ["test-removed"]
    assert judge(orders[0], "True") == ["test-removed"]


def test_many_tests_may_become_rows_of_a_table_with_a_name() -> None:
    numbers = range(200)
    tests = (f"def test_{n}():\n    assert rate({n}) == {n // 3}\n\n\n" for n in numbers)
    old = "from rate import rate\n\n\n" + "".join(tests)
    rows = "".join(f"    ({n}, {n // 3}),\n" for n in numbers)
    test = "def test_rate(given, wanted):\n    assert rate(given) == wanted\n"
    new = f'ROWS = [\n{rows}]\n\n\n@pytest.mark.parametrize("given, wanted", ROWS)\n{test}'

    assert asked(changed("tests/test_rate.py", old, new)) == []
    less = new.replace("    (3, 1),\n", "")
    assert asked(changed("tests/test_rate.py", new, less)) == ["assertion-weakened"]


def test_classes_that_no_test_inherits_are_no_tests() -> None:
    test = """\
from schema import Schema


class Mine(Schema):
    def test_load(self):
        assert self.load(1) == 1


def test_schema():
    class Other(Mine):
        pass

    assert Other().load(2) == 2


class Third({}):
    pass
"""

    def judge(third: str) -> list[str]:
        old = test.replace("class Third", f"class {third}").format("Mine")
        return asked(changed("tests/test_schema.py", old, old.replace("test_load", "load_one")))

    assert judge("Third") == []
    assert judge("TestThird") == ["test-removed"]


def test_what_gave_values_may_be_refused_now() -> None:
    old = "def test_rate():\n    n = rate('x')\n    assert n == 3\n    assert n < 5\n    assert n\n"
    head = "def test_rate():\n    with pytest.raises({}):\n        {}('x')\n"
    beside = old.replace(
        "    assert n == 3\n    assert n < 5\n", head.format("ValueError", "rate")[17:]
    )

    for new, is_weaker in (
        (head.format("ValueError", "rate"), False),
        (head.format("ValueError", "other"), True),
        (head.format("Exception", "rate"), True),
        (beside, True),
    ):
        told = judged(changed("tests/test_rate.py", old, new))[0]
        assert ("assertion-weakened" in told) is is_weaker, new


def test_an_error_may_be_expected_of_a_call_or_of_what_stands_below() -> None:
    head = "class TestRate(TestCase):\n    def test_error(self):\n        "
    below = head + "with self.assertRaises({}):\n            rate(-1, unit={})\n"
    same = below.format("ValueError", "'m'")
    for call in (
        "self.assertRaises({}, rate, -1, unit={})\n",
        "self.assertRaises({}, lambda: rate(-1, unit={}))\n",
    ):
        old = head + call.format("ValueError", "'m'")
        assert judged(changed("tests/test_rate.py", old, same))[0] == set()
        assert judged(changed("tests/test_rate.py", same, old))[0] == set()
        looser = head + call.format("Exception", "'m'")
        assert judged(changed("tests/test_rate.py", same, looser))[0] == {"assertion-weakened"}


def test_a_hook_of_the_base_may_get_another_form() -> None:
    hook = "def pytest_ignore_collect(path{0}):\n    return path.name == {1}\n"
    old = hook.format("", "'py2.py'")
    new = hook.format(": Path", "'test_rate.py'")
    more = f"{new}def pytest_collection_modifyitems(items):\n    items[:] = []\n"

    assert judged(changed("tests/conftest.py", old, new)) == (set(), {"collection-hook"})
    for path, text in (("src/plugin.py", new), ("tests/conftest.py", more)):
        assert judged(changed(path, old, text))[0] == {"collection-hook"}, path
    came = changed("tests/conftest.py", old, new).replace(old_path="docs/conftest.py")
    assert judged(came)[0] == {"collection-hook"}
    moved = changed("conftest.py", old, ""), changed("a/conftest.py", "", new)
    assert judged(*moved)[0] == {"collection-hook"}


def test_names_of_tests_may_be_others_where_no_test_is_lost() -> None:
    text = (
        "class Test_rate:\n    def test_ten(self): ...\n\n\n"
        "class Zero(TestCase):\n    def testAll(self): ...\n\n\n"
        "class TestDouble:\n    def __init__(self): ...\n\n\n"
        "class TestBase(Base):\n    class TestIn: ...\n\n\n"
        "@pytest.fixture\ndef testapp(): ...\n\n\ntest_more = make(3)\n"
    )

    def judge(old: str, new: str) -> set[str]:
        settings = changed("pytest.ini", f"[pytest]\n{old}\n", f"[pytest]\n{new}\n")
        return judged(settings, tests=["test_rate.py"], beside={"test_rate.py": text})[0]

    for old, new in (
        ("python_classes = Test_* TestDouble", "python_classes = Test_*"),
        ("", "python_functions = test_*"),
        ("python_classes = Test_*", "python_classes = Test"),
        ("python_functions = test_ten zero", "python_functions = test_*"),
    ):
        assert judge(old, new) == set(), new
    for old, new in (
        ("", "python_classes = Check"),
        ("python_classes = *", "python_classes = Zero"),
        ("", "python_functions = test_ten"),
        ("", "python_classes = Test_* TestIn"),
        ("", "python_classes = Test_* TestBase"),
    ):
        assert judge(old, new) == {"runner-options-narrowed"}, new


def test_only_a_folder_that_is_there_is_left_out() -> None:
    def judge(folders: str) -> list[Level]:
        change = changed("pytest.ini", "[pytest]\n", f"[pytest]\nnorecursedirs = {folders}\n")
        found = review(
            [change], tree=lambda _: None, tests=["tests/unit/test_a.py"], product=["src/a.py"]
        )
        return [each.level for each in found if each.rule == "runner-options-narrowed"]

    assert judge("build dist .tox *.egg-info docs/_theme") == []
    for folders in ("build tests", "[t]ests", "['tests']", "unit", "te*", "tests/unit", "*"):
        assert judge(folders) == [Level.ASKING], folders
