"""Events as JSON. What is written here once stays readable for ever."""

from typing import Any, get_args

import pytest

from goalkeeper.core import codec
from goalkeeper.core.contract.criteria import Decision, Verdict
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.contract.timing import Timing
from goalkeeper.core.decode import Malformed
from goalkeeper.core.drive.phases import Ending, Record
from goalkeeper.core.plan import events
from goalkeeper.core.plan.commands import (
    AddSubgoal,
    AnnotateLedger,
    Change,
    CheckpointStatus,
    MarkBlockedSuperseded,
    ReorderPending,
    RevisePendingWording,
    SplitSubgoal,
)
from goalkeeper.core.plan.model import Base, Classification, Frozen, GoalMode, NewGoal, ToolStatus
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord
from tests.tables import for_each
from tests.unit.core.written_drives import UNFIT_DRIVES, WRITTEN_DRIVES
from tests.unit.core.written_gates import WRITTEN_GATES
from tests.unit.core.written_verify import WRITTEN_VERIFICATIONS

Fields = dict[str, Any]

ONE = NewGoal("One", "do one")
TWO = NewGoal("Two", "do two", ("G001",), "outcomes: []", Timing(24, "h1", "o", "c"))

ONE_WRITTEN = {"title": "One", "objective": "do one"}
TWO_WRITTEN = {
    "title": "Two",
    "objective": "do two",
    "depends_on": ["G001"],
    "contract": "outcomes: []",
    "timing": {"interval_hours": 24, "hypothesis": "h1", "opens": "o", "closes": "c"},
}
REASONS = {"evidence": "e", "rationale": "r"}

FROZEN = Frozen("d", '{"criteria":[]}', "brief", Base("t", "c"), "p")
FROZEN_WRITTEN = {
    "digest": "d",
    "contract": '{"criteria":[]}',
    "author": "brief",
    "base": {"tree": "t", "commit": "c"},
    "protected": "p",
}
JUDGEMENT = Judgement(
    "t",
    "c",
    "d",
    "checkout",
    (Judged("C1", Verdict.PASSED, "exit 0", "e", cached=True), Judged("C2", Verdict.UNKNOWN)),
    (Finding("test-removed", Level.BLOCKING, "tests/test_a.py", 3, "it is gone"),),
    uncached=True,
)
JUDGEMENT_WRITTEN = {
    "tree": "t",
    "commit": "c",
    "contract": "d",
    "isolation": "checkout",
    "criteria": [
        {"id": "C1", "verdict": "passed", "reason": "exit 0", "evidence": "e", "cached": True},
        {"id": "C2", "verdict": "unknown", "cached": False},
    ],
    "findings": [
        {
            "rule": "test-removed",
            "level": "blocking",
            "path": "tests/test_a.py",
            "line": 3,
            "message": "it is gone",
        }
    ],
    "uncached": True,
}


def steering(change: Change, *goal_ids: str, key: str = "") -> events.SteeringAccepted:
    return events.SteeringAccepted(change, "e", "r", key, "digest", goal_ids, 7)


def judged(**changes: object) -> Fields:
    """A judgement as it is written, but for these fields."""
    whole = {"iteration": 1, "judgement": JUDGEMENT_WRITTEN, "decision": "DONE"}
    return {"goal_id": "G001", **whole, **changes}


def steering_written(change: Fields, *goal_ids: str, **more: str) -> Fields:
    made = {"change": change, **REASONS, "request": "digest", "revision": 7, **more}
    return made | {"goal_ids": list(goal_ids)} if goal_ids else made


