"""The events of a drive, named in the past tense; see `plan.events`.

An event about work on a goal names the goal. The others are about the drive as a whole.
"""

from __future__ import annotations

from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands drive nothing; `decode` finds these when they are read
    from goalkeeper.core.drive.artifacts import ArtifactGate
    from goalkeeper.core.drive.phases import Depth, Phase, Record
    from goalkeeper.core.drive.state import Budget, Reason, Running, Worktree


class DriveBegan(Value):
    agent: str
    depth: Depth
    budget: Budget
    model: str = ""
    prior: tuple[str, ...] = ()  # what earlier runs came to; "none", if there is nothing to tell
    left: tuple[str, ...] = ()  # criteria that are not tried again, by names such as G001/C1


class DriveResumed(Value):
    """Another process goes on with a drive."""


class JudgementAsked(Value):
    """Somebody wants what was judged to be judged again before an agent works."""


class TermsChanged(Value):
    """Somebody who went on with the drive named another agent or other limits."""

    agent: str
    depth: Depth
    budget: Budget
    model: str = ""


class WorktreeMade(Value):
    """Work on a goal begins, or begins anew, in a worktree of its own."""

    worktree: Worktree
    tree: MaybeEmpty  # the tree that lies there at first


class CriteriaLeft(Value):
    """Criteria that were blocked in an earlier run are not tried again in this drive."""

    goal_id: str
    criteria: tuple[str, ...]


class JudgementStood(Value):
    """The tree of a goal had been judged before and was judged the same way again."""

    goal_id: str
    unchecked: tuple[str, ...] = ()  # why criteria could not be checked, if nothing else is left


class PhaseBegan(Value):
    running: Running
    agent: MaybeEmpty
    prompt: MaybeEmpty  # the digest of the prompt


class PhaseSpawned(Value):
    """The process of a phase was started.

    Version 1 did not name the goal: then one phase ran at a time, and it is that one.
    """

    goal_id: MaybeEmpty
    pid: int
    born: MaybeEmpty
    argv: MaybeEmpty  # the digest of the argv


class PhaseEnded(Value):
    goal_id: str
    iteration: int
    phase: Phase
    attempt: int
    record: Record
    tree: str
    commit: str = ""  # the last commit of the work, if the contract is about commits
    lacks: tuple[str, ...] = ()  # why nobody can use the plan or the review that it left
    is_clear: bool | None = None  # its review has no findings; None if it leaves no review


class PhaseSkipped(Value):
    goal_id: str
    iteration: int
    phase: Phase
    reason: str


class ArtifactsChecked(Value):
    """The artifact gate looked at what the phases of a full iteration left."""

    goal_id: str
    iteration: int
    gate: ArtifactGate


class RefsMoved(Value):
    """Branches, tags or stashes of the user moved while an agent worked on a goal."""

    goal_id: str
    refs: tuple[str, ...]  # each reads "refs/heads/main <where to>"


class ClockJumped(Value):
    """The clock moved on while nothing could run: the machine slept, or the clock was set."""

    milliseconds: int


class DrivePaused(Value):
    """All lines of work wait for a rate limit or an outage to end.

    It is the drive that pauses and not one line: all lines use the same account of the same
    service, and a second one that goes on would only meet the same limit.
    """

    until: str
    why: MaybeEmpty


class DriveEnded(Value):
    reason: Reason
    detail: str = ""


DriveEvent = (
    DriveBegan | DriveResumed | TermsChanged | CriteriaLeft | WorktreeMade | JudgementAsked
    | JudgementStood | PhaseBegan | PhaseSpawned | PhaseEnded | PhaseSkipped | ArtifactsChecked
    | RefsMoved | ClockJumped | DrivePaused | DriveEnded
)  # fmt: skip
