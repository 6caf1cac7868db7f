"""Honest work on tests closes no gate."""

from goalkeeper.core.contract.changes import FileChange
from tests.unit.tamper.diffs import added, blocking, changed, findings, judged

BASE = """\
import pytest
from rate import rate


def test_rate_of_zero():
    assert rate(0) == 0


def test_rate_of_ten():
    result = rate(10)
    assert result == 3
    assert isinstance(result, int)
"""

SAME = {
    "a test is added": BASE + "\n\ndef test_more():\n    assert rate(30) == 10\n",
    "a test is renamed": BASE.replace("test_rate_of_ten", "test_ten_gives_three"),
    "the order is changed": """\
import pytest
from rate import rate


def test_rate_of_ten():
    result = rate(10)
    assert result == 3
    assert isinstance(result, int)


def test_rate_of_zero():
    assert rate(0) == 0
""",
    "a local is renamed": BASE.replace("result", "got"),
    "a local is written out": BASE.replace("    result = rate(10)\n", "").replace(
        "result", "rate(10)"
    ),
    "a docstring and comments are added": BASE.replace(
        "    result =", '    """Ten is special."""\n    # as in the manual\n    result ='
    ),
    "the sides of an equality are swapped": BASE.replace("rate(0) == 0", "0 == rate(0)"),
    "a helper is extracted": """\
import pytest
from rate import rate


def check(given, expected):
    assert rate(given) == expected


def test_rate_of_zero():
    check(0, 0)


def test_rate_of_ten():
    check(10, expected=3)
    assert isinstance(rate(10), int)
""",
    "a helper calls a helper": """\
from rate import rate


def same(got, expected):
    assert got == expected


def check(given, expected=0):
    same(rate(given), expected)


def test_rate_of_zero():
    check(0)


def test_rate_of_ten():
    result = rate(10)
    check(10, 3)
    assert isinstance(result, int)
""",
    "two tests become cases of one": """\
import pytest
from rate import rate


@pytest.mark.parametrize(("given", "expected"), [(0, 0), (10, 3), (20, 6)])
def test_rate(given, expected):
    result = rate(given)
    assert result == expected
    assert isinstance(result, int)
""",
    "tests move into a class": """\
from rate import rate


class TestRate:
    def test_rate_of_zero(self):
        assert rate(0) == 0

    def test_rate_of_ten(self):
        result = rate(10)
        assert result == 3
        assert isinstance(result, int)
""",
    "pytest becomes unittest": """\
import unittest
from rate import rate


class RateTest(unittest.TestCase):
    def test_rate_of_zero(self):
        self.assertEqual(rate(0), 0)

    def test_rate_of_ten(self):
        result = rate(10)
        self.assertEqual(result, 3)
        self.assertTrue(isinstance(result, int))
""",
    "an assertion is added": BASE.replace("== 0", "== 0\n    assert rate(0) is not None"),
    "an assertion gets a message": BASE.replace("result == 3", 'result == 3, "a third of ten"'),
    "a fixture is used": BASE.replace("test_rate_of_ten()", "test_rate_of_ten(tmp_path)"),
    "an honest mark is added": BASE.replace(
        "def test_rate_of_ten", "@pytest.mark.slow\ndef test_rate_of_ten"
    ),
    "a new test is skipped on Windows": BASE
    + """

@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_more():
    assert rate(30) == 10
""",
    "an assertion is made stronger": BASE.replace("isinstance(result, int)", "type(result) is int"),
    "a dependency is mocked": BASE.replace(
        "def test_rate_of_ten():\n",
        'def test_rate_of_ten(monkeypatch):\n    monkeypatch.setattr("rate.clock", lambda: 0)\n',
    ),
}


def test_tests_may_be_refactored() -> None:
    for name, new in SAME.items():
        assert judged(changed("tests/test_rate.py", BASE, new))[0] == set(), name


def test_new_tests_and_fixtures_pass_unseen() -> None:
    test = added(
        "tests/test_more.py", "from rate import rate\n\ndef test_one():\n    assert rate(3) == 1\n"
    )
    conftest = changed(
        "tests/conftest.py",
        "import pytest\n",
        "import pytest\n\n@pytest.fixture\ndef rows():\n    return [1]\n\n"
        "@pytest.fixture(autouse=True)\ndef _home(monkeypatch, tmp_path):\n"
        '    monkeypatch.setenv("HOME", str(tmp_path))\n',
    )

    assert judged(test, conftest) == (set(), set())


def test_a_moved_test_file_is_the_same_file() -> None:
    move = FileChange("tests/unit/test_rate.py", "tests/test_rate.py", BASE.encode(), BASE.encode())

    assert judged(move) == (set(), set())


def test_a_test_file_may_be_split() -> None:
    head, zero, ten = BASE.split("\n\n\n")
    first = changed("tests/test_rate.py", BASE, f"{head}\n\n\n{zero}\n")
    second = added("tests/test_ten.py", f"{head}\n\n\n{ten}\n")

    assert judged(first, second) == (set(), set())


