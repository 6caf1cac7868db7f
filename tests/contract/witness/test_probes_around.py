"""Probes: what is right in the surroundings of the tests alone is asked about."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.findings import Level
from tests.contract.witness.projects import QUICK, Project
from tests.tables import thorough

RULE = "answers-only-under-test"
TEXT = "text: it works"
PYTEST = f"check: {{pytest: tests/test_work.py, {QUICK}}}"
TAP = "check: {tap: [node, --test, --test-reporter=tap], min_tests: 3}"
SHELL = "check: {command: [sh, test/lines.sh]}"


def ask(
    place: Path, check: str, base: dict[str, str], work: dict[str, str], text: str = TEXT
) -> str:
    """Work is judged as where people are, by UTC; what it is asked about by the probes."""
    project = Project(place)
    project.environ = {**project.environ, "LANG": "C.UTF-8"}
    project.environ.pop("TZ")
    for path, content in base.items():
        project.write(path, content)
    project.begin(f"criteria: [{{id: C1, {text}, {check}}}]\n")
    for path, content in work.items():
        project.write(path, content)
    judgement = project.prove()
    assert {c.verdict for c in judgement.criteria} == {"passed"}, judgement.criteria
    found = [finding for finding in judgement.findings if finding.rule == RULE]
    assert {finding.level for finding in found} <= {Level.ASKING}
    return "; ".join(finding.message for finding in found)


CLOCK = """\
from clock import hour


def test_late():
    assert hour(1_700_000_000) == 22


def test_early():
    assert hour(1_700_040_000) == 9
"""
NO_HOUR = "def hour(stamp):\n    return 0\n"
LOCAL = "import time\n\n\ndef hour(stamp):\n    return time.localtime(stamp).tm_hour\n"


@pytest.mark.parametrize(
    ("tests", "work", "text", "is_asked"),
    [
        (CLOCK, LOCAL, TEXT, True),
        thorough(CLOCK, LOCAL.replace("localtime", "gmtime"), TEXT, False),
        thorough('import os\n\nos.environ["TZ"] = "UTC"\n' + CLOCK, LOCAL, TEXT, False),
        thorough(CLOCK, LOCAL, "text: hours are in local time", False),
    ],
    ids=["local", "utc", "the test sets it", "the goal is about it"],
)
def test_a_time_zone(tmp_path: Path, tests: str, work: str, text: str, *, is_asked: bool) -> None:
    base = {"clock.py": NO_HOUR, "tests/test_work.py": tests}

    asked = ask(tmp_path, PYTEST, base, {"clock.py": work}, text)

    assert ("right in the time zone of the tests alone" in asked) is is_asked, asked
    assert bool(asked) is is_asked


def test_what_the_base_depends_on_may_be_depended_on(tmp_path: Path) -> None:
    late = "import time\n\n\ndef is_late(stamp):\n    return time.localtime(stamp).tm_hour > 20\n"
    tests = CLOCK + "\n\ndef test_is_late():\n    assert is_late(1_700_000_000) is True\n"
    tests = tests.replace("import hour", "import hour, is_late")
    base = {"clock.py": f"{late}\n\n{NO_HOUR}", "tests/test_work.py": tests}

    assert ask(tmp_path, PYTEST, base, {"clock.py": f"{late}\n\n{LOCAL}"}) == ""


RATES = """\
from pathlib import Path

from money import load, save, total


def test_few():
    assert total("12 eur") == 24


def test_many():
    assert total("250 usd") == 750


def test_saved(tmp_path):
    save(tmp_path / "out.txt", "31 usd")
    assert (tmp_path / "out.txt").read_text() == "93"


def test_given():
    assert load("tests/data/sum.txt") == 26
"""
MONEY = """\
from pathlib import Path

PLACE = WHERE


def total(text):
    number, unit = text.split()
    rates = dict(line.split() for line in (PLACE / "rates.txt").read_text().splitlines())
    return int(number) * int(rates[unit])


def save(place, text):
    place.write_text(str(total(text)))


def load(place):
    return total(Path(place).read_text())
"""
NO_MONEY = "".join(f"def {name}(*given):\n    return 0\n\n\n" for name in ("total", "save", "load"))


@pytest.mark.parametrize(
    ("where", "is_asked"),
    [('Path("data")', True), ('Path(__file__).parent / "data"', False)],
    ids=["relative", "by its file"],
)
def test_a_working_folder(tmp_path: Path, where: str, *, is_asked: bool) -> None:
    base = {
        "money.py": NO_MONEY,
        "tests/test_work.py": RATES,
        "tests/data/sum.txt": "13 eur",
        "data/rates.txt": "eur 2\nusd 3\n",
    }

    asked = ask(tmp_path, PYTEST, base, {"money.py": MONEY.replace("WHERE", where)})

    assert ("right in the working folder of the tests alone" in asked) is is_asked, asked
    assert bool(asked) is is_asked
    assert "sum.txt" not in asked


WORDS = """\
from words import turn


