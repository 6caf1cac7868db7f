"""What happened in a drive, past tense; see `events`."""

from __future__ import annotations

from goalkeeper.wire.value import MaybeEmpty, Value

TYPE_CHECKING = False
if TYPE_CHECKING:  # most commands drive nothing
    from goalkeeper.core.drive.phases import Depth, Phase, Record
    from goalkeeper.core.drive.state import Budget, Reason, Running, Worktree


class DriveBegan(Value):
    agent: str
    depth: Depth
    budget: Budget
    model: str = ""


class DriveResumed(Value):
    """Another process goes on with a drive."""


class TermsChanged(Value):
    """Who goes on with a drive may name another agent, and other limits."""

    agent: str
    depth: Depth
    budget: Budget
    model: str = ""


class WorktreeMade(Value):
    worktree: Worktree
    tree: MaybeEmpty  # that lies there at first


class JudgementStood(Value):
    """The tree had been judged before, and was judged the same way again."""

    goal_id: str


class PhaseBegan(Value):
    running: Running
    agent: MaybeEmpty
    prompt: MaybeEmpty  # its digest


class PhaseSpawned(Value):
    pid: int
    born: MaybeEmpty
    argv: MaybeEmpty  # its digest


class PhaseEnded(Value):
    goal_id: str
    iteration: int
    phase: Phase
    attempt: int
    record: Record
    tree: str


class PhaseSkipped(Value):
    goal_id: str
    iteration: int
    phase: Phase
    reason: str


class RefsMoved(Value):
    """Branches, tags or stashes of the user's that moved while an agent worked."""

    goal_id: str
    refs: tuple[str, ...]  # "refs/heads/main <where to>"


class DrivePaused(Value):
    until: str
    why: MaybeEmpty


class DriveEnded(Value):
    reason: Reason
    detail: str = ""


DriveEvent = (
    DriveBegan
    | DriveResumed
    | TermsChanged
    | WorktreeMade
    | JudgementStood
    | PhaseBegan
    | PhaseSpawned
    | PhaseEnded
    | PhaseSkipped
    | RefsMoved
    | DrivePaused
    | DriveEnded
)
