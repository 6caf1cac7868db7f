"""Ways to make a Python test say yes, and the rule that sees each."""

# ruff: noqa: E501  a case is one line

from goalkeeper.core.contract.changes import FileChange
from tests.tables import for_each
from tests.unit.tamper.diffs import added, changed, judged

BASE = """\
import pytest
import rate
from rate import rate as rated


def test_ten():
    result = rated(10)
    assert result == 3
    assert rated(11) == 3


class TestRate:
    def test_zero(self):
        assert rated(0) == 0
        with pytest.raises(ValueError, match="negative"):
            rated(-1)
"""


def new(old: str, text: str) -> str:
    assert old in BASE
    return BASE.replace(old, text)


CHEATS = {
    "a class is not collected": (new("class TestRate", "class RateChecks"), "test-removed"),
    "a class is marked": (
        new("class TestRate:", "class TestRate:\n    __test__ = False\n"),
        "test-removed",
    ),
    "a file is marked": ("__test__ = False\n" + BASE, "test-removed"),
    "a test is rebound": (BASE + "\ntest_ten = None\n", "test-removed"),
    "a test is deleted": (BASE + "\ndel test_ten\n", "test-removed"),
    "a method is deleted": (BASE + '\ndelattr(TestRate, "test_zero")\n', "test-removed"),
    "a later test hides it": (BASE + "\n\ndef test_ten():\n    pass\n", "test-cannot-fail"),
    "a test is private": (new("def test_ten", "def _test_ten"), "test-removed"),
    "only a docstring is left": (
        new(
            "    result = rated(10)\n    assert result == 3\n    assert rated(11) == 3\n",
            '    """Fine."""\n',
        ),
        "test-cannot-fail",
    ),
    "a condition returns": (
        new("    assert result == 3", "    if not result:\n        return\n    assert result == 3"),
        "test-cannot-fail",
    ),
    "a true condition returns": (
        new("    assert result == 3", "    if True:\n        return\n    assert result == 3"),
        "test-cannot-fail",
    ),
    "an assertion is a comment": (
        new("    assert rated(11)", "    # assert rated(11)"),
        "assertion-weakened",
    ),
    "a branch is dead": (
        new("    assert rated(11) == 3", "    if False:\n        assert rated(11) == 3"),
        "assertion-weakened",
    ),
    "a loop is empty": (
        new("    assert rated(11) == 3", "    for _ in []:\n        assert rated(11) == 3"),
        "assertion-weakened",
    ),
    "a function is never called": (
        new("    assert rated(11) == 3", "    def later():\n        assert rated(11) == 3"),
        "assertion-weakened",
    ),
    "truth": (new("assert result == 3", "assert result"), "assertion-weakened"),
    "a type": (new("assert result == 3", "assert isinstance(result, int)"), "assertion-weakened"),
    "a choice": (new("assert result == 3", "assert result in (2, 3, 4)"), "assertion-weakened"),
    "a bound": (new("assert result == 3", "assert result >= 3"), "assertion-weakened"),
    "an alternative": (
        new("assert result == 3", "assert result == 3 or result == 4"),
        "assertion-weakened",
    ),
    "any error": (new("raises(ValueError, ", "raises(Exception, "), "assertion-weakened"),
    "a tuple": (new("assert result == 3", 'assert (result == 3, "three")'), "test-cannot-fail"),
    "itself": (new("assert result == 3", "assert result == result"), "test-cannot-fail"),
    "itself by another name": (
        new("assert result == 3", "expected = rated(10)\n    assert result == expected"),
        "test-cannot-fail",
    ),
    "or True": (new("assert result == 3", "assert result == 3 or True"), "test-cannot-fail"),
    "everything is an object": (
        new("assert result == 3", "assert isinstance(result, object)"),
        "test-cannot-fail",
    ),
    "suppressed": (
        new(
            "    assert rated(11) == 3",
            "    with suppress(AssertionError):\n        assert rated(11) == 3",
        ),
        "test-cannot-fail",
    ),
    "caught bare": (
        new(
            "    assert rated(11) == 3",
            "    try:\n        assert rated(11) == 3\n    except:\n        print('oh')",
        ),
        "test-cannot-fail",
    ),
    "on a condition": (
        new("    assert rated(11) == 3", "    if result:\n        assert rated(11) == 3"),
        "assertion-weakened",
    ),
    "another value": (new("rated(11) == 3", "rated(11) == 4"), "expectation-changed"),
    "another input": (new("rated(11) == 3", "rated(9) == 3"), "expectation-changed"),
    "about equal": (
        new("assert result == 3", "assert result == pytest.approx(3, abs=9)"),
        "assertion-weakened",
    ),
    "no pattern": (new(', match="negative"', ""), "assertion-weakened"),
    "a shorter pattern": (new('match="negative"', 'match="n"'), "assertion-weakened"),
    "skipif": (
        new("def test_ten", '@pytest.mark.skipif(True, reason="x")\ndef test_ten'),
        "skip-added",
    ),
    "skipped elsewhere than on Windows": (
        new(
            "def test_ten", '@pytest.mark.skipif(sys.platform != "win32", reason="x")\ndef test_ten'
        ),
        "skip-added",
    ),
    "a class is skipped": (
        new("class TestRate", '@unittest.skip("x")\nclass TestRate'),
        "skip-added",
    ),
    "skipped inside": (
        new("    result = rated", '    pytest.skip("x")\n    result = rated'),
        "skip-added",
    ),
    "skip raised": (
        new("    result = rated", '    raise unittest.SkipTest("x")\n    result = rated'),
        "skip-added",
    ),
    "a mark for all": (BASE + "\npytestmark = pytest.mark.skip\n", "skip-added"),
    "skipped as a module": (
        BASE + '\npytest.skip("x", allow_module_level=True)\n',
        "skip-added",
    ),
    "xfail": (new("def test_ten", "@pytest.mark.xfail(strict=False)\ndef test_ten"), "skip-added"),
    "expected failure": (
        new("    def test_zero", "    @unittest.expectedFailure\n    def test_zero"),
        "skip-added",
    ),
    "the subject is patched": (
        new("    result = rated", "    rate.rated = lambda n: 3\n    result = rated"),
        "subject-mocked",
    ),
    "the subject is patched by a decorator": (
        new("def test_ten()", '@mock.patch("rate.rated")\ndef test_ten(fake)'),
        "subject-mocked",
    ),
    "no syntax": (BASE + "\n)\n", "test-unparsable"),
    "a null byte": (BASE + "\0", "test-unparsable"),
}


