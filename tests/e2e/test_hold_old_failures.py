"""Tests that failed before a session was held: they are named, and do not keep it from its end."""

from pathlib import Path

import pytest

from tests.e2e.holds import Held

TESTS = """import unittest

from calc import add, double


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_double(self):
        self.assertEqual(double(2), 4)

    def test_old(self):
        self.fail("broken long before")
"""
CALC = "def add(a, b):\n    return a {}\n\n\ndef double(a):\n    return a {}\n"
MADE = "test:\n\tpython3 -m unittest -q\n"
OLD, ASKED, KEPT = (f"test_calc.Calc::test_{name}" for name in ("old", "add", "double"))


@pytest.fixture
def red(tmp_path: Path) -> Held:
    """One test passes. One fails because of the product, and one whatever the product does."""
    files = {"calc.py": CALC.format("- b", "* 2"), "test_calc.py": TESTS, "Makefile": MADE}
    world = Held(tmp_path, verify='[["make", "test"]]', files=files)
    world.arm()
    return world


def test_what_is_mended_proves_the_work_and_what_is_left_is_named(red: Held) -> None:
    red.write("calc.py", CALC.format("+ b", "* 3"))
    told = red.stop().block
    assert f"1 of 3 tests fail that did not before: {KEPT} (1 failed before)" in told

    red.write("calc.py", CALC.format("+ b", "* 2"))
    told = red.stop().notice
    assert "Proven on tree" in told
    assert f"mended: {ASKED}; NOT mended, failing before and now: {OLD}" in told


@pytest.mark.thorough
def test_where_nothing_is_mended_the_agent_is_asked_once(red: Held) -> None:
    assert (
        f"no file has changed since; NOT mended, failing before and now: {ASKED}"
        in red.stop().block
    )

    red.work(number=1)
    asked = red.stop().block
    assert f"nothing that failed was mended; NOT mended, failing before and now: {ASKED}" in asked
    assert "AssertionError: -1 != 3" in asked

    told = red.stop(stop_hook_active=True).notice
    assert f"nothing broke; NOT mended, failing before and now: {ASKED}, {OLD}" in told
