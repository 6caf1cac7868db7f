"""Events as JSON. What is written here once stays readable for ever."""

from typing import Any, get_args

import pytest

from goalkeeper.core import codec, events
from goalkeeper.core.commands import (
    AddSubgoal,
    AnnotateLedger,
    Change,
    CheckpointStatus,
    MarkBlockedSuperseded,
    ReorderPending,
    RevisePendingWording,
    SplitSubgoal,
)
from goalkeeper.core.fields import Malformed
from goalkeeper.core.model import Classification, GoalMode, NewGoal, ToolStatus

Fields = dict[str, Any]

ONE = NewGoal("One", "do one")
TWO = NewGoal("Two", "do two", ("G001",), "outcomes: []")

ONE_WRITTEN = {"title": "One", "objective": "do one"}
TWO_WRITTEN = {
    "title": "Two",
    "objective": "do two",
    "depends_on": ["G001"],
    "contract": "outcomes: []",
}
REASONS = {"evidence": "e", "rationale": "r"}


def steering(change: Change, *goal_ids: str, key: str = "") -> events.SteeringAccepted:
    return events.SteeringAccepted(change, "e", "r", key, "digest", goal_ids, 7)


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
        },
        events.PlanCreated("r", "b", GoalMode.AGGREGATE, "o", "c", (ONE, TWO), "s", "q", "new"),
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
        "goal_completed",
        {"goal_id": "G001", "evidence": "e"},
        events.GoalCompleted("G001", "e"),
    ),
    (
        "goal_unblocked",
        {"goal_id": "G001", "evidence": "e"},
        events.GoalUnblocked("G001", "e"),
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
]


@pytest.mark.parametrize(("kind", "data", "event"), WRITTEN)
def test_what_version_1_wrote_is_read(kind: str, data: Fields, event: events.Event) -> None:
    assert codec.decode(kind, 1, data) == event


@pytest.mark.parametrize(("kind", "data", "event"), WRITTEN)
def test_what_version_1_wrote_is_what_we_write(
    kind: str, data: Fields, event: events.Event
) -> None:
    written, version, fields = codec.encode(event)

    assert (written, version, fields) == (kind, 1, data)


def test_every_kind_of_event_is_written_down_here() -> None:
    assert {type(event) for _, _, event in WRITTEN} == set(get_args(events.Event))


def test_a_known_kind_in_a_newer_version_is_too_new() -> None:
    with pytest.raises(codec.TooNew, match="goal_started v2"):
        codec.decode("goal_started", 2, {"goal_id": "G001"})


def test_an_unknown_kind_is_kept_whatever_its_version() -> None:
    assert codec.decode("moon_landed", 9, {"on": "moon"}) == events.Unknown(
        "moon_landed", {"on": "moon"}
    )


@pytest.mark.parametrize(
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
    ],
)
def test_data_that_does_not_fit_its_kind_is_malformed(kind: str, data: object, field: str) -> None:
    with pytest.raises(Malformed, match=f"^{field} "):
        codec.decode(kind, 1, data)