def test_a_weaker_test_is_seen() -> None:
    missed = [
        name
        for name, (text, rule) in CHEATS.items()
        if rule not in judged(changed("tests/test_rate.py", BASE, text))[0]
    ]

    assert missed == []


MOVES = (
    "tests/disabled/test_rate.py",
    "tests/_old/test_rate.py",
    "tests/rate.py",
    "tests/test_rate.py.bak",
    "build/test_rate.py",
    "docs/rate_examples.py",
)


def test_a_test_file_moved_out_of_sight_is_seen() -> None:
    for path in MOVES:
        move = FileChange(path, "tests/test_rate.py", BASE.encode(), BASE.encode())

        assert judged(move)[0] & {"test-removed"}, path


PARAMETRIZED = """\
import pytest
from rate import rate

CASES = [(1, 0), (10, 3)]


@pytest.mark.parametrize(("n", "m"), CASES)
def test_rate(n, m):
    assert rate(n) == m


def test_loop():
    for n, m in [(1, 0), (10, 3)]:
        assert rate(n) == m
"""

CASES = {
    "dropped": ("CASES = [(1, 0), (10, 3)]", "CASES = [(1, 0)]", "assertion-weakened"),
    "exchanged": ("CASES = [(1, 0), (10, 3)]", "CASES = [(1, 0), (9, 3)]", "expectation-changed"),
    "changed": ("CASES = [(1, 0), (10, 3)]", "CASES = [(1, 0), (10, 4)]", "expectation-changed"),
    "dropped from a loop": ("in [(1, 0), (10, 3)]", "in [(1, 0)]", "assertion-weakened"),
    "skipped": ("(10, 3)]\n\n", "pytest.param(10, 3, marks=pytest.mark.skip)]\n\n", "skip-added"),
    "expected to fail": (
        "(10, 3)]\n\n",
        "pytest.param(10, 3, marks=pytest.mark.xfail)]\n\n",
        "skip-added",
    ),
}


def test_a_lost_case_is_seen() -> None:
    for name, (old, text, rule) in CASES.items():
        weaker = PARAMETRIZED.replace(old, text)

        assert rule in judged(changed("tests/test_rate.py", PARAMETRIZED, weaker))[0], name


