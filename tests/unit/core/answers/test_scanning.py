"""All that is said in answers is read, and what needs evidence is told with where it stands."""

from goalkeeper.core.answers import document, scanning
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.claims.evidence import Evidence, Health, Probe, Read, Search, Signal
from tests.e2e.answering import answers as said
from tests.e2e.answering import item
from tests.tables import for_each

DOWN = "The database is down because `psql -h db` exited 2."
ABSENT = "An importer does not exist because `git grep importer` found 0 files."
ZERO = "98% of records have times_triggered=0 because data.jsonl shows 0."


def given(**more: object) -> Answers:
    found = document.read_answers(said(**more))
    assert isinstance(found, Answers), found
    return found


def codes(found: Answers, *evidence: Evidence) -> dict[str, set[str]]:
    told: dict[str, set[str]] = {}
    for each in scanning.scan_answers(found, evidence, may_override=True).diagnostics:
        told.setdefault(each.path, set()).add(each.code)
    return told


REPORT = Read("report.md", exists=True, digest="d")


def test_sound_answers_need_nothing_but_the_file_they_name() -> None:
    assert codes(given(), REPORT) == {}
    assert scanning.files_in(scanning.list_texts(given())) == ("report.md",)


@for_each(
    "place",
    ["q1.claim", "q2.finding", "q3.claim", "result", "agent_leg[0].claim"],
)
def test_T20_a_hedge_is_found_wherever_something_is_reported(place: str) -> None:
    hedged = "The export possibly is complete because report.md was written."
    leg = {"outcome": "a draft", "artifact": "report.md", "claim": hedged}
    parts: dict[str, dict[str, object]] = {
        "q1.claim": {"q1": {"artifact": "report.md", "claim": hedged}},
        "q2.finding": {"q2": said()["q2"] | {"finding": hedged}},
        "q3.claim": {"q3": {"scope": "unit", "claim": hedged}},
        "result": {"result": hedged},
        "agent_leg[0].claim": {"agent_leg": [leg]},
    }

    assert "hedge" in codes(given(**parts[place]), REPORT)[f"answers.{place}"]


def test_questions_and_ways_to_fail_are_no_reports_but_claims_in_them_count() -> None:
    q2 = said()["q2"] | {"failure_mode": "It might look complete while a region is lost."}
    items = [item(n, question=f"Might part {n} be wrong?") for n in range(5)]

    assert codes(given(q2=q2, q1_5={"items": items}), REPORT) == {}


@for_each(
    ("text", "evidence"),
    [
        (ABSENT, [Search("tree", "importer", 0), Search("codebase", "importer", 0)]),
        (DOWN, [
            Signal("psql", "db:5432", "tcp", "psql -h db", "connection refused", 2),
            Signal("nc", "db:5432", "port", "nc -v db 5432", "refused", 1),
            Health("pg_isready -h db", 2),
        ]),
        (ZERO, [Read("data.jsonl", exists=True), Probe("data.jsonl", "times_triggered", True)]),
    ],
)  # fmt: skip
def test_every_class_of_claim_needs_evidence_and_is_content_with_it(
    text: str, evidence: list[Evidence]
) -> None:
    found = given(result=text)

    assert codes(found, REPORT).keys() == {"answers.result"}
    assert codes(found, REPORT, *evidence) == {}


def test_T53_a_signal_that_is_repeated_or_silenced_is_none() -> None:
    found = given(result=DOWN)
    one = Signal("psql", "db:5432", "tcp", "psql -h db")
    silent = Signal("curl", "db:5432", "http", "curl -sf db:5432")
    health = Health("pg_isready", 2)

    for pair in ((one, one), (one, silent)):
        told = codes(found, REPORT, *pair, health)
        assert told == {"answers.result": {"infrastructure-too-few-signals"}}


def test_a_field_is_looked_for_in_the_file_that_the_claim_names() -> None:
    assert scanning.list_probed_fields(given(result=ZERO)) == (("data.jsonl", "times_triggered"),)
    asked = [{"probe": {"path": "other.jsonl", "field": "a.b"}}]
    assert scanning.list_probed_fields(given(evidence=asked)) == (("other.jsonl", "a.b"),)


def test_an_override_that_is_needed_is_told_and_one_that_is_not_is_none() -> None:
    override = [{"claim": ABSENT, "reason": "it lives elsewhere"}]
    found = given(result=ABSENT, overrides=override)
    searches = (Search("tree", "importer", 0), Search("codebase", "importer", 0))

    needed = scanning.scan_answers(found, (REPORT,), may_override=True)
    needless = scanning.scan_answers(found, (REPORT, *searches), may_override=True)

    assert needed.overridden == (f"'{ABSENT}' (it lives elsewhere)",)
    assert needed.diagnostics == needless.diagnostics == ()
    assert needless.overridden == ()


def test_more_than_anybody_reads_is_not_told_of_one_text() -> None:
    found = given(result="The parser possibly works. " * 200)

    told = [
        d
        for d in scanning.scan_answers(found, (REPORT,), may_override=True).diagnostics
        if d.path == "answers.result"
    ]

    assert len(told) == scanning.MOST_TOLD + 1
    assert told[-1].code == "more"
