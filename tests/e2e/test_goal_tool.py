"""The goal a client holds, and when an agent may ask or pause."""

import json
from pathlib import Path

import pytest

from tests.e2e.project import MENDED, Project, contract, criterion, story
from tests.e2e.world import World, plan_in
from tests.tables import for_each

HUMAN = ("classify-blocker", "--classification", "human_blocked", "--evidence", "needs the key")
RESOLVABLE = ("classify-blocker", "--classification", "resolvable", "--evidence", "a typo")
NOTE = ("steer", "--kind", "annotate_ledger", "--evidence", "seen", "--rationale", "so that")
OTHER = ("--objective", "Answer the mail")
END = "goalkeeper goal complete  # after that"


def held(world: World) -> str:
    status: str = world.ok("goal", "get")["goal"]["status"]
    return status


@pytest.fixture
def holding(planned: World) -> World:
    """The seed's plan, held as the client's goal."""
    planned.ok("goal", "create")
    return planned


# Hold, drop, pause, resume


def test_without_a_plan_there_is_nothing_to_hold(world: World) -> None:
    assert held(world) == "none"
    assert world.run("goal", "get").out == "Goal tool: none\n"
    answer = world.run("goal", "create", "--json")
    assert (answer.code, answer.reason) == (2, "no-plan")


def test_the_goal_of_a_plan_is_a_pointer_to_it_and_no_list_of_goals(planned: World) -> None:
    run_id = planned.ok("status")["run_id"]

    created = planned.ok("goal", "create")

    objective = created["goal"]["objective"]
    assert created["goal"]["status"] == "active"
    assert objective == created["expected_objective"] == planned.ok("status")["objective"]
    assert f".goalkeeper/runs/{run_id}/goals.json" in objective
    assert "G00" not in objective


def test_the_pointer_stays_the_same_when_the_plan_changes(holding: World) -> None:
    before = holding.ok("goal", "get")["expected_objective"]

    add = ("steer", "--kind", "add_subgoal", "--title", "More", "--objective", "More.")
    holding.ok(*add, "--evidence", "seen", "--rationale", "so that")
    holding.start()

    after = holding.ok("goal", "get")
    assert after["expected_objective"] == after["goal"]["objective"] == before


def test_creating_it_twice_is_once(holding: World) -> None:
    before = holding.bytes_of_state()

    holding.ok("goal", "create")

    assert len(holding.events("goal_tool_changed")) == 1
    assert holding.bytes_of_state() == before


def test_another_goal_is_refused_while_one_is_held(holding: World) -> None:
    refused = holding.run("goal", "create", *OTHER, "--json")

    assert (refused.code, refused.reason) == (1, "goal-already-held")
    assert refused.hint == "goalkeeper goal drop"
    assert held(holding) == "active"


def test_a_dropped_goal_leaves_the_tool_ready(holding: World) -> None:
    assert holding.ok("goal", "drop")["goal"]["status"] == "dropped"
    assert holding.ok("goal", "drop")["goal"]["status"] == "dropped"
    assert holding.ok("goal", "create")["goal"]["status"] == "active"


def test_dropping_the_goal_drops_nothing_of_the_plan(holding: World) -> None:
    before = holding.goals()

    holding.ok("goal", "drop")

    assert holding.goals() == before


@for_each("op", ["pause", "resume", "complete"])
def test_what_is_not_held_cannot_be_changed(tmp_path: Path, op: str) -> None:
    planned = plan_in(tmp_path)
    assert planned.refused("goal", op) == "goal-tool-state"
    assert held(planned) == "none"


def test_a_paused_goal_goes_on(holding: World) -> None:
    holding.ok(*HUMAN)

    assert holding.ok("goal", "pause")["goal"]["status"] == "paused"
    assert holding.ok("goal", "pause")["goal"]["status"] == "paused"
    assert holding.ok("goal", "resume")["goal"]["status"] == "active"
    assert holding.ok("goal", "resume")["goal"]["status"] == "active"
    assert len(holding.events("goal_tool_changed")) == 3


def test_words_and_json_say_the_same(holding: World) -> None:
    told = holding.ok("goal", "get")
    page = holding.run("goal", "get").out

    assert page == f"Goal tool: active\nObjective: {told['goal']['objective']}\n"


# Complete


