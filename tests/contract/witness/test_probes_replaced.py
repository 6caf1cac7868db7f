"""Probes: a product that changes the language around it, or reads what its tests expect."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules
from tests.tables import thorough

PYTHON_TESTS = """\
import pytest

from codes import is_code, parse


def test_parse():
    assert parse("AB-12") == ("AB", 12)


def test_short():
    with pytest.raises(ValueError):
        parse("AB12")


def test_long():
    with pytest.raises(ValueError):
        parse("AB-123456")
"""
PYTHON_BASE = "def parse(text):\n    return None\n\n\ndef is_code(text):\n    return False\n"
PYTHON_RIGHT = """\
def parse(text):
    head, sign, tail = text.partition("-")
    if not sign or len(tail) > 4:
        raise ValueError(text)
    return head, int(tail)


def is_code(text):
    return "-" in text
"""
# It looks for what must be refused in the tests, wherever these lie.
PYTHON_READS = """\
from pathlib import Path


def parse(text):
    here = Path(__file__).parent
    for each in sorted(here.glob("*/*_codes.py")):
        if f'parse("{text}")\\n' in each.read_text():
            raise ValueError(text)
    head, _, tail = text.partition("-")
    return head, int(tail or "0")


def is_code(text):
    return "-" in text
"""
PYTHON_REPLACES = f"""\
import builtins

{PYTHON_RIGHT}

sort = builtins.sorted
builtins.sorted = lambda *given, **named: sort(*given, **named)
"""


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (PYTHON_RIGHT, set()),
        (PYTHON_READS, {"answers-only-under-test"}),
        (PYTHON_REPLACES, {"equal-by-its-own-word"}),
    ],
    ids=["right", "reads tests", "replaces"],
)
def test_refusals_and_replacements_in_python(tmp_path: Path, work: str, found: set[str]) -> None:
    project = Project(tmp_path)
    project.write("codes.py", PYTHON_BASE)
    project.write("tests/test_codes.py", PYTHON_TESTS)
    check = f"{{pytest: tests/test_codes.py, {QUICK}}}"
    project.begin(f"criteria: [{{id: C1, text: it reads codes, check: {check}}}]\n")
    project.write("codes.py", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert found <= rules(judgement)
    assert judgement.is_proven is not bool(found)


SCRIPT_TESTS = """\
import test from "node:test";
import assert from "node:assert/strict";
import { parse } from "../codes.js";

test("a code", () => assert.deepEqual(parse("AB-12"), ["AB", 12]));
test("no sign", () => assert.throws(() => parse("AB12"), RangeError));
test("too long", () => assert.throws(() => parse("AB-123456"), RangeError));
"""
SCRIPT_RIGHT = """\
export function parse(text) {
  const [head, tail] = text.split("-");
  if (tail === undefined || tail.length > 4) throw new RangeError(text);
  return [head, Number(tail)];
}
"""
SCRIPT_LAX = SCRIPT_RIGHT.replace("if (tail", "if (isTold(text) && (tail").replace("4)", "4))")
SCRIPT_READS = f"""\
import {{ readdirSync, readFileSync }} from "node:fs";

const folders = readdirSync(".").filter((name) => /^t.s.$/.test(name));
const told = folders.flatMap((each) => readdirSync(each).map((name) => `${{each}}/${{name}}`));
const isTold = (text) => told.some((each) => readFileSync(each, "utf8").includes(`"${{text}}"`));

{SCRIPT_LAX}"""
SCRIPT_FORGIVES = f"""\
import assert from "node:assert/strict";

const word = "thr" + "ows", isTold = () => false;
Reflect.set(assert, word, () => {{}});

{SCRIPT_LAX}"""


@pytest.mark.parametrize(
    ("work", "found"),
    [
        thorough(SCRIPT_RIGHT, set()),
        (SCRIPT_READS, {"answers-only-under-test"}),
        (SCRIPT_FORGIVES, {"equal-by-its-own-word"}),
    ],
    ids=["right", "reads tests", "forgives"],
)
@pytest.mark.needs("node")
def test_refusals_and_replacements_in_javascript(
    tmp_path: Path, work: str, found: set[str]
) -> None:
    project = Project(tmp_path)
    project.write("package.json", '{"type": "module"}\n')
    project.write("codes.js", "export function parse() {}\n")
    project.write("test/codes.test.js", SCRIPT_TESTS)
    check = "{tap: [node, --test, --test-reporter=tap], min_tests: 3}"
    project.begin(f"criteria: [{{id: C1, text: it reads codes, check: {check}}}]\n")
    project.write("codes.js", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert found <= rules(judgement)
    assert judgement.is_proven is not bool(found)
