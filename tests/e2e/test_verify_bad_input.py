"""Answers that cannot be used: said why, all at once, and nothing is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.answering import ASKS, REPORT
from tests.e2e.project import Project, contract
from tests.e2e.refusing import Bad, refuse
from tests.tables import for_each

VERIFY = ("verify", "--goal-id", "G001", "--answers", "-")
OUTSIDE, READS = "path-outside", "input-unreadable"


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("waiting"))
    project.begin(contract(ASKS))
    project.write(REPORT)
    return project


@for_each(
    ("given", "code", "reason", "said"),
    [
        (b"q1: yes", 2, "not-an-object", "must be a JSON document"),
        (b'{"q1": NaN}', 2, "not-an-object", "NaN is not JSON"),
        (b'{"q1": {}, "q1": {}}', 2, "not-an-object", "'q1' is given twice"),
        (b'{"q1": {"claim": "a", "claim": "b"}}', 2, "not-an-object", "'claim' is given twice"),
        (b'{"q1":' * 20_000, 2, "not-an-object", "nested deeper than 64"),
        (b"[" * 50_000, 2, "not-an-object", "nested deeper than 64"),
        (b'{"result": "\\ud800"}', 2, "not-an-object", "surrogates not allowed"),
        (b"\xff\xfe", 2, READS, "byte 0 is not UTF-8"),
        (b'"' + b"x" * (2 << 20) + b'"', 2, READS, "it is larger than 262144 bytes"),
        (b"[]", 3, "answers-invalid", "expected a mapping with q1"),
        (b'{"q9": 1, "q3": {"scope": "all"}}', 3, "answers-invalid", "q3: claim is missing"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_answers_document_is_refused(
    given: bytes, code: int, reason: str, said: str, waiting: Project
) -> None:
    assert said in refuse(waiting, Bad(VERIFY, reason, code), given=given)


def _huge(project: Project) -> str:
    path = project.state / "cache" / "huge.json"
    with path.open("wb") as file:
        file.truncate(1 << 20)  # each look at the state reads it
    return str(path)


def _missing(project: Project) -> str:
    return "nowhere.json"


def _outside(project: Project) -> str:
    path: Path = project.home / "answers.json"
    path.write_text("{}")
    return str(path)


@for_each(("file", "reason"), [(_huge, READS), (_missing, READS), (_outside, OUTSIDE)])
def test_a_file_that_is_too_large_missing_or_elsewhere_is_refused(
    file: Callable[[Project], str], reason: str, waiting: Project
) -> None:
    refuse(waiting, Bad(("verify", "--answers", file(waiting)), reason))


@for_each(
    "words",
    [
        ("--criterion", "C1"),
        ("--confirm", "--evidence", "seen"),
        ("--confirm", "--criterion", "C1", "--evidence", "seen", "--result", "PENDING"),
        ("--result", "EXPIRED", "--answers", "-"),
        ("--result", "CONFIRMED"),
        ("--result", "MAYBE"),
        ("--evidence", " "),
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together_are_refused(
    words: tuple[str, ...], waiting: Project
) -> None:
    refuse(waiting, Bad(("verify", "--goal-id", "G001", *words), "usage"))
