"""The values of a master plan: sessions, their steps, and what each must show.

The plan is frozen when a campaign is made of it. A session spec is a projection of it, and what
a session's agent is judged by follows from it (`core.campaign.contracts`).
"""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.wire.value import MaybeEmpty, Value

PLAN_VERSION = "1.7"  # a plan without a version is a legacy plan


class Complexity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class PlannedCommand(Value):
    """A command that is to be run, and what is expected of it in the plan's words."""

    command: str
    expected: MaybeEmpty
    line: int = 0  # its line in the plan; 0 for what nobody wrote


class PlannedStep(Value):
    """One step of a plan; it becomes a goal of its session's run."""

    number: int
    title: str
    files: tuple[str, ...] = ()
    changes: str = ""
    reuses: str = ""
    test_first: str = ""
    verify: tuple[PlannedCommand, ...] = ()
    contract: str = ""  # criteria in our own form, if the plan has them
    on_failure: OnFailure = OnFailure.RETRY
    instructions: str = ""  # what is to be done on failure, in the plan's words
    checkpoint: str = ""  # the message of its commit
    manifest: str = ""  # word for word as the plan has it, without its indentation
    depends_on: tuple[int, ...] = ()  # steps that come first, where sessions are not given
    goal: str = ""  # the goal of the plan that it belongs to, if the plan groups its steps
    line: int = 0


class PlannedSession(Value):
    """Steps that one agent works on, one after another, in a worktree of their own."""

    id: str  # S01, S02, …
    title: str
    steps: tuple[PlannedStep, ...]
    context: str = ""
    depends_on: tuple[str, ...] = ()
    entry: str = ""  # its entry condition, in the plan's words
    entry_commands: tuple[PlannedCommand, ...] = ()  # commands that the entry condition gives
    touch: tuple[str, ...] = ()  # what it may change; if empty, nobody knows, and it runs alone
    never: tuple[str, ...] = ()
    exit: tuple[PlannedCommand, ...] = ()
    handoff: str = ""  # what others need to know of it, as the plan says in advance
    complexity: Complexity = Complexity.MEDIUM
    model: str = ""
    rationale: str = ""  # why this model
    line: int = 0


class MasterPlan(Value):
    """A plan as it was read."""

    path: MaybeEmpty
    title: str
    version: MaybeEmpty  # empty for a legacy plan
    context: str = ""
    goals: tuple[str, ...] = ()  # what it is to achieve, if it says so apart from its steps
    steps: tuple[PlannedStep, ...] = ()  # steps that no session has yet
    sessions: tuple[PlannedSession, ...] = ()
    shared: tuple[str, ...] = ()  # files that several sessions may change, one after another

    @property
    def is_legacy(self) -> bool:
        return not self.version

    def with_session(self, planned: PlannedSession) -> MasterPlan:
        """Return the plan with another one in the place of the session of this id."""
        others = tuple(planned if each.id == planned.id else each for each in self.sessions)
        return self.replace(sessions=others)

    def find_session(self, session_id: str) -> PlannedSession | None:
        return next((each for each in self.sessions if each.id == session_id), None)