CASES = """\
import pytest
from rate import rate


@pytest.mark.parametrize("given", [0, 3, 6])
def test_rate(given):
    assert rate(given) * 3 == given
"""


def test_cases_may_move_to_the_test_of_a_new_file() -> None:
    kept = changed("tests/test_rate.py", CASES, CASES.replace("[0, 3, 6]", "[0]"))
    new = CASES.replace("[0, 3, 6]", "[3, 6]").replace("test_rate", "test_more")

    assert judged(kept, added("tests/test_more.py", new)) == (set(), set())
    assert judged(kept, added("tests/more.py", new))[0] == {"assertion-weakened"}


def test_an_assertion_may_move_to_another_test() -> None:
    split = BASE.replace("    assert result == 3\n", "")
    other = added("tests/test_ten.py", "def test_ten():\n    assert rate(10) == 3\n")

    assert judged(changed("tests/test_rate.py", BASE, split))[0] == {"assertion-weakened"}
    assert judged(changed("tests/test_rate.py", BASE, split), other)[0] == set()


def test_what_runs_only_on_the_version_that_is_here_runs() -> None:
    old = "import sys\n" + BASE
    here, never = (
        old.replace("    assert result == 3", f"    if {condition}:\n        assert result == 3")
        for condition in ("sys.version_info >= (3, 9)", "sys.version_info < (3, 9)")
    )

    assert judged(changed("tests/test_rate.py", old, here))[0] == set()
    assert judged(changed("tests/test_rate.py", old, never))[0] == {"assertion-weakened"}


def test_a_comparison_may_get_another_side() -> None:
    new = BASE.replace("rate(0) == 0", "rate(0) == 0 == rate(-0)")

    assert judged(changed("tests/test_rate.py", BASE, new))[0] == {"expectation-changed"}


def test_a_linter_may_ask_for_isinstance() -> None:
    old = BASE.replace("isinstance(result, int)", "type(result) is int")

    assert judged(changed("tests/test_rate.py", old, BASE))[0] == {"expectation-changed"}


def test_what_an_error_says_may_stand_beside_its_kind() -> None:
    old = """\
def test_rate(self):
    with pytest.raises(ValueError) as error:
        rate(-1)
    assert str(error.value) == self.message
"""
    new = "def test_rate(self):\n    with pytest.raises(ValueError{}):\n        rate(-1)\n"

    said, silent = (new.format(given) for given in (", match=self.message", ""))
    assert judged(changed("tests/test_rate.py", old, said))[0] == {"expectation-changed"}
    assert judged(changed("tests/test_rate.py", old, silent))[0] == {"assertion-weakened"}


def test_tests_of_one_name_in_other_classes_are_others() -> None:
    group = "class Test{0}:\n    def test_basic(self):\n        assert {1} == {2}\n"
    old = group.format("Rate", "rate(10)", "3") + group.format("Zero", "zero(0)", "''")
    new = old.replace("test_basic", "test_plain") + group.format("More", "more([])", "[]")

    assert judged(changed("tests/test_rate.py", old, new)) == (set(), set())


def test_settings_of_the_runner_may_move() -> None:
    words = 'addopts = "-m fast"\npython_files = ["check_*.py"]\n'
    ini = b"[pytest]\naddopts = -m fast\npython_files = check_*.py\n"
    gone = FileChange("pytest.ini", "pytest.ini", ini, None)
    toml = changed("pyproject.toml", "", f"[tool.pytest.ini_options]\n{words}")
    less = changed("pyproject.toml", "", '[tool.pytest.ini_options]\naddopts = "-m fast"\n')

    assert judged(gone, toml)[0] == set()
    assert judged(gone, less, tests=["check_rate.py"])[0] == {"runner-options-narrowed"}


def test_a_turn_that_is_left_out_may_be_written_as_a_condition() -> None:
    loop, seen = (
        "def test_all():\n    for case in cases():\n",
        "assert rate(case['n']) == case['m']\n",
    )
    always = f"{loop}        {seen}"
    left_out = f"{loop}        if 'm' not in case:\n            continue\n        {seen}"
    asked = f"{loop}        if 'm' in case:\n            {seen}"

    assert judged(changed("tests/test_rate.py", left_out, asked))[0] == set()
    assert judged(changed("tests/test_rate.py", asked, left_out))[0] == set()
    assert judged(changed("tests/test_rate.py", always, left_out))[0] == {"assertion-weakened"}


def test_a_folder_without_tests_may_be_ignored() -> None:
    ignored = added("docs/_static/.gitignore", "*\n")

    assert judged(ignored, tests=["docs_test/test_a.py"])[0] == set()
    assert judged(ignored, tests=["docs/_static/test_a.py"])[0] == {"tests-ignored"}