WRITTEN: list[tuple[str, Fields, events.Event]] = [
    (
        "plan_created",
        {
            "run_id": "r",
            "brief": "b",
            "mode": "aggregate",
            "objective": "o",
            "constraints": "c",
            "goals": [ONE_WRITTEN, TWO_WRITTEN],
            "session": "s",
            "replaces": "q",
            "reason": "new",
            "base": {"tree": "t", "commit": "c"},
        },
        events.PlanCreated(
            "r", "b", GoalMode.AGGREGATE, "o", "c", (ONE, TWO), "s", "q", "new", Base("t", "c")
        ),
    ),
    (
        "plan_created",
        {"run_id": "r", "mode": "per-story", "goals": [ONE_WRITTEN]},
        events.PlanCreated("r", "", GoalMode.PER_STORY, "", "", (ONE,)),
    ),
    ("goal_started", {"goal_id": "G001"}, events.GoalStarted("G001")),
    (
        "goal_checkpointed",
        {"goal_id": "G001", "status": "failed", "evidence": "e"},
        events.GoalCheckpointed("G001", CheckpointStatus.FAILED, "e"),
    ),
    (
        "contract_frozen",
        {"goal_id": "G001", "frozen": FROZEN_WRITTEN},
        events.ContractFrozen("G001", FROZEN),
    ),
    (
        "contract_frozen",
        {
            "goal_id": "G001",
            "frozen": {"digest": "d", "contract": "{}", "base": {"tree": "t"}},
        },
        events.ContractFrozen("G001", Frozen("d", "{}", "", Base("t"), "")),
    ),
    (
        "contract_amended",
        {"goal_id": "G001", "frozen": FROZEN_WRITTEN, "reason": "it asked too much"},
        events.ContractAmended("G001", FROZEN, "it asked too much"),
    ),
    (
        "goal_judged",
        {
            "goal_id": "G001",
            "iteration": 4,
            "judgement": JUDGEMENT_WRITTEN,
            "decision": "REPLAN",
        },
        events.GoalJudged("G001", 4, JUDGEMENT, Decision.REPLAN),
    ),
    (
        "goal_completed",
        {"goal_id": "G001", "evidence": "e"},
        events.GoalCompleted("G001", "e"),
    ),
    (
        "goal_completed",
        {
            "goal_id": "G001",
            "evidence": "e",
            "gate": "standard",
            "judgement": JUDGEMENT_WRITTEN,
        },
        events.GoalCompleted("G001", "e", "standard", JUDGEMENT),
    ),
    (
        "receipt_issued",
        {"kind": "goal", "goal_id": "G001", "digest": "d", "tree": "t", "contract": "c"},
        events.ReceiptIssued("goal", "G001", "d", "t", "c"),
    ),
    (
        "goal_unblocked",
        {"goal_id": "G001", "evidence": "e"},
        events.GoalUnblocked("G001", "e"),
    ),
    (
        "goal_unblocked",
        {"goal_id": "G001", "evidence": "e", "behind": "G002"},
        events.GoalUnblocked("G001", "e", "G002"),
    ),
    (
        "steering_accepted",
        steering_written({"kind": "add_subgoal", "goal": ONE_WRITTEN}, "G002", key="k"),
        steering(AddSubgoal(ONE), "G002", key="k"),
    ),
    (
        "steering_accepted",
        steering_written(
            {
                "kind": "split_subgoal",
                "goal_id": "G001",
                "replacements": [ONE_WRITTEN, TWO_WRITTEN],
            },
            "G002",
            "G003",
        ),
        steering(SplitSubgoal("G001", (ONE, TWO)), "G002", "G003"),
    ),
    (
        "steering_accepted",
        steering_written({"kind": "reorder_pending", "order": ["G002", "G001"]}, "G002", "G001"),
        steering(ReorderPending(("G002", "G001")), "G002", "G001"),
    ),
    (
        "steering_accepted",
        steering_written(
            {
                "kind": "revise_pending_wording",
                "goal_id": "G001",
                "title": "T",
                "objective": "o",
            },
            "G001",
        ),
        steering(RevisePendingWording("G001", "T", "o"), "G001"),
    ),
    (
        "steering_accepted",
        steering_written({"kind": "mark_blocked_superseded", "goal_id": "G007"}, "G007"),
        steering(MarkBlockedSuperseded("G007"), "G007"),
    ),
    (
        "steering_accepted",
        steering_written({"kind": "annotate_ledger"}),
        steering(AnnotateLedger()),
    ),
    (
        "steering_rejected",
        {"change": {"kind": "annotate_ledger"}, "rationale": "r", "reason": "missing-evidence"},
        events.SteeringRejected(AnnotateLedger(), "", "r", "missing-evidence"),
    ),
    (
        "review_blockers_recorded",
        {"goal_id": "G001", "blocker_id": "G002", "title": "T", "objective": "o", "evidence": "e"},
        events.ReviewBlockersRecorded("G001", "G002", "T", "o", "e"),
    ),
    (
        "blocker_classified",
        {"classification": "human_blocked", "evidence": "e", "goal_id": "G001"},
        events.BlockerClassified(Classification.HUMAN_BLOCKED, "e", "G001"),
    ),
    (
        "goal_tool_changed",
        {"status": "paused", "objective": "o"},
        events.GoalToolChanged(ToolStatus.PAUSED, "o"),
    ),
    ("objective_migrated", {"old": "a", "new": "b"}, events.ObjectiveMigrated("a", "b")),
    ("handoff_recorded", {"to": "planning"}, events.HandoffRecorded("planning")),
    ("handoff_recorded", {}, events.HandoffRecorded("")),
    ("state_cleared", {"reason": "enough"}, events.StateCleared("enough")),
    ("ledger_repaired", {"actions": ["a", "b"]}, events.LedgerRepaired(("a", "b"))),
    (
        "command_refused",
        {"command": "Checkpoint", "reason": "r", "goal_id": "G001"},
        events.CommandRefused("Checkpoint", "r", "G001"),
    ),
    ("nudge", {"deep": {"er": [None]}}, events.Unknown("nudge", {"deep": {"er": [None]}})),
    *WRITTEN_DRIVES,
    *WRITTEN_GATES,
    *WRITTEN_VERIFICATIONS,
]


