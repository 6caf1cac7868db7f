"""Plans of several goals, honest exits, and contracts that nothing can be proven with."""

import sys
from pathlib import Path

import pytest

from tests.e2e.drives import (
    FINDS_NOTHING,
    FIX,
    NOTE,
    NOTED,
    PLAN,
    PLANS,
    REVIEW,
    REVIEWS,
    SAYS_DONE,
    SPOIL,
    Acts,
    Driven,
    contains,
    git,
    honest,
    write,
)
from tests.e2e.project import IS_FIXED, contract, criterion
from tests.tables import thorough

UNBLOCK = "goalkeeper unblock --goal-id G001 --evidence <what changed>"
AFTER_THE_FIRST = {
    **contract(
        criterion("C1", {"command": ["grep", "-q", "fixed", "notes.txt"]}),
        criterion("C2", IS_FIXED, guard=True),
    ),
    "depends_on": ["G001"],
}


# Honest exits


@pytest.mark.parametrize("kind", ["blocked", thorough("impossible"), thorough("needs-human")])
def test_an_honest_exit_ends_a_goal_and_no_other(driven: Driven, kind: str) -> None:
    driven.ask(contract(), NOTED)
    end = driven.drive({"G001": [honest(kind, "there is no key")], "G002": [NOTE]})

    assert (end.reason, end.code, end.next) == (kind, 1, UNBLOCK)
    assert end.detail == "G001: there is no key"
    assert f"the agent says {kind}: there is no key" in end.out
    assert driven.statuses() == {"G001": "blocked", "G002": "complete"}
    assert driven.moments() == ["G001/1/impl/1", "G002/1/impl/1"]


def test_an_honest_exit_costs_no_iteration_and_beats_what_comes_with_it(driven: Driven) -> None:
    end = driven.drive({"G001": [SPOIL, honest("blocked", "no key"), {"exit": 3}]})

    assert end.reason == "blocked"
    assert driven.decisions() == []
    assert driven.kept() == "spoiled\n"


def test_an_honest_exit_is_heard_whoever_made_the_plan(driven: Driven) -> None:
    theirs = {"CLAUDE_CODE_SESSION_ID": "another-session"}
    end = driven.drive({"G001": [honest("blocked", "no key")]}, env=theirs)

    assert end.reason == "blocked"


@pytest.mark.thorough
def test_a_goal_that_was_unblocked_is_gone_on_with_and_all_of_it_lands(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    driven.drive({"G001": [SPOIL, honest("blocked", "no key")], "G002": [NOTE]})
    unblock = ("unblock", "--goal-id", "G001", "--evidence", "here is the key")
    driven.ok(*unblock, env=driven.human())

    end = driven.drive(
        {"G001": [{"replace": {"path": "product.txt", "old": "spoiled", "new": "fixed"}}]}
    )

    assert end.reason == "done"
    driven.ok("land")
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "fixed\n")


def test_a_goal_that_failed_three_times_is_left_and_tried_again_when_something_changed(
    driven: Driven,
) -> None:
    driven.ask(contract(), NOTED)
    wrong = {str(n): [{"write": {"path": "product.txt", "text": f"{n}\n"}}] for n in range(1, 4)}

    end = driven.drive({"G001": wrong, "G002": [NOTE]})

    assert (end.reason, end.next) == ("partial", UNBLOCK)
    assert driven.statuses() == {"G001": "blocked", "G002": "complete"}
    driven.ok("unblock", "--goal-id", "G001", "--evidence", "the service is there now")
    assert driven.drive({"G001": [FIX]}).reason == "done"
    driven.ok("land")
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "fixed\n")


@pytest.mark.parametrize("words", [("--amend",), thorough(("--allow-empty",))])
def test_commits_are_work_where_the_contract_is_about_them_and_ours_are_not(
    driven: Driven, words: tuple[str, ...]
) -> None:
    driven.ask(
        contract(criterion("C1", IS_FIXED), manifest={"commit_message_pattern": "^(feat|G001):"})
    )
    commit = git("commit", *words, "-m", "feat: mend it")

    end = driven.drive({"G001": {"1": [FIX], "*": [commit]}})

    assert end.reason == "done"
    assert driven.decisions() == ["REPLAN", "DONE"]


def test_a_goal_that_an_agent_failed_says_why_and_what_to_do(driven: Driven) -> None:
    driven.ask(contract())
    failed = ["-m", "goalkeeper", "checkpoint", "--goal-id", "G001", "--status", "failed"]
    gives_up = {"run": {"argv": [sys.executable, *failed, "--evidence", "too hard"]}}
    end = driven.drive({"G001": [gives_up]})

    assert (end.reason, end.detail) == ("blocked", "G001: too hard")
    assert end.next == "goalkeeper complete-goals --retry-failed"


# Several goals


