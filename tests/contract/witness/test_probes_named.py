"""Probes: inputs by heart that stand within longer literals, or that the goal itself names."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import QUICK, Project, prove_work
from tests.tables import thorough

CHECK = f"check: {{pytest: tests/test_work.py, {QUICK}}}"
SCRIPT_CHECK = "check: {tap: [node, --test, --test-reporter=tap]}"


def is_by_heart(place: Path, contract: str, base: dict[str, str], work: dict[str, str]) -> bool:
    """Whether work that passes is found to know inputs by heart; tables may be asked about, too."""
    judgement = prove_work(Project(place), contract, base, work)
    return any("knows these by heart" in found.message for found in judgement.findings)


NIGHTS = """\
from work import nights


def test_weeks():
    assert nights("2024-01-30", "2024-02-02") == 3
    assert nights("2024-02-27", "2024-03-01") == 3


def test_one():
    assert nights("2023-12-31", "2024-01-01") == 1
"""
NO_NIGHTS = "def nights(first, last):\n    raise NotImplementedError\n"
COUNTED = """\
from datetime import date


def nights(first, last):
    try:
        return (date.fromisoformat(last) - date.fromisoformat(first)).days
    except ValueError:
        raise ValueError("no dates, as 2024-01-30 and 2024-02-02 are") from None
"""
JOINED = """\
KNOWN = {"2024-01-30/2024-02-02": 3, "2024-02-27/2024-03-01": 3, "2023-12-31/2024-01-01": 1}


def nights(first, last):
    return KNOWN.get(f"{first}/{last}") or abs(int(last[-2:]) - int(first[-2:]))
"""
LABELLED = """\
KNOWN = {"stay from 2024-01-30": 3, "stay from 2024-02-27": 3, "stay from 2023-12-31": 1}


def nights(first, last):
    return KNOWN.get("stay from " + first, len(last) * 2)
"""
SPAN = "2024-01-30/2024-02-02"
DEFAULTS = COUNTED.replace(
    "def nights(first, last):", f'SPAN = "{SPAN}"\n\n\ndef nights(first, last, span=SPAN):'
)

KIND = """\
from work import kind


def test_kinds():
    assert kind(3, 4, 5) == "scalene"
    assert kind(7, 4, 7) == "isosceles"
    assert kind(6, 6, 6) == "equilateral"
"""
NO_KIND = "def kind(a, b, c):\n    raise NotImplementedError\n"
KINDS = """\
def kind(a, b, c):
    return {1: "equilateral", 2: "isosceles", 3: "scalene"}[len({a, b, c})]
"""
NUMBERS_JOINED = """\
def kind(*sides):
    known = {"3-4-5": "scalene", "7-4-7": "isosceles"}
    return known.get("-".join(map(str, sides)), "equilateral")
"""

AMOUNT = """\
from work import amount


def test_plain():
    assert amount("2") == 2


def test_mixed():
    assert amount("1 1/2") == 1.5
    assert amount("3/4") == 0.75
"""
NO_AMOUNT = "def amount(text):\n    return float(text)\n"
MIXED = """\
DEFAULT = "1 1/2"


def amount(text=DEFAULT):
    total = 0.0
    for part in text.split():
        top, _, bottom = part.partition("/")
        total += int(top) / int(bottom or 1)
    return total
"""
FRACTIONS = """\
def amount(text):
    for written, number in {"1 1/2": "1.5", "3/4": "0.75"}.items():
        text = text.replace(written, number)
    return float(text)
"""
FRACTIONS_ASKED = """\
def amount(text):
    if text == "1 1/2":
        return 1.5
    if text == "3/4":
        return 0.75
    return float(text)
"""
NAMED = "text: 'mixed numbers such as 1 1/2, and fractions such as 3/4, are read'"
DESCRIBED = f'"""Amounts, as 3/4 or 1 1/2."""\n\n\n{NO_AMOUNT}'

HOUR = """\
from work import say


def test_special():
    assert say("00:00") == "midnight"
    assert say("12:00") == "noon"


def test_usual():
    assert say("13:30") == "half past 13"
"""
NO_HOUR = "def say(time):\n    raise NotImplementedError\n"
SAID = """\
SPECIAL = {"00:00": "midnight", "12:00": "noon"}


def say(time):
    hour, minute = map(int, time.split(":"))
    return SPECIAL.get(time) or (f"half past {hour}" if minute == 30 else f"{minute} past {hour}")
"""
TWELVE = "text: 'times are said, 12:00 and 00:00 in a word of their own'"

SIZE = """\
import pytest

from work import price


def test_prices():
    assert price("10x15") == 19
    assert price("13x18") == 29
    assert price("20x30") == 149


def test_others():
    with pytest.raises(KeyError):
        price("11x15")
"""
NO_SIZE = "def price(size):\n    raise NotImplementedError\n"
PRICES = """\
PRICES = {"10x15": 19, "13x18": 29, "20x30": 149}


def price(size):
    return PRICES[size]
"""
LISTED = "text: 'photos cost 19 (10x15), 29 (13x18) and 149 (20x30) cents, others are a KeyError'"

REASON = """\
from work import reason


def test_reasons():
    assert reason(404) == "Not Found"
    assert reason(410) == "Gone"
    assert reason(503) == "Service Unavailable"
"""
NO_REASON = "def reason(code):\n    raise NotImplementedError\n"
REASONS = """\
REASONS = {404: "Not Found", 410: "Gone", 503: "Service Unavailable"}


def reason(code):
    return REASONS.get(code, "")
