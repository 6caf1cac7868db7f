"""Which test is which: renames, and what became of the base's tests."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.tamper.identity import Comparison, compare, find_moved, follow_renames, read_suite
from goalkeeper.witness.reports import junit, tap
from tests.contract.witness.reports.runners import run_node, run_pytest
from tests.tables import for_each

ONE = "def test_one():\n    assert f() == 1\n"
TWO = "def test_two():\n    assert f() == 2\n"


def follow(
    vanished: str, appeared: str, old: Mapping[str, str], new: Mapping[str, str]
) -> dict[str, str]:
    sides = [read_suite({path: text.encode() for path, text in s.items()}) for s in (old, new)]
    return dict(follow_renames(vanished.split("\n"), appeared.split("\n"), sides[0], sides[1]))


def cases(**outcomes: str) -> list[TestCase]:
    return [TestCase(name, Outcome(outcome)) for name, outcome in outcomes.items()]


LOOP = "import test from 'node:test';\nfor (const row of ROWS) test(`TITLE`, () => check(row));\n"


def write_loop(title: str) -> Mapping[str, str]:
    return {"test/a.test.js": LOOP.replace("TITLE", title)}


def test_titles_that_a_loop_makes_are_followed() -> None:
    old, new = write_loop("expands ${row}"), write_loop("${row} is expanded")

    assert follow("expands a{b}\nexpands c", "c is expanded\na{b} is expanded", old, new) == {
        "expands a{b}": "a{b} is expanded",
        "expands c": "c is expanded",
    }
    assert follow("says 1\nsays 2", "numbers > says 2\nwords > says 2", {}, {}) == {}
    assert follow("says 1", "numbers > says 1", {}, {}) == {"says 1": "numbers > says 1"}


def test_a_renamed_test_is_followed() -> None:
    old = {"tests/test_a.py": ONE + TWO}
    new = {"tests/test_a.py": ONE.replace("one", "first") + TWO}

    assert follow("tests/test_a.py::test_one", "tests/test_a.py::test_first", old, new) == {
        "tests/test_a.py::test_one": "tests/test_a.py::test_first"
    }


def test_a_changed_test_is_not() -> None:
    old = {"tests/test_a.py": ONE}
    new = {"tests/test_a.py": TWO}

    assert follow("tests/test_a.py::test_one", "tests/test_a.py::test_two", old, new) == {}


def test_a_test_that_is_renamed_with_what_it_speaks_of_is_followed_by_its_place() -> None:
    last = ONE.replace("one", "last")
    old = {"tests/test_a.py": ONE + "def test_null():\n    assert g() is None\n" + last}
    new = {"tests/test_a.py": ONE + "def test_empty():\n    assert g() == ''\n" + last}
    elsewhere = {"tests/test_a.py": ONE + last + "def test_empty():\n    assert g() == ''\n"}
    vanished, appeared = "tests/test_a.py::test_null", "tests/test_a.py::test_empty"

    assert follow(vanished, appeared, old, new) == {vanished: appeared}
    assert follow(vanished, appeared, old, elsewhere) == {}


def test_a_test_that_leaves_its_class_is_followed_by_its_name() -> None:
    method = "class A(TestCase):\n    def test_one(self):\n        self.assertEqual(f(), 1)\n"
    old, new = {"tests/test_a.py": method}, {"tests/test_a.py": ONE + TWO}
    appeared = "tests/test_a.py::test_one\ntests/test_a.py::test_two"

    assert follow("tests/test_a.py::A::test_one", appeared, old, new) == {
        "tests/test_a.py::A::test_one": "tests/test_a.py::test_one"
    }


def test_a_doctest_that_moves_with_its_function_is_followed_and_another_is_not() -> None:
    module = 'def f():\n    """Say one.\n\n    >>> f()\n    1\n    """\n    return 1\n'
    vanished, appeared = "src/pack/a.py::pack.a.f", "src/pack/b.py::pack.b.f"
    old, new = {"src/pack/a.py": module}, {"src/pack/b.py": module}

    assert follow(vanished, appeared, old, new) == {vanished: appeared}
    assert follow(vanished, appeared, old, {"src/pack/b.py": module.replace("  1", "  2")}) == {}


def test_a_moved_file_is_followed_test_by_test() -> None:
    same = "\n".join(f"def test_{name}(): run()" for name in "abc")
    old, new = {"tests/test_a.py": same}, {"tests/unit/test_a.py": same}
    ids = [[f"{path}::test_{name}" for name in "abc"] for path in (*old, *new)]

    found = follow("\n".join(reversed(ids[0])), "\n".join(ids[1]), old, new)

    assert found == dict(zip(ids[0], ids[1], strict=True))


def test_parameters_stay() -> None:
    text = "@pytest.mark.parametrize('x', [1, 2])\ndef test_one(x): ok(x)\n"
    old, new = {"test_a.py": text}, {"test_a.py": text.replace("one", "two")}
    vanished = "test_a.py::test_one[1]\ntest_a.py::test_one[a::b[2]]"
    appeared = "test_a.py::test_two[a::b[2]]\ntest_a.py::test_two[3]"

    assert follow(vanished, appeared, old, new) == {
        "test_a.py::test_one[a::b[2]]": "test_a.py::test_two[a::b[2]]"
    }


def test_rows_that_get_other_ids_are_followed_and_rows_that_are_gone_are_not() -> None:
    old = {"test_a.py": "@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_one(x): ok(x)\n"}
    rows = "[pytest.param(1, id='first'), 2]"
    new = {"test_a.py": f"@pytest.mark.parametrize('x', {rows})\ndef test_one(x): ok(x)\n"}
    gone = "test_a.py::test_one[1]\ntest_a.py::test_one[3]"

    found = follow(gone, "test_a.py::test_one[first]", old, new)

    assert found == {"test_a.py::test_one[1]": "test_a.py::test_one[first]"}


def test_a_fixture_that_is_renamed_makes_no_other_test() -> None:
    old = {"test_a.py": "def test_one(shop):\n    assert shop.sum() == 1\n"}
    new = {"test_a.py": "def test_sums(store):\n    assert store.sum() == 1\n"}

    assert follow("test_a.py::test_one", "test_a.py::test_sums", old, new)


def test_where_a_test_lies_that_does_not_run_any_more_is_known() -> None:
    old = {"test_a.py": (ONE + TWO).encode()}
    new = {"test_a.py": TWO.replace("2", "3").encode(), "test_b.py": ONE.encode()}
    ids = ["test_a.py::test_one", "test_a.py::test_two"]

    found = find_moved(ids, read_suite(old), read_suite(new))

    assert found == {"test_a.py::test_one": "test_b.py"}


def test_ids_without_files_are_found_by_their_modules() -> None:
    method = "class TestX:\n    def test_one(self): ok()\n"
    old, new = {"tests/test_a.py": method}, {"tests/test_b.py": method.replace("one", "two")}

    assert follow("tests.test_a.TestX::test_one", "tests.test_b.TestX::test_two", old, new) == {
        "tests.test_a.TestX::test_one": "tests.test_b.TestX::test_two"
    }


@for_each("joint", [" > ", " "])
def test_titles_are_found_in_whatever_file(joint: str) -> None:
    old = {"a.test.js": "describe('g', () => { it('x', () => { ok(1); }); });"}
    new = {"b.test.js": "describe('h', () => { it('y', () => { ok(1); }); });"}

    assert follow(f"g{joint}x", f"h{joint}y", old, new) == {f"g{joint}x": f"h{joint}y"}


def test_the_second_test_of_a_title_is_told_from_the_first() -> None:
    old = {"a.test.js": "it('x', () => { ok(1); });", "b.test.js": "it('x', () => { ok(2); });"}
    new = {"a.test.js": "it('x', () => { ok(1); });", "b.test.js": "it('y', () => { ok(2); });"}

    assert follow("x #2", "y", old, new) == {"x #2": "y"}


def test_each_new_test_stands_for_one_old_test() -> None:
    old = {"test_a.py": "def test_a(): ok()\ndef test_b(): ok()\n"}
    new = {"test_a.py": "def test_c(): ok()\n"}

    found = follow("test_a.py::test_b\ntest_a.py::test_a", "test_a.py::test_c", old, new)

    assert found == {"test_a.py::test_a": "test_a.py::test_c"}


def test_a_test_that_is_still_defined_was_not_renamed() -> None:
    """Deselected, with a copy to take its place where the ground is prepared."""
    old = {"test_a.py": ONE}
    new = {"test_a.py": ONE, "easy/test_a.py": ONE}

    assert follow("test_a.py::test_one", "easy/test_a.py::test_one", old, new) == {}


def test_every_change_is_in_its_class() -> None:
    base = cases(
        ok="passed", breaks="passed", skips="passed", goes="passed", old="failed", mends="error",
        gives_up="failed", sleeps="skipped", wakes="skipped", hopes="xfailed",
    )  # fmt: skip
    candidate = cases(
        ok="passed", breaks="error", skips="skipped", new="failed", mends="passed",
        gives_up="xfailed", sleeps="skipped", wakes="failed", hopes="passed", fresh="passed",
    )  # fmt: skip

    assert compare(base, candidate, {"old": "new", "goes": "nowhere"}) == Comparison(
        missing=("goes",),
        newly_skipped=("gives_up", "skips"),
        failing=("breaks", "new", "wakes"),
        fixed=("mends",),
        broken=("breaks",),
        still_failing=("new",),
        appeared=("fresh",),
        renamed=(("old", "new"),),
    )


def test_a_rename_that_cannot_be_is_not_followed() -> None:
    base, candidate = cases(a="passed", b="passed", c="passed"), cases(a="passed", d="passed")

    found = compare(base, candidate, {"a": "d", "b": "d", "c": "d", "x": "d"})

    assert (found.missing, found.renamed) == (("c",), (("b", "d"),))


def test_what_could_not_be_loaded_in_the_base_is_not_missed(tmp_path: Path) -> None:
    base = junit.parse(run_pytest(tmp_path, "xunit1"))
    mended = [case for case in base if case.id != "tests/test_broken.py"]
    mended.append(TestCase("tests/test_broken.py::test_a", Outcome.PASSED))

    assert compare(base, mended, {}).fixed == ("tests/test_broken.py",)
    assert compare(base, mended[:-1], {}).missing == ("tests/test_broken.py",)


@pytest.mark.needs("node")
def test_a_file_of_nodes_that_could_not_be_loaded_is_not_missed(tmp_path: Path) -> None:
    report = run_node(tmp_path, "tap", "import { nothing } from 'node:fs';")
    base = tap.parse(report, root=str(tmp_path))

    assert base == (TestCase("a.test.mjs", Outcome.FAILED, "test failed"),)
    assert compare(base, cases(works="passed"), {}).fixed == ("a.test.mjs",)
    assert compare(base, [], {}).missing == ("a.test.mjs",)


def test_a_group_that_failed_by_itself_is_fixed_when_only_its_tests_are_left() -> None:
    child = TestCase("group > child", Outcome.PASSED)
    group = TestCase("group", Outcome.FAILED)

    assert compare([child, group], [child], {}) == Comparison(fixed=("group",))
    assert compare([group], [child], {}).missing == ("group",)
    assert compare([child], [child, group], {}).failing == ("group",)
