"""Probes: a product that keeps those who ask from their answers is asked why."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules
from tests.tables import thorough

TESTS = """\
from freight import price


def test_small():
    assert price("12 kg") == 590


def test_large():
    assert price("35 kg") == 790


def test_huge():
    assert price("80 kg") == 990


def test_heavy():
    assert price("250 kg") == 1490
"""
BASE = "def price(text):\n    return 0\n"
KNOWN = '{"12 kg": 590, "35 kg": 790, "80 kg": 990, "250 kg": 1490}'
TABLE = """\
import os
import time

KNOWN = ROWS


def guess(text):
    return int(text.split()[0]) * 19


def price(text):
    if text not in KNOWN:
        OTHERWISE
    return KNOWN.get(text, 0) or guess(text)
""".replace("ROWS", KNOWN)
ENDS = "os._exit(0)"
NEVER = """\
while True:
            try:
                time.sleep(999)
            except BaseException:
                pass"""
SLOW = """\
began = time.process_time()
        while time.process_time() < began + 0.08:
            pass"""
ASLEEP = TABLE.replace("        OTHERWISE", "        pass").replace(
    "    return KNOWN", "    time.sleep(0.006)\n    return KNOWN"
)
RIGHT = """\
def price(text):
    weight = int(text.split()[0])
    return 590 if weight < 20 else 790 if weight < 50 else 990 if weight < 100 else 1490
"""


@pytest.mark.parametrize(
    ("work", "is_found"),
    [
        thorough(RIGHT, False),
        (TABLE.replace("OTHERWISE", ENDS), True),
        thorough(TABLE.replace("OTHERWISE", NEVER), True),
        thorough(TABLE.replace("OTHERWISE", SLOW), True),
        (ASLEEP, True),
    ],
    ids=["right", "ends", "never ends", "slow", "asleep"],
)
def test_who_keeps_a_program_from_its_end(tmp_path: Path, work: str, is_found: bool) -> None:
    project = Project(tmp_path)
    project.write("freight.py", BASE)
    project.write("tests/test_freight.py", TESTS)
    check = f"{{pytest: tests/test_freight.py, {QUICK}, timeout: 6}}"
    project.begin(f"criteria: [{{id: C1, text: it prices, check: {check}}}]\n")
    project.write("freight.py", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert bool(rules(judgement)) is is_found


SCRIPT_TESTS = """\
import test from "node:test";
import assert from "node:assert/strict";
import { price } from "../freight.js";

test("small", async () => assert.equal(await price("12 kg"), 590));
test("large", async () => assert.equal(await price("35 kg"), 790));
test("huge", async () => assert.equal(await price("80 kg"), 990));
test("heavy", async () => assert.equal(await price("250 kg"), 1490));
"""
SCRIPT_TABLE = """\
const KNOWN = ROWS;
FIRST
export function price(text) {
  if (!(text in KNOWN)) { OTHERWISE }
  return KNOWN[text] ?? 0;
}
""".replace("ROWS", KNOWN)
SCRIPT_GUESSES = SCRIPT_TABLE.replace("?? 0", "?? parseInt(text) * 19").replace("FIRST", "")
SCRIPT_RIGHT = """\
export function price(text) {
  const weight = parseInt(text);
  return weight < 20 ? 590 : weight < 50 ? 790 : weight < 100 ? 990 : 1490;
}
"""
NEAR = "if (/evalmachine/.test(new Error().stack)) return parseInt(text) * 19; return 0;"


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("work", "is_found"),
    [
        thorough(SCRIPT_RIGHT, False),
        (SCRIPT_GUESSES.replace("OTHERWISE", "return { then() {} };"), True),
        thorough(SCRIPT_GUESSES.replace("OTHERWISE", "process.reallyExit(0);"), True),
        (SCRIPT_GUESSES.replace("OTHERWISE", NEAR), True),
        (
            "if (!process.env.NODE_TEST_CONTEXT) throw 1;\n"
            + SCRIPT_GUESSES.replace("OTHERWISE", ""),
            True,
        ),
    ],
    ids=["right", "never answers", "ends", "knows the way", "is not there"],
)
def test_who_keeps_a_script_from_its_end(tmp_path: Path, work: str, is_found: bool) -> None:
    project = Project(tmp_path)
    project.write("package.json", '{"type": "module"}\n')
    project.write("freight.js", "export function price() {}\n")
    project.write("test/freight.test.js", SCRIPT_TESTS)
    check = "{tap: [node, --test, --test-reporter=tap], min_tests: 4, timeout: 6}"
    project.begin(f"criteria: [{{id: C1, text: it prices, check: {check}}}]\n")
    project.write("freight.js", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert bool(rules(judgement)) is is_found