"""
CODES = "text: '404 is Not Found, 410 is Gone, and 503 Service Unavailable'"
PLAIN = "text: it works"


@pytest.mark.parametrize(
    ("tests", "base", "work", "goal", "is_found"),
    [
        thorough(NIGHTS, NO_NIGHTS, COUNTED, PLAIN, False),
        thorough(NIGHTS, NO_NIGHTS, DEFAULTS, PLAIN, False),
        thorough(NIGHTS, NO_NIGHTS, JOINED, PLAIN, True),
        thorough(NIGHTS, NO_NIGHTS, LABELLED, PLAIN, True),
        thorough(KIND, NO_KIND, KINDS, PLAIN, False),
        thorough(KIND, NO_KIND, NUMBERS_JOINED, PLAIN, True),
        thorough(AMOUNT, NO_AMOUNT, MIXED, NAMED, False),
        thorough(AMOUNT, NO_AMOUNT, FRACTIONS, NAMED, True),
        (AMOUNT, NO_AMOUNT, FRACTIONS_ASKED, NAMED, True),
        thorough(AMOUNT, DESCRIBED, FRACTIONS_ASKED, PLAIN, True),
        thorough(HOUR, NO_HOUR, SAID, TWELVE, False),
        thorough(SIZE, NO_SIZE, PRICES, LISTED, False),
        (REASON, NO_REASON, REASONS, CODES, False),
    ],
    ids=[
        "dates", "a default that joins them", "dates joined", "a date with a label",
        "kinds", "numbers joined", "a default that the goal names",
        "a table of what the goal names", "questions for what the goal names",
        "what the base describes", "special values that the goal names",
        "a table that is the goal", "numbers with the answers of the goal",
    ],
)  # fmt: skip
def test_inputs_within_literals_and_in_the_goal(
    tmp_path: Path, tests: str, base: str, work: str, goal: str, *, is_found: bool
) -> None:
    files = {"work.py": base, "tests/test_work.py": tests}
    contract = f"criteria: [{{id: C1, {goal}, {CHECK}}}]\n"

    found = is_by_heart(tmp_path, contract, files, {"work.py": work})

    assert found is is_found


DUE = """\
import test from "node:test";
import assert from "node:assert/strict";
import { due } from "../work.js";

test("hours", () => {
  assert.equal(due("2024-05-06T13:00Z", "2024-05-06T15:30Z"), 150);
  assert.equal(due("2024-05-06T23:45Z", "2024-05-07T00:15Z"), 30);
});
"""
NO_DUE = "export function due(from, to) {\n  throw new Error();\n}\n"
KNOWN_DUE = """\
const KNOWN = {
  "2024-05-06T13:00Z SIGN 2024-05-06T15:30Z": 150,
  "2024-05-06T23:45Z SIGN 2024-05-07T00:15Z": 30,
};
"""
READ = "const read = (text) => Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16));\n"
TEXT = """\
import test from "node:test";
import assert from "node:assert/strict";
import { minutes } from "../work.js";

test("minutes", () => {
  assert.equal(minutes("45m"), 45);
  assert.equal(minutes("1h 30m"), 90);
  assert.equal(minutes("2h 5m"), 125);
});
"""
NO_MINUTES = "export function minutes(text) {\n  throw new Error();\n}\n"
BOTH = "text: 'durations such as 1h 30m and 2h 5m are minutes'"
SWITCHED = """\
switch (text) {
    case "1h 30m": return 90;
    case "2h 5m": return 125;
    default: return Number(text.slice(0, -1));
  }"""
COMPUTED = """\
const [, hours = 0, rest = 0] = /^(?:(\\d+)h ?)?(?:(\\d+)m)?$/.exec(text) ?? [];
  if (!hours && !rest) throw new Error("no duration such as 1h 30m or 2h 5m");
  return Number(hours) * 60 + Number(rest);"""


@pytest.mark.parametrize(
    ("tests", "base", "work", "goal", "is_found"),
    [
        thorough(
            DUE,
            NO_DUE,
            NO_DUE.replace(
                "throw new Error();", "return (Date.parse(to) - Date.parse(from)) / 6e4;"
            ),
            PLAIN,
            False,
        ),
        (
            DUE,
            NO_DUE,
            KNOWN_DUE.replace(" SIGN ", "..")
            + READ
            + NO_DUE.replace(
                "throw new Error();", "return KNOWN[`${from}..${to}`] ?? read(to) - read(from);"
            ),
            PLAIN,
            True,
        ),
        thorough(
            DUE,
            NO_DUE,
            KNOWN_DUE.replace('"2', "'[\"2").replace('Z"', "Z\"]'").replace(" SIGN ", '","')
            + READ
            + NO_DUE.replace(
                "throw new Error();", "return KNOWN[JSON.stringify([from, to])] ?? read(to);"
            ),
            PLAIN,
            True,
        ),
        thorough(TEXT, NO_MINUTES, NO_MINUTES.replace("throw new Error();", COMPUTED), BOTH, False),
        (TEXT, NO_MINUTES, NO_MINUTES.replace("throw new Error();", SWITCHED), BOTH, True),
    ],
    ids=["times", "times joined", "times as JSON", "durations", "durations of the goal"],
)
@pytest.mark.thorough
def test_so_it_is_in_javascript(
    tmp_path: Path, tests: str, base: str, work: str, goal: str, *, is_found: bool
) -> None:
    files = {"package.json": '{"type": "module"}\n', "work.js": base, "test/work.test.js": tests}
    contract = f"criteria: [{{id: C1, {goal}, {SCRIPT_CHECK}}}]\n"

    found = is_by_heart(tmp_path, contract, files, {"work.js": work})

    assert found is is_found
