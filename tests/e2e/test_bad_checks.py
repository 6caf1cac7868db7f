"""Checks that misbehave: each ends, each has a verdict, and none takes the others with it."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.project import Files, Project, contract, criterion
from tests.tables import for_each

BOMB = (
    '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + ']><testsuites><testsuite><testcase name="&i;"/></testsuite></testsuites>'
)
REPORTS: Files = {
    "bomb.xml": BOMB,
    "malformed.xml": "<testsuites><testsuite><testcase name='a'",
    "binary.xml": b"\xff\xfe\x00\x01" * 100,
    "other.xml": "<html><body>all green</body></html>",
    "file.xml": '<!DOCTYPE t [<!ENTITY p SYSTEM "file:///etc/passwd">]>'
    '<testsuite><testcase name="&p;"/></testsuite>',
}
PYTHON = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
NAP = f"4711.{os.getpid()}"  # a length that nobody else sleeps
CHECKS: dict[str, dict[str, Any]] = {
    "reads-stdin": {"shell": "read -r line && exit 0; exit 3"},
    "prints-much": {"shell": "head -c 200000000 /dev/zero"},
    "forks-away": {"shell": f"(setsid sleep {NAP} > /dev/null 2>&1 &); exit 3"},
    "holds-pipes": {"shell": f"setsid sleep {NAP} & exit 3", "timeout": 20},
    "ignores-term": {"command": ["python3", "-c", PYTHON], "timeout": 1},
    "bad-bytes": {"shell": "printf '\\377\\376\\033[31m\\n' >&2; exit 3"},
    "kills-itself": {"shell": "kill -9 $$"},
    "no-report": {"junit": ["ls"], "report": "nowhere.xml"},
    "no-tool": {"command": ["./no/such/tool"]},
    **{name: {"junit": ["ls"], "report": name} for name in REPORTS},
}
FAILED = {"reads-stdin", "forks-away", "holds-pipes", "bad-bytes"}


def _id(name: str) -> str:
    return name.replace(".", "-")


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """How each check looks on the base, all of them checked at once."""
    project = Project(tmp_path_factory.mktemp("bad"), REPORTS)
    project.begin(contract(*(criterion(_id(name), check) for name, check in CHECKS.items())))
    began = time.monotonic()

    answer = project.check()

    assert time.monotonic() - began < 90
    assert (answer.code, answer.err) == (1, "")
    return {row["id"]: row for row in answer.json["criteria"]}


@for_each("name", CHECKS)
def test_a_check_that_misbehaves_has_a_verdict(looks: dict[str, Any], name: str) -> None:
    row = looks[_id(name)]

    assert row["look"] == ("red" if name in FAILED else "unknown"), row
    assert row["reason"]


@for_each(
    ("name", "words"),
    [
        ("reads-stdin", "exit 3, expected 0"),
        ("prints-much", "limit on output"),
        ("ignores-term", "limit on"),
        ("no-report", "no readable report"),
        ("malformed.xml", "no readable report"),
        ("bomb.xml", "no readable report"),
        ("no-tool", "./no/such/tool could not be started"),
    ],
)
def test_the_reason_is_told(looks: dict[str, Any], name: str, words: str) -> None:
    assert words in looks[_id(name)]["reason"]


def test_no_process_of_a_check_outlives_it(looks: dict[str, Any]) -> None:
    assert looks
    assert not [line for line in running() if NAP.encode() in line]


def running() -> list[bytes]:
    """The command line of every process."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            found.append((entry / "cmdline").read_bytes())
    return found