@for_each(("kind", "data", "event"), WRITTEN)
def test_what_is_written_is_read(kind: str, data: Fields, event: events.Event) -> None:
    assert codec.decode_event(kind, codec.version_of(kind), data) == event


@for_each(("kind", "data", "event"), WRITTEN)
def test_what_was_written_once_is_what_we_write(
    kind: str, data: Fields, event: events.Event
) -> None:
    written, version, fields = codec.encode_event(event)

    assert (written, version, fields) == (kind, codec.version_of(kind), data)


def test_every_kind_of_event_is_written_down_here() -> None:
    assert {type(event) for _, _, event in WRITTEN} == set(get_args(events.Event))


def test_a_known_kind_in_a_newer_version_is_too_new() -> None:
    with pytest.raises(codec.TooNew, match="goal_started v2"):
        codec.decode_event("goal_started", 2, {"goal_id": "G001"})


def test_an_unknown_kind_is_kept_whatever_its_version() -> None:
    assert codec.decode_event("moon_landed", 9, {"on": "moon"}) == events.Unknown(
        "moon_landed", {"on": "moon"}
    )


@for_each(
    ("kind", "data", "field"),
    [
        ("goal_started", {}, "goal_id"),
        ("goal_started", {"goal_id": 1}, "goal_id"),
        ("goal_started", [], "it"),
        ("goal_checkpointed", {"goal_id": "G001", "status": "superseded"}, "status"),
        ("plan_created", {"run_id": "r", "mode": "other"}, "mode"),
        ("plan_created", {"run_id": "r", "mode": "aggregate", "goals": {}}, "goals"),
        ("plan_created", {"run_id": "r", "mode": "aggregate", "goals": [1]}, r"goals\[0\]"),
        ("steering_accepted", {"change": {"kind": "delete_goal"}}, "change.kind"),
        ("steering_accepted", {"change": {"kind": "add_subgoal"}}, "change.goal"),
        ("steering_accepted", {}, "change"),
        ("ledger_repaired", {"actions": [1]}, "actions"),
        ("goal_checkpointed", {"goal_id": "G001", "status": "complete"}, "status"),
        ("plan_created", {"run_id": "r", "mode": "aggregate", "base": {}}, "base.tree"),
        ("contract_frozen", {"goal_id": "G001"}, "frozen"),
        ("contract_frozen", {"goal_id": "G001", "frozen": {"digest": "d"}}, "frozen.contract"),
        ("contract_amended", {"goal_id": "G001", "frozen": FROZEN_WRITTEN | {"base": 1}}, "frozen"),
        ("goal_judged", {"goal_id": "G001"}, "iteration"),
        ("goal_judged", {"goal_id": "G001", "iteration": 1}, "judgement"),
        ("goal_judged", judged(decision="FINE"), "decision"),
        (
            "goal_judged",
            judged(judgement=JUDGEMENT_WRITTEN | {"uncached": 1}),
            "judgement.uncached",
        ),
        (
            "goal_judged",
            judged(judgement=JUDGEMENT_WRITTEN | {"criteria": [{"id": "C1", "verdict": "PASS"}]}),
            r"judgement.criteria\[0\].verdict",
        ),
        (
            "goal_completed",
            {
                "goal_id": "G001",
                "judgement": JUDGEMENT_WRITTEN | {"findings": [{"rule": "r", "level": "grave"}]},
            },
            r"judgement.findings\[0\].level",
        ),
        *UNFIT_DRIVES,
    ],
)
def test_data_that_does_not_fit_its_kind_is_malformed(kind: str, data: object, field: str) -> None:
    with pytest.raises(Malformed, match=f"^{field}[. ]"):
        codec.decode_event(kind, 1, data)


def test_a_lane_of_an_older_ledger_is_one_of_a_time_when_all_were_independent() -> None:
    kind, version, fields = codec.encode_event(
        events.LaneReported(
            "G001", Lane(LaneRole.QA, "t", "c", LaneWord.CLEAR, Record("claude", Ending.OK))
        )
    )
    del fields["lane"]["trust"]

    read = codec.decode_event(kind, version, fields)

    assert isinstance(read, events.LaneReported)
    assert read.lane.trust == "independent"
