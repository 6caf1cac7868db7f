"""What a receipt states, and how long it speaks of the plan as it is."""

import json
from collections.abc import Sequence
from typing import Any

from goalkeeper.core.contract.criteria import Decision
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.core.contract.judgement import ISOLATIONS, Judgement
from goalkeeper.core.plan import commands, events, receipts
from goalkeeper.core.plan.events import Event
from goalkeeper.core.plan.model import Classification, Issued, Plan, ToolStatus
from goalkeeper.core.plan.receipts import (
    FINAL,
    GOAL,
    Circumstances,
    Proven,
    find_fresh,
    format_trailers,
    make_statement,
    why_outdated,
)
from goalkeeper.core.review.assessed import Quality, Voice
from goalkeeper.core.snapshot import Position, Snapshot, dump, load
from goalkeeper.verifier import statement as verifier
from goalkeeper.verifier.statement import (
    KINDS,
    PREDICATE,
    STATEMENT,
    check_shape,
    commit_of,
    tree_of,
)
from goalkeeper.wire.canonical import digest
from tests.tables import for_each
from tests.unit.core.helpers import (
    FROZEN,
    HUMAN,
    LATER,
    TWO_CRITERIA,
    accepted,
    after,
    contract_of,
    failed,
    frozen_of,
    frozen_plan,
    goal_of,
    judged,
    judgement_of,
    new,
    proven,
    recorded,
    review,
    split,
    start,
    steer,
    supersede,
)

OTHER = frozen_of(contract_of(C1="one", C2="three"))
FREEZE_SECOND = commands.FreezeContract("G002", FROZEN)
SEEN = judgement_of("pp")
BLOCKED = commands.CheckpointStatus.BLOCKED
TOLD = Circumstances(("root",), "commit of tree1", "head", 7, "0.1.0", LATER, "before")


def state(kind: str, plan: Plan, proven: Sequence[Proven], told: Circumstances) -> Any:  # noqa: ANN401  JSON
    return make_statement(kind, plan.run_id, [(plan, each) for each in proven], told)


def issue(kind: str, goal_id: str = "", tree: str = "tree1") -> commands.RecordReceipt:
    contract = FROZEN.digest if kind == GOAL else ""
    return commands.RecordReceipt(kind, goal_id, f"digest of {goal_id or kind}", tree, contract)


def half_done(*names: str) -> Plan:
    """The first of two goals, or of these, is complete and has its receipt."""
    return after(frozen_plan(*names), judged(SEEN), proven("G001", SEEN), issue(GOAL, "G001"))


def done() -> Plan:
    """Both are, and there is a final receipt."""
    second = judgement_of("pp", tree="tree2")
    plan = after(half_done(), start(), FREEZE_SECOND, judged(second, "G002"))
    plan = after(plan, proven("G002", second), issue(GOAL, "G002", "tree2"))
    return after(plan, issue(FINAL, tree="tree2"))


def outdated(plan: Plan) -> list[str]:
    """Which receipts are stale, by goal; the final one as `final`."""
    return [issued.goal_id or issued.kind for issued in plan.receipts if why_outdated(plan, issued)]


def contract(text: str = TWO_CRITERIA) -> Contract:
    read = read_text(text)
    assert isinstance(read, Contract)
    return read


def seen_on(judgement: Judgement = SEEN, goal_id: str = "G001", **changes: object) -> Proven:
    goal = goal_of(done(), goal_id).replace(**changes)
    return Proven(goal, contract(), judgement)


# What it states


def test_a_statement_names_the_tree_and_the_commit_that_has_it() -> None:
    told = state(GOAL, done(), (seen_on(),), TOLD)

    assert told["subject"] == [
        {"name": "tree", "digest": {"gitTree": "tree1"}},
        {"name": "commit", "digest": {"gitCommit": "commit of tree1"}},
    ]
    assert (tree_of(told), commit_of(told)) == ("tree1", "commit of tree1")


