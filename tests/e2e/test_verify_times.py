"""Goals that recur, and hypotheses: what is due, what is too early, what is over."""

from pathlib import Path

import pytest

from tests.e2e.answering import ASKS, REPORT, Timed, answers, codes, states, verify
from tests.e2e.project import Project, contract, criterion, story

NOON = "2026-03-01T12:00:00.000000Z"
OPENS, CLOSES = "2026-03-01T13:00:00Z", "2026-03-02T13:00:00Z"
ADD = ("steer", "--kind", "add_subgoal", "--evidence", "e", "--rationale", "r")
DAILY = {"recurring": {"interval_hours": 4}}
HYPOTHESIS = {"hypothesis": {"id": "h1", "resolves_no_earlier_than": OPENS, "resolves_by": CLOSES}}


def at(hour: int) -> str:
    return f"2026-03-01T{hour:02d}:00:00.000000Z"


@pytest.fixture
def timed(tmp_path: Path) -> Timed:
    return Timed(tmp_path)


def achieve(project: Project, *more: str) -> dict[str, object]:
    words = ("--status", "complete", "--evidence", f"written at {getattr(project, 'now', '')}")
    told: dict[str, object] = project.ok("checkpoint", "--goal-id", "G001", *words, *more)
    return told


def test_T41_T43_a_recurring_goal_is_done_again_when_it_is_due_and_never_complete(
    timed: Timed,
) -> None:
    has = criterion("C1", {"file": "report.md", "contains": "north"})
    timed.begin(contract(has, **DAILY))
    timed.write(REPORT)

    first = achieve(timed)
    again = achieve(timed)  # the same cycle, told twice
    early = timed.run("due", "--json")
    nothing = timed.ok("complete-goals")
    timed.now = at(16)
    due = timed.run("due")
    started = timed.start()
    timed.write({"report.md": "north 5\n"})
    second = achieve(timed)
    named = achieve(timed, "--cycle", str(_cycle(timed)))

    assert (first["status"], first["repeated"], again["repeated"]) == ("pending", False, True)
    assert (early.code, early.json["goals"][0]["due_at"]) == (1, at(16))
    assert "goal_id" not in nothing
    assert (nothing["next_action"], nothing["not_before"]) == ("wait", {"G001": at(16)})
    assert (due.code, "goalkeeper complete-goals" in due.out) == (0, True)
    assert started == "G001"
    assert (_streak(second), named["repeated"]) == ((2, 2, 2), True)
    assert len(timed.events("cycle_achieved")) == 2
    assert timed.statuses() == {"G001": "pending"}
    assert timed.ok("status")["status"] == "waiting"


def _cycle(project: Project) -> str:
    return str(project.events("cycle_achieved")[-1]["data"]["cycle"])


def _streak(told: dict[str, object]) -> tuple[int, int, int]:
    streak = told["streak"]
    assert isinstance(streak, dict)
    return streak["current"], streak["longest"], streak["count"]


def test_T22_routine_leaves_the_checklist_out_and_yesterdays_answers_do_not_count(
    timed: Timed,
) -> None:
    timed.begin(contract(ASKS, **DAILY))
    timed.write(REPORT)
    verify(timed, answers())
    achieve(timed)
    timed.now = at(16)
    timed.start()
    routine = {"step": "q1_5", "condition": "outcome routine"}
    short = answers(q1_5=None, abbreviated=routine)

    same = verify(timed, short)
    timed.write({"report.md": "north 3\nsouth 6\n"})
    fresh = verify(timed, short)

    assert codes(same) == {"answers.q1.artifact": "artifact-unchanged"}
    assert states(fresh) == {"q1": "passed", "q2": "passed", "q3": "passed"}
    assert fresh.json["uncovered"] == []
    reason = timed.events("questions_answered")[-1]["data"]["reason"]
    assert "checklist abbreviated (outcome routine)" in reason
    assert _streak(achieve(timed)) == (2, 2, 2)


def test_T25_T52b_a_hypothesis_waits_for_its_time_is_confirmed_and_completes(
    timed: Timed,
) -> None:
    timed.plan(story("Part 1", contract(ASKS, **HYPOTHESIS)))
    early = timed.ok("complete-goals")
    page = timed.run("complete-goals").out
    timed.ok(*ADD, "--title", "Part 2", "--objective", "meanwhile")
    alone = answers(q1_5=None, q2=None, q3=None)

    timed.now = at(13)
    timed.start()
    timed.write(REPORT)
    unsaid = verify(timed, alone)
    pending = verify(timed, None, "--result", "PENDING")
    waits = timed.run("due").out
    meanwhile = timed.start()
    later = verify(timed, None, "--result", "PENDING")
    told = verify(timed, alone, "--result", "CONFIRMED")
    timed.ok("checkpoint", "--goal-id", "G002", "--status", "failed", "--evidence", "no")
    back = timed.start()

    assert (early["next_action"], early["not_before"]) == ("wait", {"G001": at(13)})
    assert "G001 not before 2026-03-01 13:00 UTC" in page
    assert unsaid.reason == "result-missing"
    assert (pending.code, pending.json["status"]) == (0, "pending")
    assert "G001 not before 2026-03-02 13:00 UTC" in waits
    assert pending.json["asked_again_at"] == "2026-03-02T13:00:00.000000Z"
    assert (meanwhile, back, later.json["changed"]) == ("G002", "G001", False)
    assert (told.code, states(told)) == (0, {"q1": "passed"})
    assert timed.complete().code == 0
    assert timed.goals()["G001"]["status"] == "complete"


def test_T25_T46_a_hypothesis_expires_by_our_clock_and_what_depends_on_it_is_at_a_dead_end(
    timed: Timed,
) -> None:
    after = contract(criterion("C1", {"file": "x"}), depends_on=["G001"])
    timed.plan("\n".join((story("One", contract(ASKS, **HYPOTHESIS)), story("Two", after))))

    early = verify(timed, None, "--result", "EXPIRED")
    timed.now = "2026-03-02T13:00:00.000001Z"
    late = verify(timed, None, "--result", "EXPIRED")

    assert (early.code, early.reason) == (1, "not-expired")
    assert (late.code, late.json["status"]) == (0, "expired")
    assert timed.goals()["G002"]["why"] == "waits for G001 (DEAD END: G001 is expired)"
    assert "DEAD END: G001 is expired" in timed.run("why", "G002").out
    assert "did not resolve by 2026-03-02T13:00:00Z" in timed.run("why", "G001").out
    assert timed.ok("report")["goals"][0]["status"] == "expired"
    assert timed.ok("complete-goals")["next_action"] == "resolve-blockers"


def test_T45_a_goal_is_handed_what_the_one_before_it_left_exactly_once(project: Project) -> None:
    first = contract(criterion("C1", {"file": "report.md"}))
    second = contract(criterion("C1", {"file": "next.md"}), depends_on=["G001"])
    project.begin(first, second)
    project.write(REPORT)
    words = ("--status", "complete", "--evidence", "both regions are in report.md")
    project.ok("checkpoint", "--goal-id", "G001", *words)

    handed = [project.run("complete-goals").out for _ in range(2)]

    expected = "## Predecessor Output (G001)\nboth regions are in report.md\n"
    assert [page.count(expected) for page in handed] == [1, 1]
    told = project.ok("complete-goals")["handoff"]["predecessor_output"]
    assert told == expected.strip()