def test_a_helper_may_move_to_a_module_beside_the_tests() -> None:
    old = "def check(n, m):\n    assert rate(n) == m\n\ndef test_rate():\n    check(10, 3)\n"
    new = "from tests.helpers import check\n\ndef test_rate():\n    check(10, 3)\n"
    helper = added(
        "tests/helpers.py", "from rate import rate\n\ndef check(n, m):\n    assert rate(n) == m\n"
    )

    assert judged(changed("tests/test_rate.py", old, new), helper)[0] == set()


def test_dead_code_may_go_with_its_tests() -> None:
    code = FileChange("legacy.py", "legacy.py", b"def legacy_rate(n):\n    return n\n", None)
    test = "from legacy import legacy_rate\n\ndef test_legacy():\n    assert legacy_rate(1) == 1\n"
    tests = FileChange("tests/test_legacy.py", "tests/test_legacy.py", test.encode(), None)

    assert judged(code, tests) == (set(), {"test-removed"})


def test_an_unused_helper_may_go() -> None:
    old = BASE + "\n\ndef make_row():\n    return [1]\n"

    assert judged(changed("tests/test_rate.py", old, BASE)) == (set(), set())


def test_cases_may_be_added() -> None:
    old = '@pytest.mark.parametrize("n", [1, 2])\ndef test_n(n):\n    assert rate(n) == 0\n'
    new = old.replace("[1, 2]", "[0, 1, 2]")

    assert judged(changed("tests/test_rate.py", old, new)) == (set(), set())


def test_a_snapshot_may_get_new_entries_and_new_names() -> None:
    old = "exports[`a 1`] = `1`;\n\nexports[`b 1`] = `2`;\n"
    new = "exports[`a 1`] = `1`;\n\nexports[`c 1`] = `2`;\n\nexports[`d 1`] = `3`;\n"

    assert judged(changed("src/__snapshots__/rate.test.js.snap", old, new)) == (set(), set())


SCRIPT = """\
import { rate } from "../rate";

describe("rate", () => {
  it("rates zero", () => {
    expect(rate(0)).toBe(0);
  });
  it("rates ten", () => {
    const result = rate(10);
    expect(result).toBe(3);
  });
});
"""

SAME_SCRIPT = {
    "a test is added": SCRIPT.replace(
        '  it("rates ten"',
        '  it("more", () => {\n    expect(rate(30)).toBe(10);\n  });\n  it("rates ten"',
    ),
    "a test is renamed": SCRIPT.replace("rates ten", "gives three for ten"),
    "a local is written out": SCRIPT.replace("    const result = rate(10);\n", "").replace(
        "expect(result)", "expect(rate(10))"
    ),
    "quotes and layout change": SCRIPT.replace('"', "'").replace("{\n    expect", "{ expect"),
    "a helper is extracted": SCRIPT.replace("expect(rate(0)).toBe(0);", "check(0, 0);").replace(
        "describe(", "const check = (n, m) => {\n  expect(rate(n)).toBe(m);\n};\n\ndescribe(", 1
    ),
    "a set-up is added": SCRIPT.replace(
        '"rate", () => {', '"rate", () => {\n  beforeEach(() => reset());'
    ),
    "tests become async": SCRIPT.replace("() => {\n    const", "async () => {\n    const"),
}


def test_script_tests_may_be_refactored() -> None:
    for name, new in SAME_SCRIPT.items():
        assert judged(changed("test/rate.test.js", SCRIPT, new))[0] == set(), name
        assert judged(changed("test/rate.test.ts", SCRIPT, new))[0] == set(), name


def test_tests_of_other_languages_may_grow() -> None:
    go = "package r\n\nfunc TestTen(t *testing.T) {\n\tif Rate(10) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"
    more = go + "\nfunc TestZero(t *testing.T) {\n\tif Rate(0) != 0 {\n\t\tt.Fatal()\n\t}\n}\n"
    bats = '@test "ten" {\n  run rate 10\n  [ "$output" = 3 ]\n}\n'

    assert judged(changed("rate_test.go", go, more)) == (set(), set())
    assert judged(changed("tests/rate.bats", bats, bats + bats.replace("ten", "two"))) == (
        set(),
        set(),
    )


def test_what_the_contract_lets_change_is_shown_and_not_blocked() -> None:
    diff = """\
--- a/tests/test_rate.py
+++ b/tests/test_rate.py
 def test_rate():
-    assert rate(10) == 3
+    assert rate(10)
"""

    assert blocking(diff) == {"assertion-weakened"}
    assert blocking(diff, may_change=True) == set()
    assert [each.rule for each in findings(diff, may_change=True)] == ["assertion-weakened"]


def test_an_assertion_may_be_imported_by_its_name() -> None:
    test = 'test("a", () => { {}(rate(10), 3); });\n'
    old = 'import assert from "node:assert/strict";\n' + test.replace("{}", "assert.equal")
    new = 'import { equal } from "node:assert/strict";\n' + test.replace("{}", "equal")
    none = 'import { equal } from "./equal.js";\n' + test.replace("{}", "equal")

    assert "test-cannot-fail" not in judged(changed("test/rate.test.js", old, new))[0]
    assert "test-cannot-fail" in judged(changed("test/rate.test.js", old, none))[0]
