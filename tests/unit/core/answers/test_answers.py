"""Answers as they are written: typed, every problem at once, and the schema says the same."""

import json
from typing import Any

from goalkeeper.core.answers import document as answers_document
from goalkeeper.core.answers.document import EVIDENCE, SHAPE, Answers, Given
from tests.e2e.answering import answers as said
from tests.e2e.answering import item
from tests.tables import for_each
from tests.unit.core.schemas import fits, inside

SCHEMA = answers_document.json_schema()
WHOLE = said(
    agent_leg=[{"outcome": "a draft", "artifact": "draft.md", "claim": "It is so because x.md."}],
    evidence=[
        {"search": {"tier": "codebase", "query": "parser"}},
        {"signal": {"tool": "curl", "endpoint": "http://db", "type": "http", "exit_code": 7}},
        {"health": {"command": "pg_isready", "exit_code": 2}},
        {"probe": {"path": "data.jsonl", "field": "a.b"}},
    ],
    overrides=[{"claim": "it is down", "reason": "seen on the console"}],
    result="The report is complete because report.md lists both regions.",
    summary="report.md",
    abbreviated={"step": "q1_5", "condition": "zone tight"},
)


def read(document: object) -> Answers:
    found = answers_document.read_answers(document)
    assert isinstance(found, Answers), found
    return found


def problems(document: object) -> list[str]:
    found = answers_document.read_answers(document)
    assert not isinstance(found, Answers), found
    return [str(problem).removeprefix("answers: ") for problem in found]


def test_every_part_is_read() -> None:
    found = read(WHOLE)

    assert found.plain == WHOLE
    assert found.q1 is not None
    assert found.q1.artifact == "report.md"
    assert [each.question for each in found.q1_5 or ()] == [item(n)["question"] for n in range(5)]
    assert found.q2 is not None
    assert (found.q2.check.kind, found.q2.check.main_option[0]) == ("command", "grep")
    assert found.q3 is not None
    assert found.q3.scope == "integration"
    assert [each.kind for each in found.evidence] == list(EVIDENCE)
    assert found.evidence[0] == Given("search", {"tier": "codebase", "query": "parser", "found": 0})
    assert found.overrides[0].reason == "seen on the console"
    assert found.abbreviated is not None
    assert found.abbreviated.condition == "zone tight"


def test_an_empty_document_is_no_answer_and_no_error() -> None:
    assert read({}).q1 is None


@for_each("document", [None, [], "text", 3, True])
def test_what_is_no_object_is_refused(document: object) -> None:
    assert problems(document)[0].startswith("expected a mapping with q1, q1_5, q2, q3")


def test_every_problem_is_told_at_once() -> None:
    bad = said(
        q1={"artifact": "report.md"},
        q2={"failure_mode": "", "check": {"comand": ["x"]}, "finding": 3},
        q3={"scope": "all", "claim": "It is so because x.md says so."},
        q4={},
        evidence=[{"serch": {}}, {"health": {"command": "x"}}, {"search": {}, "probe": {}}],
    )

    assert problems(bad) == [
        f"unknown field 'q4'; it has {', '.join(SHAPE.fields)}",
        "q1: claim is missing",
        "q2.failure_mode: expected text",
        "q2.check: no kind of check in comand; did you mean command?",
        "q2.finding: expected text",
        "q3.scope: expected one of unit, integration",
        "evidence[0]: expected one of search, signal, health, probe (did you mean search?)",
        "evidence[1].health: exit_code is missing",
        "evidence[2]: expected one of search, signal, health, probe",
    ]


@for_each(
    ("changed", "problem"),
    [
        ({"result": "maybe"}, "result: expected one of pass, fail, na"),
        ({"coverage": "some"}, "coverage: expected one of covered, uncovered"),
        ({"dimension": "speed"},
         "dimension: expected one of presence, correctness, integration, breakage"),
        ({"question": " "}, "question: expected text"),
    ],
)  # fmt: skip
def test_an_item_has_closed_words(changed: dict[str, str], problem: str) -> None:
    bad = said(q1_5={"items": [item(n, **(changed if n == 2 else {})) for n in range(5)]})

    assert problems(bad) == [f"q1_5.items[2].{problem}"]


@for_each("path", ["/etc/passwd", "../x.json", "~/x.json", ".git/config"])
def test_a_probe_stays_in_the_repository(path: str) -> None:
    assert len(problems({"evidence": [{"probe": {"path": path, "field": "a"}}]})) == 1


def test_the_schema_is_of_a_named_thing_and_knows_every_field() -> None:
    assert SCHEMA["title"] == "goalkeeper answers"
    assert list(SCHEMA["properties"]) == list(SHAPE.fields)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    objects = [each for each in inside(SCHEMA) if "properties" in each]
    assert all(each["additionalProperties"] is False for each in objects)


@for_each("document", [WHOLE, said(), {}])
def test_what_the_reader_takes_the_schema_takes(document: dict[str, Any]) -> None:
    read(document)

    assert fits(document, SCHEMA)


@for_each(
    "changed",
    [
        {"q4": {}},
        {"q1": {"artifact": "x"}},
        {"q1_5": {"items": []}},
        {"q1_5": {"items": [item(n) for n in range(11)]}},
        {"q3": {"scope": "all", "claim": "x"}},
        {"evidence": [{"search": {}}]},
        {"evidence": [{"health": {"command": "x", "exit_code": 1}, "probe": {}}]},
        {"abbreviated": {"step": "q2", "condition": "zone tight"}},
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(changed: dict[str, Any]) -> None:
    document = said() | changed

    assert problems(document)
    assert not fits(document, SCHEMA)