def test_what_was_not_committed_names_no_commit() -> None:
    told = state(GOAL, done(), (seen_on(),), TOLD.replace(commit=""))

    assert told["subject"] == [{"name": "tree", "digest": {"gitTree": "tree1"}}]
    assert commit_of(told) == ""


def test_a_statement_tells_each_criterion_in_the_words_of_its_contract() -> None:
    told = state(GOAL, done(), (seen_on(judgement_of("pfu")),), TOLD)

    (goal,) = told["predicate"]["goals"]
    assert (goal["id"], goal["title"]) == ("G001", "Title of one")
    assert goal["contract"] == FROZEN.digest
    assert goal["criteria"] == [
        {"id": "C1", "text": "it holds", "verdict": "passed", "evidence": "seen 1 on tree1"},
        {"id": "C2", "text": "it holds", "verdict": "failed", "evidence": "seen 2 on tree1"},
        {"id": "C3", "text": "", "verdict": "unknown", "evidence": "seen 3 on tree1"},
    ]


def test_a_statement_tells_its_circumstances() -> None:
    plan = done()

    predicate = state(FINAL, plan, (seen_on(), seen_on(goal_id="G002")), TOLD)["predicate"]

    assert (predicate["kind"], predicate["run"]) == ("final", plan.run_id)
    assert [goal["id"] for goal in predicate["goals"]] == ["G001", "G002"]
    assert predicate["repository"] == ["root"]
    assert predicate["ledger"] == {"head": "head", "seq": 7}
    assert (predicate["goalkeeper"], predicate["issuedAt"]) == ("0.1.0", LATER)
    assert predicate["previous"] == "before"


def test_a_final_receipt_is_as_well_isolated_as_the_worst_of_its_goals() -> None:
    levels = ("sandbox", "checkout", "sandbox")
    proven_so = tuple(seen_on(SEEN.replace(isolation=level)) for level in levels)

    assert state(FINAL, done(), proven_so, TOLD)["predicate"]["isolation"] == "checkout"
    assert state(GOAL, done(), proven_so[:1], TOLD)["predicate"]["isolation"] == "sandbox"


def test_a_receipt_says_under_which_conditions_its_goals_were_seen() -> None:
    said = ("set-up had no network",), ("there was no sandbox: x", "set-up had no network")
    proven_so = tuple(seen_on(SEEN.replace(conditions=each)) for each in said)

    predicate = state(FINAL, done(), proven_so, TOLD)["predicate"]
    assert predicate["conditions"] == ["set-up had no network", "there was no sandbox: x"]
    check_shape(state(FINAL, done(), proven_so, TOLD))
    assert "conditions" not in state(FINAL, done(), (seen_on(),), TOLD)["predicate"]


def test_tools_are_told_once() -> None:
    first = seen_on(frozen=FROZEN.replace(tools=("make /usr/bin/make", "cc /usr/bin/cc")))
    second = seen_on(frozen=FROZEN.replace(tools=("make /usr/bin/make",)))

    tools = state(FINAL, done(), (first, second), TOLD)["predicate"]["tools"]
    assert tools == ["cc /usr/bin/cc", "make /usr/bin/make"]


def test_the_digest_of_the_gate_is_that_of_what_passed_it() -> None:
    predicate = state(GOAL, done(), (seen_on(),), TOLD)["predicate"]
    other = state(GOAL, done(), (seen_on(judgement_of("pf")),), TOLD)["predicate"]

    assert predicate["gate"] == {"kind": "standard", "digest": digest([predicate["goals"], []])}
    assert predicate["gate"] != other["gate"]