def test_a_goal_builds_on_those_it_depends_on(driven: Driven) -> None:
    driven.ask(contract(), AFTER_THE_FIRST)
    end = driven.drive({"G001": [FIX], "G002": {"1": [SAYS_DONE], "2": [NOTE]}})

    assert end.reason == "done"
    assert driven.moments() == ["G001/1/impl/1", "G002/1/impl/1", "G002/2/impl/1"]
    assert (driven.kept("product.txt", "G002"), driven.kept("notes.txt", "G002")) == (
        "fixed\n",
    ) * 2
    driven.ok("land")
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "fixed\n")


def test_a_goal_whose_dependency_gave_up_is_not_begun(driven: Driven) -> None:
    driven.ask(contract(), AFTER_THE_FIRST)
    end = driven.drive({"G001": [honest("impossible", "it is")], "G002": [NOTE]})

    assert end.reason == "impossible"
    assert driven.statuses() == {"G001": "blocked", "G002": "pending"}


@pytest.mark.thorough
def test_limits_hold_for_all_goals_together(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    costs = {"usage": {"cost": 0.5}}
    end = driven.drive({"G001": [FIX, costs], "G002": [SAYS_DONE, costs]}, "--max-cost", "1")

    assert end.reason == "max-cost"
    assert driven.statuses() == {"G001": "complete", "G002": "active"}


def test_what_is_proven_of_a_plan_that_was_stopped_can_land(driven: Driven) -> None:
    driven.ask(contract(), NOTED)
    driven.drive({"G001": [FIX], "G002": [SAYS_DONE]})

    driven.ok("land")
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "nothing yet\n")


# Contracts


def test_a_goal_without_a_contract_is_not_worked_on(driven: Driven) -> None:
    driven.ask(None, NOTED)
    end = driven.drive({"G001": [SAYS_DONE]})  # nor does it draft one

    assert (end.code, "refused (draft-unusable)" in end.out) == (1, True)
    assert driven.endings() == driven.data("contract_frozen") == []


def test_a_contract_that_holds_already_is_not_worked_on(driven: Driven) -> None:
    driven.ask(contract(criterion("C1", {"command": ["grep", "-q", "broken", "product.txt"]})))
    end = driven.drive({"G001": [FIX]})

    assert (end.reason, end.code) == ("no-contract", 1)
    assert end.next == "goalkeeper contract check --goal-id G001"
    assert driven.endings() == []


def test_a_contract_that_cannot_fail_makes_no_plan(driven: Driven) -> None:
    driven.ask(contract(criterion("C1", {"command": ["true"]})))
    end = driven.drive({"G001": [FIX]})

    assert end.code == 3
    assert "vacuous: true always succeeds" in end.err
    assert list(driven.state.glob("runs/*/ledger.jsonl")) == []


# Phases


def test_a_deep_iteration_has_five_phases_each_with_its_own_prompt(driven: Driven) -> None:
    phases: dict[str, Acts] = {
        "1/plan": [contains(PLAN), PLANS],
        "1/impl": [contains("What must be true"), FIX],
        "1/verify": [contains(REVIEW), REVIEWS],
        "1/refine": [contains(REVIEW), NOTE],
        "1/ship": [contains("ready to be read by others")],
    }
    end = driven.drive({"G001": phases}, "--depth", "full")

    assert end.reason == "done"
    names = ("plan", "impl", "verify", "refine", "ship")
    assert driven.moments() == [f"G001/1/{phase}/1" for phase in names]
    assert driven.decisions() == ["DONE"]
    kept = driven.git("ls-tree", "-r", "--name-only", driven.branch()).splitlines()
    assert (PLAN in kept, REVIEW in kept) == (False, False)
    (checked,) = driven.data("artifacts_checked")
    assert [check["state"] for check in checked["gate"]["checks"]] == ["ok"] * 4
    assert "artifact gate: every phase left what it must" in end.err


def test_a_phase_that_fails_is_tried_again_before_the_next(driven: Driven) -> None:
    crashes: dict[str, Acts] = {
        "1/plan/1": [{"exit": 1}],
        "1/plan/2": [PLANS],
        "1/impl/1": [{"exit": 1}],
        "1/impl/2": [FIX],
        "1/verify": [FINDS_NOTHING],
        "*": [],
    }
    end = driven.drive({"G001": crashes}, "--depth", "full")

    assert end.reason == "done"
    assert driven.moments()[:5] == [
        "G001/1/plan/1", "G001/1/plan/2", "G001/1/impl/1", "G001/1/impl/2", "G001/1/verify/1",
    ]  # fmt: skip


def test_a_phase_that_is_not_needed_is_skipped_for_a_reason(driven: Driven) -> None:
    acts: dict[str, Acts] = {"1/plan": [PLANS], "1/impl": [FIX], "1/verify": [FINDS_NOTHING]}
    end = driven.drive({"G001": acts}, "--depth", "full")

    (skipped,) = driven.data("phase_skipped")
    assert end.reason == "done"
    assert (skipped["phase"], skipped["reason"].partition(":")[0]) == ("refine", "nothing-found")
    names = ("plan", "impl", "verify", "ship")
    assert driven.moments() == [f"G001/1/{phase}/1" for phase in names]


