"""Events to JSON objects and back: one explicit table of kinds, with a version for each.

A kind keeps its meaning for ever. When its data changes, its version is raised, and the class of
the event goes on reading what the old version wrote.
"""

from __future__ import annotations

from typing import Any

from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.core.drive import events as drive_events
from goalkeeper.core.plan import answer_events, events
from goalkeeper.core.plan.commands import CheckpointStatus

KINDS: dict[str, type[events.Event]] = {
    "plan_created": events.PlanCreated,
    "goal_started": events.GoalStarted,
    "goal_checkpointed": events.GoalCheckpointed,
    "contract_frozen": events.ContractFrozen,
    "contract_amended": events.ContractAmended,
    "goal_judged": events.GoalJudged,
    "goal_completed": events.GoalCompleted,
    "lane_reported": events.LaneReported,
    "receipt_issued": events.ReceiptIssued,
    "goal_unblocked": events.GoalUnblocked,
    "steering_accepted": events.SteeringAccepted,
    "steering_rejected": events.SteeringRejected,
    "review_blockers_recorded": events.ReviewBlockersRecorded,
    "blocker_classified": events.BlockerClassified,
    "goal_tool_changed": events.GoalToolChanged,
    "objective_migrated": events.ObjectiveMigrated,
    "handoff_recorded": events.HandoffRecorded,
    "state_cleared": events.StateCleared,
    "ledger_repaired": events.LedgerRepaired,
    "honest_exit": events.HonestExit,
    "command_refused": events.CommandRefused,
    "step_verified": answer_events.StepVerified,
    "questions_answered": answer_events.QuestionsAnswered,
    "abbreviation_refused": answer_events.AbbreviationRefused,
    "hypothesis_expired": answer_events.HypothesisExpired,
    "cycle_achieved": answer_events.CycleAchieved,
    "drive_began": drive_events.DriveBegan,
    "drive_resumed": drive_events.DriveResumed,
    "terms_changed": drive_events.TermsChanged,
    "worktree_made": drive_events.WorktreeMade,
    "judgement_stood": drive_events.JudgementStood,
    "phase_began": drive_events.PhaseBegan,
    "phase_spawned": drive_events.PhaseSpawned,
    "phase_ended": drive_events.PhaseEnded,
    "phase_skipped": drive_events.PhaseSkipped,
    "refs_moved": drive_events.RefsMoved,
    "drive_paused": drive_events.DrivePaused,
    "drive_ended": drive_events.DriveEnded,
}
_VERSIONS = {"phase_spawned": 2}  # of all other kinds it is 1
_KIND_OF = {shape: kind for kind, shape in KINDS.items()}


class TooNew(ValueError):
    """An event of a known kind in a version this goalkeeper cannot read."""

    def __init__(self, kind: str, version: int) -> None:
        super().__init__(f"{kind} v{version}")
        self.known = f"v{version_of(kind)}"


def version_of(kind: str) -> int:
    """The version in which events of this kind are written."""
    return _VERSIONS.get(kind, 1)


def kind_of(shape: type[events.Event]) -> str:
    return _KIND_OF[shape]


def encode_event(event: events.Event) -> tuple[str, int, dict[str, Any]]:
    """The event's kind, version and data."""
    if isinstance(event, events.Unknown):
        return event.kind, version_of(event.kind), dict(event.data)
    data: dict[str, Any] = plain(event)
    if isinstance(event, events.SteeringAccepted | events.SteeringRejected):
        data["change"] = {"kind": event.change.kind, **plain(event.change)}
    kind = kind_of(type(event))
    return kind, version_of(kind), data


def decode_event(kind: str, version: int, data: object) -> events.Event:
    """Raises Malformed when the data does not fit its kind, TooNew when we are too old."""
    if kind not in KINDS:
        if not isinstance(data, dict):
            raise Malformed("is not an object")
        return events.Unknown(kind, data)
    if version > version_of(kind):
        raise TooNew(kind, version)
    event: events.Event = decode(KINDS[kind], data)
    if isinstance(event, events.GoalCheckpointed) and event.status is CheckpointStatus.COMPLETE:
        raise Malformed("is complete, which only goal_completed tells", "status")
    return event
