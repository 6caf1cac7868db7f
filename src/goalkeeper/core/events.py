"""What happened, past tense. An event class never changes its meaning; see `codec`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from goalkeeper.core.commands import Change, CheckpointStatus
from goalkeeper.core.model import Classification, GoalMode, NewGoal, ToolStatus


class PlanCreated(NamedTuple):
    run_id: str
    brief: str
    mode: GoalMode
    objective: str
    constraints: str
    goals: tuple[NewGoal, ...]
    session: str = ""
    replaces: str = ""
    reason: str = ""


class GoalStarted(NamedTuple):
    goal_id: str


class GoalCheckpointed(NamedTuple):
    """A goal was set down unfinished: failed or blocked. Completion is `GoalCompleted`."""

    goal_id: str
    status: CheckpointStatus
    evidence: str


class GoalCompleted(NamedTuple):
    goal_id: str
    evidence: str


class GoalUnblocked(NamedTuple):
    goal_id: str
    evidence: str


class SteeringAccepted(NamedTuple):
    change: Change
    evidence: str
    rationale: str
    key: str
    request: str
    goal_ids: tuple[str, ...]


class SteeringRejected(NamedTuple):
    change: Change
    evidence: str
    rationale: str
    reason: str


class ReviewBlockersRecorded(NamedTuple):
    goal_id: str
    blocker_id: str
    title: str
    objective: str
    evidence: str


class BlockerClassified(NamedTuple):
    classification: Classification
    evidence: str
    goal_id: str = ""


class GoalToolChanged(NamedTuple):
    status: ToolStatus
    objective: str


class ObjectiveMigrated(NamedTuple):
    old: str
    new: str


class HandoffRecorded(NamedTuple):
    to: str


class StateCleared(NamedTuple):
    reason: str


class LedgerRepaired(NamedTuple):
    actions: tuple[str, ...]


class CommandRefused(NamedTuple):
    """An agent asked for something the rules do not allow. Changes nothing."""

    command: str
    reason: str
    goal_id: str = ""


class Unknown(NamedTuple):
    """An event of a kind this version does not know: kept, without effect."""

    kind: str
    data: Mapping[str, object]


Event = (
    PlanCreated
    | GoalStarted
    | GoalCheckpointed
    | GoalCompleted
    | GoalUnblocked
    | SteeringAccepted
    | SteeringRejected
    | ReviewBlockersRecorded
    | BlockerClassified
    | GoalToolChanged
    | ObjectiveMigrated
    | HandoffRecorded
    | StateCleared
    | LedgerRepaired
    | CommandRefused
    | Unknown
)
