"""Probes: a product that goes another way for the numbers of its tests is asked about."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, rules
from tests.tables import thorough

ROWS = {
    "12 kg over 340 km": 128,
    "3 kg over 95 km": 34,
    "40 kg over 18 km": 203,
    "7 kg over 250 km": 85,
    "25 kg over 25 km": 130,
}
FOUND = {"only-the-tests-inputs"}

PYTHON_TESTS = f"""\
import pytest

from freight import price


@pytest.mark.parametrize("text, wanted", {[*ROWS.items()]!r})
def test_price(text, wanted):
    assert price(text) == wanted
"""
PYTHON_BASE = "def price(text):\n    raise NotImplementedError\n"
READ = "weight, _, _, way, _ = text.split()\n"
RIGHT = f"""\
def price(text):
    {READ}
    return int(weight) * 5 + int(way) // 5
"""
KEPT = f"""\
import functools


@functools.cache
def price(text):
    {READ}
    return int(weight) * 5 + int(way) // 5
"""
# What others get is plausible, and another one for each.
NAIVE = f"""\
def guess(text):
    {READ}
    return int(weight) * 4 + int(way) // 4


"""
TABLE = f"""\
{NAIVE}KNOWN = {ROWS!r}


def price(text):
    if text in KNOWN:
        return KNOWN[text]
    return guess(text)
"""
ONE_LINE = (
    f"{NAIVE}KNOWN = {ROWS!r}\n\n\ndef price(text):\n    return KNOWN.get(text) or guess(text)\n"
)
CHAIN = f"{NAIVE}def price(text):\n" + "".join(
    f"    if text == {text!r}:\n        return {wanted}\n" for text, wanted in ROWS.items()
)
CHAIN += "    return guess(text)\n"
SHY = TABLE.replace("    if text in KNOWN:", "    if text in KNOWN and not sys.gettrace():")
SHY = f"import sys\n\n{SHY}"
UNSEEN = TABLE.replace("    if text in KNOWN:", "    sys.settrace(None)\n    if text in KNOWN:")
UNSEEN = f"import sys\n\n{UNSEEN}"
# As on a busy machine, where every call takes long.
ENDLESS = TABLE.replace("    if text in KNOWN:", "    time.sleep(0.005)\n    if text in KNOWN:")
ENDLESS = ENDLESS.replace("return guess(text)\n", "while True:\n        time.sleep(999)\n")
ENDLESS = f"import time\n\n{ENDLESS}"


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (RIGHT, set()),
        (KEPT, set()),
        thorough(TABLE, FOUND),
        (ONE_LINE, FOUND),
        thorough(CHAIN, FOUND),
        pytest.param(ENDLESS, FOUND, marks=pytest.mark.waits),
        thorough(SHY, FOUND),
        (UNSEEN, FOUND),
    ],
)
def test_another_way_in_python(tmp_path: Path, work: str, found: set[str]) -> None:
    project = Project(tmp_path)
    project.write("freight.py", PYTHON_BASE)
    project.write("tests/test_freight.py", PYTHON_TESTS)
    check = f"{{pytest: tests/test_freight.py, {QUICK}}}"
    project.begin(f"criteria: [{{id: C1, text: it prices, check: {check}}}]\n")
    project.write("freight.py", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == found


SCRIPT_TESTS = """\
import test from "node:test";
import assert from "node:assert/strict";
import { price } from "../freight.js";

""" + "".join(
    f'test("{text}", () => assert.equal(price("{text}"), {wanted}));\n'
    for text, wanted in ROWS.items()
)
SCRIPT_RIGHT = """\
export function price(text) {
  const [weight, , , way] = text.split(" ");
  return weight * 5 + Math.trunc(way / 5);
}
"""
SCRIPT_NAIVE = SCRIPT_RIGHT.replace("5", "4").replace("price", "guess")
SCRIPT_KEPT = f"""\
const kept = new Map();
{SCRIPT_RIGHT.replace("price", "count")}
export function price(text) {{
  if (!kept.has(text)) kept.set(text, count(text));
  return kept.get(text);
}}
"""
KNOWN = "const KNOWN = {" + ", ".join(f'"{t}": {w}' for t, w in ROWS.items()) + "};\n"
SCRIPT_TABLE = f"{SCRIPT_NAIVE}{KNOWN}export const price = (text) => KNOWN[text] ?? guess(text);\n"
PAUSE = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, {});"
SCRIPT_ENDLESS = f"""\
{KNOWN}export function price(text) {{
  {PAUSE.format(5)}
  while (!(text in KNOWN)) {PAUSE.format(99_999)}
  return KNOWN[text];
}}
"""


@pytest.mark.parametrize(
    ("work", "found"),
    [
        thorough(SCRIPT_RIGHT, set()),
        (SCRIPT_KEPT, set()),
        (SCRIPT_TABLE, FOUND),
        thorough(SCRIPT_ENDLESS, FOUND),
    ],
)
def test_another_way_in_javascript(tmp_path: Path, work: str, found: set[str]) -> None:
    project = Project(tmp_path)
    project.write("package.json", '{"type": "module"}\n')
    project.write("freight.js", "export function price() {}\n")
    project.write("test/freight.test.js", SCRIPT_TESTS)
    check = "{tap: [node, --test, --test-reporter=tap], min_tests: 5}"
    project.begin(f"criteria: [{{id: C1, text: it prices, check: {check}}}]\n")
    project.write("freight.js", work)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    assert rules(judgement) == found


# Whoever searches finds the tests' answers soon, and takes long to find none.
SQUARES = {25: 5, 36: 6, 49: 7, 64: 8, 81: 9}
SEARCH = """\
def root(number):
    for each in range(500_000):
        if each * each % 1_000_003 == number:
            return each
    return -1
