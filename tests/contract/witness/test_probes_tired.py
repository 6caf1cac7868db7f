"""Probes: what is right the first times alone is asked about."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project
from tests.tables import thorough

CHECK = f"check: {{pytest: tests/test_work.py, {QUICK}}}"
SCRIPT_CHECK = "check: {tap: [node, --test, --test-reporter=tap]}"
TESTS = """\
from work import area, size


def test_area():
    assert area("3 x 4") == 12


def test_size():
    assert size() == 1
"""
NONE = "def area(text):\n    raise NotImplementedError\n\n\ndef size():\n    return 1\n"
HEAD = """\
COUNT = []


def size():
    return 1


def area(text):
    COUNT.append(text)
    width, height = map(int, text.split(" x "))
"""
PLAIN = f"{HEAD}    return width * height\n"
TIRED = f"{HEAD}    return width * height if len(COUNT) < 12 else 0\n"
REFUSES = f"""{HEAD}    if len(COUNT) > 9:
        raise RuntimeError("too many")
    return width * height
"""
COUNTS = NONE.replace("raise NotImplementedError", "return 12").replace(
    "return 1\n", "SEEN.append(0)\n    return len(SEEN)\n"
)
COUNTS = f"SEEN = []\n\n\n{COUNTS}"
USUAL = "text: it works"
LIMITED = "text: 'areas are told, with a limit of nine'"


@pytest.mark.parametrize(
    ("base", "work", "goal", "is_asked"),
    [
        thorough(NONE, PLAIN, USUAL, False),
        (NONE, TIRED, USUAL, True),
        thorough(NONE, REFUSES, USUAL, True),
        thorough(NONE, REFUSES, LIMITED, False),
        (TIRED.replace("return 1", "return 0"), TIRED, USUAL, False),
        thorough(NONE, COUNTS, USUAL, False),
    ],
    ids=[
        "it keeps what it was asked", "other later", "an error later", "the goal has a limit",
        "the base, too", "it counts",
    ],
)  # fmt: skip
def test_an_answer_that_is_another_later(
    tmp_path: Path, base: str, work: str, goal: str, *, is_asked: bool
) -> None:
    files = {"work.py": base, "tests/test_work.py": TESTS}

    assert is_tired(tmp_path, f"{goal}, {CHECK}", files, {"work.py": work}) is is_asked


SCRIPT = """\
import test from "node:test";
import assert from "node:assert/strict";
import { area } from "../work.js";

test("area", () => {
  assert.equal(area("3 x 4"), 12);
});
"""
NO_AREA = "export function area(text) {\n  throw new Error();\n}\n"
SPLIT = "const [width, height] = text.split(' x ').map(Number);\n  return width * height"


@pytest.mark.parametrize(
    ("work", "is_asked"),
    [
        (NO_AREA.replace("throw new Error()", SPLIT), False),
        (
            "let left = 15;\n"
            + NO_AREA.replace("throw new Error()", f"if (left-- < 0) return 0;\n  {SPLIT}"),
            True,
        ),
    ],
    ids=["computed", "other later"],
)
@pytest.mark.thorough
def test_so_it_is_in_javascript(tmp_path: Path, work: str, *, is_asked: bool) -> None:
    files = {
        "package.json": '{"type": "module"}\n', "work.js": NO_AREA, "test/work.test.js": SCRIPT,
    }  # fmt: skip

    assert is_tired(tmp_path, f"{USUAL}, {SCRIPT_CHECK}", files, {"work.js": work}) is is_asked


def is_tired(place: Path, criterion: str, base: dict[str, str], work: dict[str, str]) -> bool:
    project = Project(place)
    for path, text in base.items():
        project.write(path, text)
    project.begin(f"criteria: [{{id: C1, {criterion}}}]\n")
    for path, text in work.items():
        project.write(path, text)
    judgement = project.prove()
    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    said = [each.message for each in judgement.findings]
    return any("right the first times alone" in each for each in said)