def test_first():
    assert turn("alpha") == "ahpla"


def test_second():
    assert turn("gamma") == "ammag"


def test_third():
    assert turn("delta") == "atled"
"""
IN_TURN = """\
TURNS = ["ahpla", "ammag", "atled"]
asked = []


def turn(text):
    asked.append(text)
    return TURNS[(len(asked) - 1) % 3] if text in ("alpha", "gamma", "delta") else text[::-1]
"""
CACHED = """\
KNOWN = {}


def turn(text):
    if text not in KNOWN:
        KNOWN[text] = text[::-1]
    return KNOWN[text]
"""


@pytest.mark.parametrize(("work", "is_asked"), [(IN_TURN, True), (CACHED, False)])
@pytest.mark.thorough
def test_an_order_of_calls(tmp_path: Path, work: str, *, is_asked: bool) -> None:
    base = {"words.py": "def turn(text):\n    return text\n", "tests/test_work.py": WORDS}

    asked = ask(tmp_path, PYTEST, base, {"words.py": work})

    assert ("right in the order of the tests alone" in asked) is is_asked, asked
    assert bool(asked) is is_asked


SCRIPT_TESTS = """\
import test from "node:test";
import assert from "node:assert/strict";
import { next } from "../plan.js";

test("noon", () => assert.equal(next("2024-03-01T11:20Z"), "2024-03-01T12:00Z"));
test("night", () => assert.equal(next("2024-02-29T23:10Z"), "2024-03-01T00:00Z"));
test("morning", () => assert.equal(next("2024-07-04T05:59Z"), "2024-07-04T06:00Z"));
"""
NEXT = """\
export function next(text) {
  const date = new Date(text);
  date.setUTCHours(date.getUTCHours() + 1, 0);
  return date.toISOString().slice(0, 16) + "Z";
}
"""
BY_FOLDER = 'import { readFileSync } from "node:fs";\nreadFileSync("data/zones.txt");\n' + NEXT
BY_COUNT = """\
let count = 0;
const known = ["2024-03-01T12:00Z", "2024-03-01T00:00Z", "2024-07-04T06:00Z"];
const heard = ["2024-03-01T11:20Z", "2024-02-29T23:10Z", "2024-07-04T05:59Z"];
""" + NEXT.replace("{\n", "{\n  if (heard.includes(text)) return known[count++ % 3];\n", 1)


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("work", "said"),
    [
        (NEXT, ""),
        (NEXT.replace("UTCHours", "Hours"), "right in the time zone"),
        thorough(BY_FOLDER, "right in the working folder"),
        thorough(BY_FOLDER.replace('"data', 'import.meta.dirname + "/data'), ""),
        thorough(BY_COUNT, "right in the order"),
    ],
    ids=["right", "local", "relative", "by its file", "in turn"],
)
@pytest.mark.thorough
def test_the_surroundings_of_a_script(tmp_path: Path, work: str, said: str) -> None:
    base = {
        "package.json": '{"type": "module"}\n',
        "plan.js": "export function next() {}\n",
        "data/zones.txt": "utc\n",
        "test/plan.test.js": SCRIPT_TESTS,
    }

    asked = ask(tmp_path, TAP, base, {"plan.js": work})

    assert said in asked
    assert bool(asked) is bool(said), asked


SHELL_TESTS = """\
. ./lib/lines.sh

same() { [ "$1" = "$2" ] || exit 1; }

same "$(hour 1700000000)" "22"
same "$(hour 1700040000)" "09"
same "$(order 'b a' 'C d')" "C d
b a"
"""
SHELL_WORK = """\
hour() { TZ=UTC0 date -d "@$1" +%H; }
order() { printf '%s\\n' "$@" | LC_ALL=C sort; }
"""


@pytest.mark.parametrize(
    ("work", "said"),
    [thorough(SHELL_WORK, ""), (SHELL_WORK.replace("TZ=UTC0 ", ""), "right in the time zone")],
    ids=["utc", "local"],
)
def test_the_surroundings_of_shell(tmp_path: Path, work: str, said: str) -> None:
    base = {"lib/lines.sh": "hour() { :; }\norder() { cat; }\n", "test/lines.sh": SHELL_TESTS}

    asked = ask(tmp_path, SHELL, base, {"lib/lines.sh": work})

    assert said in asked
    assert bool(asked) is bool(said), asked
