"""Findings of a review become work that comes first."""

from pathlib import Path

from tests.e2e.world import World, plan_in
from tests.tables import for_each

REASONS = ("--evidence", "import.log line 40", "--rationale", "it decides the order")
SUPERSEDE = ("steer", "--kind", "mark_blocked_superseded", "--goal-id")
REVIEW = ("record-review-blockers", "--goal-id", "G001", "--title", "Findings")


def test_71_a_settled_blocker_reopens_the_goal_and_does_not_replace_it(planned: World) -> None:
    planned.start()
    blocker = planned.ok(*REVIEW, "--objective", "Handle empty files", "--evidence", "crash")
    assert planned.statuses()["G001"] == "review_blocked"
    assert planned.goals()["G001"]["why"] == f"waits for {blocker['goal_id']}"
    assert planned.start() == blocker["goal_id"]
    planned.checkpoint(blocker["goal_id"], "blocked")

    planned.ok(*SUPERSEDE, blocker["goal_id"], *REASONS)

    assert planned.statuses()["G001"] == "active"
    assert planned.statuses()[blocker["goal_id"]] == "superseded"


def test_72_the_same_blocker_twice_is_one_goal(planned: World) -> None:
    planned.start()
    first = planned.ok(*REVIEW, "--objective", "Handle empty files", "--evidence", "crash")
    before = planned.bytes_of_state()

    second = planned.ok(*REVIEW, "--objective", " Handle empty files\n", "--evidence", "again")

    assert (first["goal_id"], second["goal_id"]) == ("G004", "G004")
    assert (first["repeated"], second["repeated"]) == (False, True)
    assert planned.bytes_of_state() == before


def test_72_a_fourth_open_blocker_is_refused_until_one_is_settled(planned: World) -> None:
    planned.start()
    for number in (1, 2, 3):
        planned.ok(*REVIEW, "--objective", f"Finding {number}", "--evidence", "seen")
    before = planned.statuses()

    refused = planned.run(*REVIEW, "--objective", "Finding 4", "--evidence", "seen", "--json")

    assert (refused.code, refused.reason) == (1, "too-many-review-blockers")
    assert sorted(refused.json["error"]["facts"]["open"]) == ["G004", "G005", "G006"]
    assert refused.hint == "goalkeeper complete-goals"
    assert planned.statuses() == before
    settled = planned.start()
    planned.checkpoint(settled, "blocked")
    planned.ok(*SUPERSEDE, settled, *REASONS)
    assert (
        planned.ok(*REVIEW, "--objective", "Finding 4", "--evidence", "seen")["goal_id"] == "G007"
    )


def test_72_the_same_words_about_another_goal_are_another_blocker(planned: World) -> None:
    planned.start()
    planned.checkpoint("G001", "failed")
    planned.start()
    other = (*REVIEW[:2], "G002", *REVIEW[3:], "--objective", "Same", "--evidence", "seen")
    first = planned.ok(*other)["goal_id"]
    planned.checkpoint(planned.start(), "failed")
    planned.checkpoint(planned.start(), "failed")
    planned.ok("complete-goals", "--retry-failed")

    assert planned.ok(*REVIEW, "--objective", "Same", "--evidence", "seen")["goal_id"] != first


def test_72_only_the_goal_that_is_worked_on_is_reviewed(planned: World) -> None:
    refused = planned.refused(*REVIEW, "--objective", "Handle empty files", "--evidence", "crash")

    assert refused == "transition-not-allowed"
    assert planned.statuses()["G001"] == "pending"


def test_72_a_review_blocker_needs_no_title(planned: World) -> None:
    planned.start()
    words = ("record-review-blockers", "--goal-id", "G001")

    blocker = planned.ok(*words, "--objective", "Handle empty files", "--evidence", "crash")

    assert planned.goals()[blocker["goal_id"]]["title"] == "Resolve review blockers"


@for_each("status", ["superseded", "pending", "active", "review_blocked"])
def test_73_a_checkpoint_cannot_give_a_goal_any_status_it_likes(
    tmp_path: Path, status: str
) -> None:
    planned = plan_in(tmp_path)
    planned.start()
    before = planned.bytes_of_state()

    answer = planned.run(
        "checkpoint", "--goal-id", "G001", "--status", status, "--evidence", "x", "--json"
    )

    assert (answer.code, answer.reason) == (2, "usage")
    assert planned.bytes_of_state() == before