def test_the_plans_goal_is_complete_when_every_goal_went_through_the_gate(
    holding: World,
) -> None:
    answer = holding.run("goal", "complete", "--json")

    assert (answer.code, answer.reason) == (1, "plan-not-complete")
    assert answer.json["error"]["facts"]["open"] == ["G001", "G002", "G003"]
    assert held(holding) == "active"


def test_the_tool_is_not_complete_while_the_plan_is_live(planned: World) -> None:
    objective = planned.ok("goal", "get")["expected_objective"]

    planned.run("goal", "create", "--objective", objective.removesuffix("."))
    planned.run("goal", "complete")

    assert held(planned) != "complete"


def test_rewording_a_goal_does_not_free_its_objective(world: World) -> None:
    world.plan("@goal: A\nDo this.\n@goal: B\nDo that.", "--goal-mode", "per-story")
    world.start()
    world.ok("goal", "create", "--objective", "Do that.")
    revise = ("steer", "--kind", "revise_pending_wording", "--goal-id", "G002")
    world.ok(*revise, "--objective", "Else.", "--evidence", "seen", "--rationale", "so that")

    world.run("goal", "complete")

    assert held(world) != "complete"


# A checkpoint reconciles


def test_a_checkpoint_takes_the_clients_goal_when_it_agrees(holding: World) -> None:
    holding.start()
    told = json.dumps(holding.ok("goal", "get"))
    (holding.root / "goal.json").write_text(told)
    checkpoint = ("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "seen")

    assert holding.ok(*checkpoint, "--goal-json", told)["repeated"] is False
    assert holding.ok(*checkpoint, "--goal-json", "goal.json")["repeated"] is True


def test_a_checkpoint_takes_the_goal_as_codex_shows_it(planned: World) -> None:
    planned.start()
    held = planned.ok("goal", "get")["expected_objective"]
    goal = {"threadId": "t1", "objective": held, "status": "budgetLimited", "tokensUsed": 12}
    codex = {"goal": goal, "remainingTokens": None}
    old = {"goal": {"objective": "an older goal", "status": "complete"}}
    blocked = ("checkpoint", "--goal-id", "G001", "--status", "blocked", "--evidence", "in the way")
    review = ("record-review-blockers", "--goal-id", "G002", "--objective", "o", "--evidence", "e")

    for shown in (codex, {"goal": None}, old):
        planned.ok(*blocked, "--goal-json", json.dumps(shown))
        planned.ok("unblock", "--goal-id", "G001", "--evidence", "out of the way")
    assert planned.refused(*review, "--goal-json", json.dumps(old)) == "goal-state-mismatch"


@pytest.mark.parametrize(
    "claim",
    [
        {"status": "complete"},
        {"status": "active", "objective": "Answer the mail"},
        {"status": "none"},
    ],
)
def test_a_checkpoint_refuses_a_clients_goal_that_differs(
    holding: World, claim: dict[str, str]
) -> None:
    holding.start()
    checkpoint = ("checkpoint", "--goal-id", "G001", "--status", "failed", "--evidence", "seen")

    refused = holding.refused(*checkpoint, "--goal-json", json.dumps(claim))

    assert refused == "goal-state-mismatch"
    assert holding.statuses()["G001"] == "active"


def test_per_story_each_hand_over_says_how_the_tool_comes_to_hold_the_story(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path)
    other = contract(criterion("C1", {"file": "other.txt"}))
    stories = story("Part 1", contract()) + story("Part 2", other)
    project.plan(stories, "--goal-mode", "per-story")
    first = project.ok("complete-goals")["handoff"]["commands"]
    project.ok("goal", "create")
    project.write(MENDED)
    assert project.complete().code == 0

    second = project.ok("complete-goals")["handoff"]["commands"]
    project.write({"other.txt": "x\n"})
    early = project.complete("G002")
    project.ok("goal", "complete")
    project.ok("goal", "create")

    assert (first[0], first[2]) == ("goalkeeper goal create", END)
    assert second[:2] == ["goalkeeper goal complete", "goalkeeper goal create"]
    assert early.reason == "goal-of-another-story"
    assert project.complete("G002").code == 0
    assert project.run("receipt", "list").out.count("fresh\n") == 2
    project.write({"other.txt": "y\n"})
    assert project.run("receipt", "list").out.count("fresh; your files have changed since") == 3


# May an agent ask


def test_78_without_a_plan_anybody_may_ask(world: World) -> None:
    assert world.ok("guard", "ask")["allowed"] is True
    assert world.run("guard", "ask").out == "ask: allowed\n"


def test_78_a_live_run_closes_questions_and_names_what_to_do_instead(planned: World) -> None:
    refused = planned.run("guard", "ask", "--json")

    assert (refused.code, refused.reason) == (1, "questions-closed")
    assert refused.hint.startswith("goalkeeper record-review-blockers")


def test_78_a_run_handed_back_for_a_human_opens_questions(planned: World) -> None:
    assert planned.refused("state", "handoff", "--to", "clarification") == "blocker-not-classified"
    planned.ok("classify-blocker", "--classification", "human_blocked", "--evidence", "a key")
    planned.ok("state", "handoff", "--to", "clarification")

    planned.ok("guard", "ask")


def test_78_a_cleared_run_opens_questions(planned: World) -> None:
    planned.ok("state", "clear", "--force", "--mode", "ultragoal")

    planned.ok("guard", "ask")


# May an agent pause


def test_74_a_run_is_not_paused_without_a_classified_blocker(holding: World) -> None:
    assert holding.refused("guard", "pause") == "blocker-not-classified"
    assert holding.refused("goal", "pause") == "blocker-not-classified"
    assert held(holding) == "active"


def test_74_a_resolvable_blocker_pauses_nothing(holding: World) -> None:
    holding.ok(*HUMAN)
    holding.ok(*RESOLVABLE)

    assert holding.refused("guard", "pause") == "blocker-resolvable"
    assert holding.refused("goal", "pause") == "blocker-resolvable"


def test_74_the_latest_classification_counts(holding: World) -> None:
    holding.ok(*RESOLVABLE)
    holding.ok(*HUMAN)

    holding.ok("guard", "pause")
    holding.ok("goal", "pause")


@pytest.mark.parametrize(
    "change",
    [
        ("complete-goals",),
        ("steer", "--kind", "add_subgoal", "--title", "t", "--objective", "o", *NOTE[3:]),
        ("steer", "--kind", "reorder_pending", "--order-json", '["G002","G001","G003"]', *NOTE[3:]),
    ],
    ids=lambda words: words[-1] if len(words) == 1 else words[2],
)
def test_74_a_plan_that_changed_needs_a_new_classification(
    holding: World, change: tuple[str, ...]
) -> None:
    holding.ok(*HUMAN)
    holding.ok(*change)

    assert holding.refused("guard", "pause") == "classification-stale"
    assert holding.refused("goal", "pause") == "classification-stale"
    holding.ok(*HUMAN)
    holding.ok("goal", "pause")


def test_74_a_note_or_a_refused_attempt_changes_no_plan(holding: World) -> None:
    holding.ok(*HUMAN)
    holding.ok(*NOTE)
    holding.run("steer", "--kind", "reorder_pending", "--order-json", "[]", *NOTE[3:])
    holding.run("goal", "complete")

    holding.ok("guard", "pause")


@for_each("guard", ["ask", "pause"])
def test_74_an_unreadable_run_guards_itself(tmp_path: Path, guard: str) -> None:
    planned = plan_in(tmp_path)
    (ledger,) = planned.state.glob("runs/*/ledger.jsonl")
    ledger.write_text(ledger.read_text() + "{")

    answer = planned.run("guard", guard, "--json")

    assert (answer.code, answer.reason) == (4, "ledger-torn")


# Classify


def test_a_classification_is_recorded_with_its_evidence_and_goal(planned: World) -> None:
    goal_id = planned.blocked(human=True)

    (event,) = planned.events("blocker_classified")

    assert event["data"] == {
        "classification": "human_blocked",
        "evidence": "needs the production key",
        "goal_id": goal_id,
    }
    assert "only a human can act" in planned.goals()[goal_id]["why"]


def test_a_classification_answers_in_words_and_json(planned: World) -> None:
    told = planned.ok(*HUMAN)
    page = planned.run(*RESOLVABLE).out

    assert (told["event"], told["classification"]) == ("blocker_classified", "human_blocked")
    assert page.startswith("Classified as resolvable.\n  next: ")