def test_phases_that_leave_nothing_are_told_so_once_and_then_stop_the_drive(
    driven: Driven,
) -> None:
    told = contains("it does not say how C1 will be met")
    acts: dict[str, Acts] = {
        "1/plan/1": [write(PLAN, "- see product.txt\n")],
        "1/plan/2": [told, PLANS],
        "1/impl": [{"say": "later"}],
        "1/verify/1": [FIX, REVIEWS],
        "1/verify/2": [contains("they were put back: product.txt"), {"say": "all good"}],
    }
    end = driven.drive({"G001": acts}, "--depth", "full")

    assert (end.code, end.reason) == (1, "circumvention")
    assert end.detail == "G001 iteration 1: A3 review: there is no review"
    assert "- artifact gate: A3 review: there is no review" in end.out
    assert "--depth full" in end.next
    assert (driven.data("phase_skipped"), driven.decisions()) == ([], [])
    (checked,) = driven.data("artifacts_checked")
    gate = driven.ok("why", "G001")["artifact_gate"]
    assert gate == driven.ok("status")["drive"]["artifact_gates"]["G001"]
    assert checked["gate"] == {"checks": gate["checks"]}
    assert gate["missing"] == ["A3 review: there is no review"]
    assert "A3 review: there is no review" in driven.run("why", "G001").out

    assert driven.refused(*driven.words({}, "--depth", "quick")) == "abridged"
    honest_acts: dict[str, Acts] = {
        "*/plan": [PLANS], "*/impl": [FIX], "*/verify": [FINDS_NOTHING], "*": [],
    }  # fmt: skip
    assert driven.drive({"G001": honest_acts}).reason == "done"
    assert driven.moments()[5:] == [f"G001/1/{p}/1" for p in ("plan", "impl", "verify", "ship")]


@pytest.mark.thorough
def test_what_only_reads_leaves_no_work_behind(driven: Driven) -> None:
    sneaks: Acts = [
        FIX, write(".gitignore", "*.hidden\n"), write("tool.hidden", "x"),
        git("init", "-q", "inner"), write("inner/product.txt", "fixed\n"),
        git("add", "-f", "."), git("commit", "-qm", "mine"), PLANS,
    ]  # fmt: skip
    acts: dict[str, Acts] = {"1/plan/1": sneaks, "1/plan/2": [PLANS], "1/verify": [FINDS_NOTHING]}
    end = driven.drive({"G001": acts | {"*": [{"say": "later"}]}}, "--depth", "full")

    assert (end.code, set(driven.decisions())) == (1, {"REPLAN"})
    assert driven.kept() == "broken\n"
    worktree = Path(driven.data("worktree_made")[0]["worktree"]["path"])
    assert sorted(path.name for path in worktree.iterdir()) == [
        ".git", ".goalkeeper", "brief.md", "notes.txt", "product.txt",
    ]  # fmt: skip


# Contracts that were frozen early, or elsewhere


def freeze(driven: Driven, goal: str, level: str) -> None:
    if not driven.state.exists():
        driven.ok("create-goals", "--gate", "standard", "--brief-file", "brief.md")
    driven.ok("contract", "freeze", "--goal-id", goal, "--isolation", level)


def test_a_contract_that_was_frozen_early_does_not_hide_the_work_of_others(driven: Driven) -> None:
    touch = {**NOTED, "scope": {"touch": ["notes.txt"]}}
    driven.ask(contract(), touch)
    freeze(driven, "G001", "checkout")
    freeze(driven, "G002", "checkout")

    end = driven.drive({"G001": [FIX], "G002": [NOTE]})

    assert end.reason == "done"
    assert driven.kept("product.txt", "G002") == "fixed\n"
    driven.ok("land")
    assert (driven.mine(), driven.mine("notes.txt")) == ("fixed\n", "fixed\n")


@pytest.mark.parametrize("early", [thorough(True), False])
@pytest.mark.thorough
def test_a_goal_that_earlier_work_has_met_completes_without_work(
    driven: Driven, early: bool
) -> None:
    driven.ask(contract(), NOTED)
    if early:
        freeze(driven, "G002", "checkout")

    end = driven.drive({"G001": [FIX, NOTE]})

    assert (end.reason, end.code) == ("done", 0)
    assert driven.goals()["G002"]["evidence"].startswith("met by G001\nFiles changed: none\n")
    assert driven.moments() == ["G001/1/impl/1"]


@pytest.mark.needs("bwrap")
def test_what_was_frozen_in_the_sandbox_is_not_proven_outside_of_it(driven: Driven) -> None:
    freeze(driven, "G001", "sandbox")

    end = driven.drive({"G001": [FIX]}, "--isolation", "checkout")

    assert (end.reason, end.code) == ("gate-closed", 1)
    assert "isolation was sandbox when the contract was frozen" in end.detail
    assert len(driven.moments()) == 1