def test_the_digest_of_a_strict_gate_is_of_its_document_too() -> None:
    seen = seen_on()
    quality = Quality(seen.judgement.tree, "d" * 64, (Voice("qa", "reported"),))
    reviewed = seen.replace(goal=seen.goal.replace(quality=quality))

    predicate = state(GOAL, done(), (reviewed,), TOLD)["predicate"]

    told = [predicate["goals"], predicate["lanes"], "d" * 64]
    assert predicate["gate"]["digest"] == digest(told)
    assert [lane["trust"] for lane in predicate["lanes"]] == ["reported"]


def test_the_words_are_those_that_the_verifier_reads() -> None:
    assert (receipts.STATEMENT, receipts.PREDICATE) == (STATEMENT, PREDICATE)
    assert (receipts.GOAL, receipts.FINAL) == KINDS
    assert ISOLATIONS == verifier.ISOLATIONS


# How long it is fresh


def test_what_was_just_issued_is_fresh() -> None:
    assert outdated(half_done()) == []
    assert outdated(done()) == []


def test_receipts_are_remembered_in_order_and_survive_on_disk() -> None:
    plan = done()

    assert [(issued.kind, issued.goal_id) for issued in plan.receipts] == [
        ("goal", "G001"),
        ("goal", "G002"),
        ("final", ""),
    ]
    kept = load(dump(Snapshot(plan, Position(1, 2, 3, "head"))))
    assert kept
    assert kept.plan.receipts == plan.receipts
    assert json.loads(json.dumps(plan.receipts[-1].as_dict()))["revision"] == plan.revision


ELSEWHERE: dict[str, tuple[commands.Command, ...]] = {
    "started": (start(),),
    "failed": (start(), failed("G002")),
    "judged": (start(), FREEZE_SECOND, judged(judgement_of("pf"), "G002")),
    "another contract": (start(), commands.FreezeContract("G002", OTHER)),
    "reviewed": (start(), review("G002")),
    "split": (split("G003"),),
    "added": (steer(commands.AddSubgoal(new("four"))),),
    "reworded": (steer(commands.RevisePendingWording("G003", "New", "")),),
    "noted": (steer(commands.AnnotateLedger()),),
}


@for_each("what", ELSEWHERE)
def test_work_on_other_goals_outdates_no_receipt_of_a_goal(what: str) -> None:
    assert outdated(after(half_done("one", "two", "three"), *ELSEWHERE[what])) == []


NOTHING_CHANGED: dict[str, Event] = {
    "a note": accepted(done(), steer(commands.AnnotateLedger())).events[0],
    "a refusal": events.CommandRefused("checkpoint", "not-proven", "G001"),
    "a rejected steer": events.SteeringRejected(commands.AnnotateLedger(), "why", "so", "no"),
    "a repair": events.LedgerRepaired(("a torn line",)),
    "a handoff": events.HandoffRecorded("somebody"),
    "the goal tool": events.GoalToolChanged(ToolStatus.COMPLETE, "all of it"),
    "a classification": events.BlockerClassified(Classification.RESOLVABLE, "seen", ""),
    "another receipt": events.ReceiptIssued(GOAL, "G001", "again", "tree1", FROZEN.digest),
    "the end": events.StateCleared("done with it"),
    "what we do not know": events.Unknown("new_kind", {}),
}


@for_each("what", NOTHING_CHANGED)
def test_what_changes_neither_goals_nor_contracts_outdates_nothing(what: str) -> None:
    assert outdated(recorded(done(), NOTHING_CHANGED[what])) == []


def test_what_is_judged_again_outdates_nothing() -> None:
    again = events.GoalJudged("G001", 2, judgement_of("pp", tree="tree2"), Decision.DONE)

    assert outdated(recorded(done(), again)) == []


