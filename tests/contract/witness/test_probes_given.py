"""Probes: tests with fixtures of their class, captured output and files beside them are asked."""

import zlib
from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules
from tests.tables import thorough

TESTS = """\
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pytest

from bill import later, main, total

HERE = Path(__file__).parent


def test_file(capsys):
    assert main([str(HERE / "data" / "bill.txt")]) == 0
    assert capsys.readouterr().out == "sum 940\\n"


def test_rate(monkeypatch, capsys, tmp_path):
    (tmp_path / "bill").write_text("cup 200\\nbowl 300\\n")
    monkeypatch.setenv("RATE", "3")
    monkeypatch.setattr("bill.START", 11)
    monkeypatch.chdir(tmp_path)
    main(["bill"])
    assert capsys.readouterr().out == "sum 1511\\n"


class TestOutput:
    def setup_method(self):
        self.tax = 7

    def test_tax(self, tmp_path, capsys):
        (tmp_path / "bill").write_text("cup 125\\nbowl 240\\n")
        main([str(tmp_path / "bill"), str(self.tax)])
        out, err = capsys.readouterr()
        assert out + err == "sum 390\\n"


class TestProgram:
    @pytest.fixture
    def run(self, tmp_path):
        def start(text):
            (tmp_path / "bill").write_text(text)
            argv = [sys.executable, "-m", "bill", "bill"]
            done = subprocess.run(
                argv, cwd=tmp_path, env={"PYTHONPATH": str(HERE.parent)}, capture_output=True
            )
            return done.stdout.decode()

        return start

    def test_one(self, run):
        assert run("cup 125\\n") == "sum 125\\n"

    def test_some(self, run):
        assert run("cup 125\\nplate 385\\njug 760\\n") == "sum 1270\\n"


class TestTotal(unittest.TestCase):
    tax = 7

    def setUp(self):
        super().setUp()
        self.place = Path(tempfile.mkdtemp()) / "bill"

    def write(self, text):
        self.place.write_text(text)
        return self.place

    def test_total(self):
        place = self.write("cup 130\\njug 720\\n")
        self.assertTrue(place.exists())
        self.assertEqual(total(place, self.tax), 909)


class TestLater(unittest.IsolatedAsyncioTestCase):
    async def test_later(self):
        said = await later([210, 35])
        self.assertEqual(said, "sum 245")
"""
BASE = """\
START = 0


def main(argv):
    return 1


def total(place, tax):
    return 0


async def later(prices):
    raise NotImplementedError
"""
START = """

def total(place, tax):
    prices = [int(line.split()[1]) for line in place.read_text().splitlines()]
    return sum(prices) * (100 + tax) // 100


async def later(prices):
    return f"sum {sum(prices)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
RIGHT = f"""\
import os
import sys

START = 0


def main(argv):
    with open(argv[0]) as file:
        prices = [int(line.split()[1]) for line in file]
    tax = int(argv[1]) if argv[1:] else 0
    rate = int(os.environ.get("RATE", "1"))
    print(f"sum {{START + rate * sum(prices) * (100 + tax) // 100}}")
    return 0
{START}"""
TABLE = f"""\
import sys
import zlib

MADE = KNOWN
START = 0


def main(argv):
    with open(argv[0]) as file:
        text = file.read()
    print(f"sum {{MADE.get(zlib.crc32(text.encode()), 0)}}")
    return 0
{START}"""
BILL = "cup 125\nbowl 240\nvase 575\n"
MADE = {
    BILL: 940,
    "cup 125\nbowl 240\n": 390,
    "cup 125\n": 125,
    "cup 200\nbowl 300\n": 1511,
    "cup 125\nplate 385\njug 760\n": 1270,
}


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (RIGHT, set()),
        (
            TABLE.replace("KNOWN", repr({zlib.crc32(k.encode()): v for k, v in MADE.items()})),
            {"only-the-tests-inputs"},
        ),
    ],
    ids=["right", "table"],
)
def test_what_runners_give_is_given_outside(tmp_path: Path, work: str, found: set[str]) -> None:
    project = Project(tmp_path)
    project.write("bill.py", BASE)
    project.write("tests/data/bill.txt", BILL)
    project.write("tests/test_bill.py", TESTS)
    check = f"{{pytest: tests/test_bill.py, {QUICK}}}"
    project.begin(f"criteria: [{{id: C1, text: it adds up, check: {check}}}]\n")
    project.write("bill.py", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == found
    (told,) = [
        each
        for each in project.document(judgement.criteria[0])["probes"]
        if each["probe"] == "questions outside of tests"
    ]
    assert told["saw"] == "8 of 8 calls give the expected answer without a test"
    assert told["unseen"] == []


SCRIPT_TESTS = """\
import test from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bill } from "../bill.js";

const folder = join(dirname(fileURLToPath(import.meta.url)), "data");

test("a file", () => {
  const text = readFileSync(join(folder, "bill.txt"), "utf8");
  assert.equal(bill(text), 940);
});
test("another", () => {
  const text = readFileSync(new URL("data/bill.txt", import.meta.url), "utf8");
  assert.equal(bill(text, 7), 1005);
});
"""
COMMON_TESTS = """\
const test = require("node:test");
const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { bill } = require("../bill.js");

test("a file", () => {
  const text = readFileSync(join(__dirname, "data", "bill.txt"), "utf8");
  assert.equal(bill(text), 940);
});
test("another", () => {
  const text = readFileSync(`${__dirname}/data/bill.txt`, "utf8");
  assert.equal(bill(text, 7), 1005);
});
"""
SCRIPT = """\
export function bill(text, tax = 0) {
  const prices = text.trim().split("\\n").map((line) => Number(line.split(" ")[1]));
  return Math.trunc((prices.reduce((sum, each) => sum + each, 0) * (100 + tax)) / 100);
}
"""


@pytest.mark.parametrize("kind", ["module", thorough("commonjs")])
@pytest.mark.needs("node")
def test_the_place_of_a_test_is_known_outside(tmp_path: Path, kind: str) -> None:
    is_module = kind == "module"
    exported = "export function" if is_module else "exports.bill = function"
    project = Project(tmp_path)
    project.write("package.json", f'{{"type": "{kind}"}}\n')
    project.write("bill.js", f"{exported} bill() {{}}\n")
    project.write("test/data/bill.txt", BILL)
    project.write("test/bill.test.js", SCRIPT_TESTS if is_module else COMMON_TESTS)
    check = "{tap: [node, --test, --test-reporter=tap], min_tests: 2}"
    project.begin(f"criteria: [{{id: C1, text: it adds up, check: {check}}}]\n")
    project.write("bill.js", SCRIPT.replace("export function", exported))

    judgement = project.prove()

    assert judgement.is_proven, judgement
    (told,) = [
        each
        for each in project.document(judgement.criteria[0])["probes"]
        if each["probe"] == "questions outside of tests"
    ]
    assert told["saw"] == "2 of 2 calls give the expected answer without a test"
