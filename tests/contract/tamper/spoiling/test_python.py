"""Python tests with other expectations: all that are claimed to fail do, with a real pytest."""

import os
import subprocess
from pathlib import Path

from bench.lean import lean_python
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.tamper.identity import SourceIndex
from goalkeeper.tamper.spoiling.python import spoil_python
from goalkeeper.witness.reports import junit

SHAPES = """\
import re
import unittest
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest

ROWS = [("a", 1), ("bb", 2)]
WANTED = {"name": "Ada", "age": 36}


def count(text):
    return len(text)


def test_number():
    assert count("abc") == 3


def test_negative_number():
    assert -count("abc") == -3


def test_bool():
    assert (count("abc") > 2) is True


def test_text_on_the_left():
    assert "3 items" == f"{count('abc')} items"


def test_text_of_another_script():
    assert "Компьютер".lower() == "компьютер"


def test_several():
    assert count("a") == 1 and count("ab") == 2, "with a message"


def test_nested():
    assert {"a": [count("a"), None], "b": count} == {"a": [1, None], "b": count}


def test_wrapped():
    assert Decimal(count("ab")) / 4 == Decimal("0.5")
    assert count("ab") / 3 == pytest.approx(0.6666666)


def test_local_name():
    expected = 3
    assert count("abc") == expected


def test_name_that_is_an_input_too():
    text = "abc"
    assert text[: count(text)] == text


def test_constant():
    assert {"name": "Ada", "age": 36} | {} == WANTED


def test_part():
    assert "items" in f"{count('abc')} items"


@pytest.mark.parametrize("text, wanted", [("a", 1), pytest.param("bb", 2, id="two"), ["ccc", 3]])
def test_rows(text, wanted):
    assert count(text) == wanted


@pytest.mark.parametrize(("text", "wanted"), ROWS)
def test_rows_elsewhere(text, wanted):
    assert count(text) == wanted


@pytest.mark.parametrize("text, wanted", [("a", 1), ("", None)])
def test_rows_with_one_that_stays(text, wanted):
    assert (count(text) or None) == wanted


def test_raises():
    with pytest.raises(TypeError, match="len"):
        count(3)
    with pytest.raises((TypeError, ValueError)):
        count(3)


def test_loop():
    for text, wanted in [("a", 1), ("bb", 2)]:
        with suppress(KeyError):
            assert count(text) == wanted
        assert count(text) < 9


def test_branch():
    if count("abc") == 3:
        assert re.match("a+", "aaa")


def test_no_assertion():
    count("abc")  # it must not raise


def test_golden(tmp_path):
    assert Path(__file__).with_name("wanted.txt").read_text() == "three\\n"


async def helper():
    return 1


class TestGroup:
    def test_method(self):
        assert count("abc") == 3

    class TestInner:
        def test_inner(self):
            assert count("abc") == 3


class Cases(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(count("abc"), 3)

    def test_true(self):
        self.assertTrue(count("abc") == 3)

    def test_in(self):
        self.assertIn("items", "3 items")

    def test_raises(self):
        with self.assertRaises(TypeError):
            count(3)
        self.assertRaises(TypeError, count, 3)

    def test_almost(self):
        self.assertAlmostEqual(count("abc") / 7, 0.428571, places=5)
"""
# What follows cannot be counted on: they may return before anything is compared, or swallow it.
DOUBTFUL = """

def test_returns_early():
    if count("abc"):
        return
    assert count("abc") == 3


def test_swallows():
    try:
        assert count("abc") == 3
    except AssertionError:
        return
"""


def run_suite(folder: Path, text: str) -> dict[str, Outcome]:
    tests = folder / "tests"
    tests.mkdir(exist_ok=True)
    (tests / "wanted.txt").write_text("three\n")
    (tests / "test_shapes.py").write_text(text)
    options = ("-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--junitxml=r.xml")
    subprocess.run(
        [f"{lean_python()}/python3", "-m", "pytest", *options, "tests"],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
    )
    report = (folder / "r.xml").read_bytes()
    return {case.id: case.outcome for case in junit.parse(report, root=str(folder))}


def test_every_test_that_passed_fails_with_other_expectations(tmp_path: Path) -> None:
    text = SHAPES + DOUBTFUL
    before = run_suite(tmp_path, text)
    assert set(before.values()) == {Outcome.PASSED}

    for seed in ("one", "two"):
        spoilt = spoil_python(text, seed, path="tests/test_shapes.py")
        assert spoilt is not None
        claimed = SourceIndex({f"tests/test_shapes.py::{name}": "" for name in spoilt.spoilt})
        after = run_suite(tmp_path, spoilt.text)

        passed = {name for name, outcome in after.items() if outcome is Outcome.PASSED}
        assert passed == {
            "tests/test_shapes.py::test_returns_early",
            "tests/test_shapes.py::test_swallows",
        }
        assert {name for name in after if not claimed.find(name)} == passed
        # Rows that are compared with give other names to their tests; all others stay.
        kept = {name.partition("[")[0] for name in before}
        assert kept == {name.partition("[")[0] for name in after}


def test_values_are_other_ones_by_every_seed_and_texts_look_the_same() -> None:
    text = "def test_a():\n    assert f() == 'Total: 12.50 EUR'\n    assert g() == 407\n"

    made = {spoil.text for seed in "abcdef" if (spoil := spoil_python(text, seed))}

    assert len(made) == 6
    for each in made:
        assert "'Total: 12.50 EUR'" not in each
        assert "407" not in each
        assert len(each.splitlines()[1]) == len(text.splitlines()[1])


def test_what_is_no_test_file_is_left_alone() -> None:
    assert spoil_python("def helper():\n    assert f() == 1\n", "seed") is None
    assert spoil_python("def test_a(:\n", "seed") is None