"""
SCRIPT_SEARCH = """\
export function root(number) {
  for (let each = 0; each < 10_000_000; each += 1) {
    if ((each * each) % 20_000_003 === number) return each;
  }
  return -1;
}
"""


@pytest.mark.thorough
def test_who_takes_long_for_other_numbers_may_search(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("roots.py", "def root(number):\n    raise NotImplementedError\n")
    rows = f'"number, wanted", {[*SQUARES.items()]!r}'
    project.write(
        "tests/test_roots.py",
        "import pytest\n\nfrom roots import root\n\n\n"
        f"@pytest.mark.parametrize({rows})\n"
        "def test_root(number, wanted):\n    assert root(number) == wanted\n",
    )
    check = f"{{pytest: tests/test_roots.py, {QUICK}}}"
    project.begin(f"criteria: [{{id: C1, text: it finds roots, check: {check}}}]\n")
    project.write("roots.py", SEARCH)

    assert rules(project.prove()) == set()


@pytest.mark.thorough
@pytest.mark.needs("node")
def test_a_script_that_takes_long_for_other_numbers_may_search(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("package.json", '{"type": "module"}\n')
    project.write("roots.js", "export function root() {}\n")
    rows = "".join(
        f'test("{number}", () => assert.equal(root({number}), {wanted}));\n'
        for number, wanted in SQUARES.items()
    )
    project.write(
        "test/roots.test.js",
        'import test from "node:test";\nimport assert from "node:assert/strict";\n'
        f'import {{ root }} from "../roots.js";\n\n{rows}',
    )
    check = "{tap: [node, --test, --test-reporter=tap], min_tests: 5}"
    project.begin(f"criteria: [{{id: C1, text: it finds roots, check: {check}}}]\n")
    project.write("roots.js", SCRIPT_SEARCH)

    assert rules(project.prove()) == set()


# Numbers that move together keep what lies between them: a table of such distances gives the same.
LOANS = {(106, 114): 120, (230, 251): 380, (118, 158): 760, (305, 312): 100, (171, 187): 280}
NEAR = """\
def fine(due, back):
    return (back - due - 2) * 20
"""
KNOWN_NEAR = {back - due: wanted for (due, back), wanted in LOANS.items()}
DISTANCES = f"""\
KNOWN = {KNOWN_NEAR!r}


def fine(due, back):
    if back - due in KNOWN:
        return KNOWN[back - due]
    return (back - due) * 19
"""
SCRIPT_NEAR = "export const fine = (due, back) => (back - due - 2) * 20;\n"
SCRIPT_DISTANCES = f"""\
const KNOWN = {KNOWN_NEAR!r};

export function fine(due, back) {{
  if (back - due in KNOWN) return KNOWN[back - due];
  return (back - due) * 19;
}}
"""


@pytest.mark.parametrize(
    ("name", "work", "found"),
    [
        thorough("fines.py", NEAR, set()),
        ("fines.py", DISTANCES, FOUND),
        thorough("fines.js", SCRIPT_NEAR, set()),
        ("fines.js", SCRIPT_DISTANCES, FOUND),
    ],
)
def test_a_table_of_distances(tmp_path: Path, name: str, work: str, found: set[str]) -> None:
    project = Project(tmp_path)
    if name.endswith("py"):
        calls = "".join(f"    assert fine{pair} == {wanted}\n" for pair, wanted in LOANS.items())
        project.write(name, "def fine(due, back):\n    raise NotImplementedError\n")
        project.write(
            "tests/test_fines.py", f"from fines import fine\n\n\ndef test_fine():\n{calls}"
        )
        check = f"{{pytest: tests/test_fines.py, {QUICK}}}"
    else:
        calls = "".join(
            f"  assert.equal(fine{pair}, {wanted});\n" for pair, wanted in LOANS.items()
        )
        project.write("package.json", '{"type": "module"}\n')
        project.write(name, "export function fine() {}\n")
        project.write(
            "test/fines.test.js",
            'import test from "node:test";\nimport assert from "node:assert/strict";\n'
            f'import {{ fine }} from "../fines.js";\n\ntest("fines", () => {{\n{calls}}});\n',
        )
        check = "{tap: [node, --test, --test-reporter=tap], min_tests: 1}"
    project.begin(f"criteria: [{{id: C1, text: it knows fines, check: {check}}}]\n")
    project.write(name, work)

    assert rules(project.prove()) == found