CHANGED: dict[str, tuple[tuple[Event, ...], list[str]]] = {
    "a goal was added": (
        accepted(done(), steer(commands.AddSubgoal(new("three")))).events,
        ["final"],
    ),
    "a goal was reopened": ((events.GoalStarted("G002"),), ["G002", "final"]),
    "a goal was failed": (
        (events.GoalCheckpointed("G001", commands.CheckpointStatus.FAILED, "it broke"),),
        ["G001", "final"],
    ),
    "a contract was amended": (
        (events.ContractAmended("G001", OTHER, "the API changed"),),
        ["G001", "final"],
    ),
    "a review found something": (
        (events.ReviewBlockersRecorded("G002", "G003", "Findings", "mend it", "the review"),),
        ["G002", "final"],
    ),
    "a goal was proven again elsewhere": (
        (events.GoalCompleted("G001", "again", "standard", judgement_of("pp", tree="tree3")),),
        ["G001", "final"],
    ),
    "a goal was proven again where it was": (
        (events.GoalCompleted("G001", "again", "standard", SEEN),),
        ["final"],
    ),
}


@for_each("what", CHANGED)
def test_a_change_outdates_the_final_receipt_and_those_it_is_about(what: str) -> None:
    happened, expected = CHANGED[what]

    assert outdated(recorded(done(), *happened)) == expected


@for_each("change", [split("G003"), supersede("G003")], ids=["split", "superseded"])
def test_a_goal_that_came_and_went_outdates_the_final_receipt_alone(change: commands.Steer) -> None:
    plan = after(done(), steer(commands.AddSubgoal(new("three"))))
    if isinstance(change.change, commands.MarkBlockedSuperseded):
        plan = recorded(after(plan, start()), events.GoalCheckpointed("G003", BLOCKED, "it waits"))

    assert outdated(after(plan, change, actor=HUMAN)) == ["final"]


def test_a_new_final_receipt_is_fresh_beside_an_old_one() -> None:
    plan = after(done(), steer(commands.AddSubgoal(new("three"))), start())
    third = judgement_of("pp", tree="tree3")
    plan = after(plan, commands.FreezeContract("G003", FROZEN), judged(third, "G003"))
    plan = after(plan, proven("G003", third), issue(GOAL, "G003", "tree3"))

    renewed = after(plan, issue(FINAL, tree="tree3"))

    finals = [bool(why_outdated(renewed, each)) for each in renewed.receipts if each.kind == FINAL]
    assert finals == [True, False]


def test_why_a_receipt_is_stale_is_said() -> None:
    plan = done()
    of_goal, _, final = plan.receipts

    reopened = recorded(plan, events.GoalStarted("G001"))
    assert why_outdated(reopened, of_goal) == "G001 is no longer complete"
    assert why_outdated(reopened, final).startswith("the plan changed since (revision ")
    amended = recorded(plan, events.ContractAmended("G001", OTHER, "so"))
    assert why_outdated(amended, of_goal) == "the contract of G001 is another now"


def test_a_receipt_of_a_goal_that_the_plan_does_not_have_is_stale() -> None:
    stray = Issued(GOAL, "G999", "digest", "tree1", FROZEN.digest, 0)

    assert why_outdated(done(), stray) == "G999 is no longer complete"


# Which one, and what a commit says of it


def test_of_several_receipts_the_last_is_meant_if_it_is_fresh() -> None:
    again = commands.RecordReceipt(GOAL, "G001", "another", "tree1", FROZEN.digest)
    plan = after(done(), again)

    found = find_fresh(plan, GOAL, "G001")
    assert found is not None
    assert found.digest == "another"
    final = find_fresh(plan, FINAL)
    assert final is not None
    assert final.digest == "digest of final"
    assert find_fresh(after(plan, steer(commands.AddSubgoal(new("three")))), FINAL) is None
    assert find_fresh(plan, GOAL, "G009") is None


def test_a_commit_names_goals_and_the_receipt_if_there_is_one() -> None:
    assert format_trailers(("G001", "G002"), "ab") == (
        "Goal: G001\nGoal: G002\nGoalkeeper-Receipt: sha256:ab\n"
    )
    assert format_trailers(("G001",), "") == "Goal: G001\n"
