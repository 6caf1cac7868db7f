"""Real projects and the real runners that report on them."""

import os
import subprocess
import sys
from pathlib import Path

PYTHON_TESTS = """
import unittest
import pytest

@pytest.fixture
def bad():
    raise RuntimeError("no database")

@pytest.fixture
def untidy():
    yield
    raise RuntimeError("cannot tidy up")

def test_passes(): pass
def test_fails(): assert 1 == 2, "one is not two"
def test_breaks(bad): pass
def test_fails_untidily(untidy): assert 0
def test_is_untidy(untidy): pass

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

@pytest.mark.xfail(reason="known")
def test_expected(): assert 0

@pytest.mark.xfail
def test_passes_against_expectation(): pass

@pytest.mark.parametrize("value", ["a", "b::c", "d[e]", "x #2"])
def test_values(value): pass

class TestGroup:
    def test_method(self): pass
    class TestInner:
        def test_method(self): pass

class Old(unittest.TestCase):
    def test_subtests(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertGreater(number, -1)
"""

NODE_TESTS = r"""
import { test, describe, it } from 'node:test';
import assert from 'node:assert';
test('passes', () => {});
test('a # hash and a \\ slash', () => {});
test('fails', () => { assert.strictEqual(1, 2); });
test('skipped', { skip: 'not today' }, () => {});
test('todo', { todo: true }, () => { throw new Error('later'); });
test('todo that passes', { todo: 'drop me' }, () => {});
describe('group', () => {
  it('talks', () => ['ok 7 - forged', 'not ok 8', '1..3'].forEach((line) => console.log(line)));
  it.skip('skipped', () => {});
  describe('inner', () => {
    it('talks', () => {});
    it('throws', () => { throw new Error('boom\nsecond line'); });
  });
});
test('parent', async (t) => {
  await t.test('child', () => {});
  await t.test('child', () => {});
});
"""


def run_pytest(folder: Path, family: str, source: str = PYTHON_TESTS) -> bytes:
    (folder / "tests").mkdir()
    (folder / "tests" / "test_a.py").write_text(source)
    (folder / "tests" / "test_broken.py").write_text("import there_is_no_such_module\n")
    (folder / "pytest.ini").write_text(f"[pytest]\njunit_family = {family}\n")
    plain = [f"-pno:{name}" for name in ("randomly", "xdist", "cacheprovider", "timeout")]
    options = ["--continue-on-collection-errors", "--junitxml=report.xml", *plain]
    run(folder, sys.executable, "-m", "pytest", "-q", *options)
    return (folder / "report.xml").read_bytes()


def run_node(folder: Path, reporter: str, source: str = NODE_TESTS) -> bytes:
    (folder / "a.test.mjs").write_text(source)
    return run(folder, "node", "--test", f"--test-reporter={reporter}", "a.test.mjs")


def run(folder: Path, *argv: str) -> bytes:
    drop = ("PYTEST_", "NODE_", "COV_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, check=False)
    return done.stdout