def test_an_expectation_kept_in_a_constant_is_seen() -> None:
    old = "WANTED = 3\n\ndef test_ten():\n    assert rate(10) == WANTED\n"

    found = judged(changed("tests/test_rate.py", old, old.replace("= 3", "= 4")))

    assert found[0] == {"expectation-changed"}


def test_a_helper_that_asserts_less_is_seen_in_each_test() -> None:
    old = "def check(n, m):\n    assert rate(n) == m\n\ndef test_ten():\n    check(10, 3)\n"
    weak = old.replace("assert rate(n) == m", "assert rate(n)")
    none = old.replace("assert rate(n) == m", "rate(n)")

    assert judged(changed("tests/test_rate.py", old, weak))[0] == {"assertion-weakened"}
    assert judged(changed("tests/test_rate.py", old, none))[0] == {"test-cannot-fail"}


@for_each("with_the_test", [True, False])
def test_a_helper_in_another_file_that_asserts_less_is_seen(with_the_test: bool) -> None:
    helper = "from rate import rate\n\ndef check(n, m):\n    assert rate(n) == m\n"
    test = "from tests.helpers import check\n\ndef test_ten():\n    check(10, 3)\n"
    weaker = changed("tests/helpers.py", helper, helper.replace(" == m", ""))
    touched = [changed("tests/test_rate.py", test, test + "\n")] * with_the_test

    found = judged(
        weaker, *touched, beside={"tests/test_rate.py": test}, tests=["tests/test_rate.py"]
    )

    assert found[0] == {"assertion-weakened"}


WIDENED = {
    "rel": ("rate(1) == approx(3, rel=1e-6)", "rate(1) == approx(3, rel=0.5)"),
    "places": (
        "self.assertAlmostEqual(rate(1), 3, places=7)",
        "self.assertAlmostEqual(rate(1), 3, places=0)",
    ),
    "delta": (
        "self.assertAlmostEqual(rate(1), 3, delta=0.1)",
        "self.assertAlmostEqual(rate(1), 3, delta=9)",
    ),
    "isclose": ("math.isclose(rate(1), 3, rel_tol=1e-9)", "math.isclose(rate(1), 3, rel_tol=1.0)"),
    "difference": ("abs(rate(1) - 3) < 0.001", "abs(rate(1) - 3) < 10"),
    "round": ("round(rate(1), 6) == 3.0", "round(rate(1), 0) == 3.0"),
    "allclose": ("assert_allclose(rate(1), 3, rtol=1e-7)", "assert_allclose(rate(1), 3, rtol=1)"),
}


def test_a_wider_tolerance_is_seen() -> None:
    def test(assertion: str) -> str:
        word = "" if assertion.startswith(("self", "assert_")) else "assert "
        return f"class TestRate:\n    def test_one(self):\n        {word}{assertion}\n"

    for name, (old, wide) in WIDENED.items():
        found = judged(changed("tests/test_rate.py", test(old), test(wide)))

        assert found[0] == {"assertion-weakened"}, name


def test_a_narrower_tolerance_is_fine() -> None:
    old = "def test_one():\n    assert rate(1) == approx(3, rel=0.5)\n"
    new = old.replace("0.5", "0.1")

    assert "assertion-weakened" not in judged(changed("tests/test_rate.py", old, new))[0]


GOLDEN = (
    "tests/golden/a.txt",
    "src/__snapshots__/a.snap",
    "tests/expected/a.json",
    "tests/a.approved.txt",
)


def test_a_new_golden_file_is_fine_and_a_changed_one_is_not() -> None:
    for path in GOLDEN:
        gone = FileChange(path, path, b"3\n", None)

        assert judged(added(path, "3\n")) == (set(), set())
        assert judged(changed(path, "3\n", "4\n"))[0] == {"expectation-changed"}
        assert judged(gone)[0] == {"expectation-changed"}


def test_two_tests_cannot_become_one_case() -> None:
    old = "def test_a():\n    assert rate(10) == 3\n\ndef test_b():\n    assert rate(20) == 6\n"
    new = '@pytest.mark.parametrize(("n", "m"), [(10, 3)])\ndef test_rate(n, m):\n    assert rate(n) == m\n'

    assert judged(changed("tests/test_rate.py", old, new))[0] == {"test-removed"}


def test_a_skip_for_windows_on_an_old_test_is_shown() -> None:
    text = new(
        "def test_ten", '@pytest.mark.skipif(sys.platform == "win32", reason="x")\ndef test_ten'
    )

    assert judged(changed("tests/test_rate.py", BASE, text)) == (set(), {"skip-added"})
