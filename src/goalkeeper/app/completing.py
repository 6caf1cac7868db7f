"""The way through the gate: proven anew, reviewed where the plan asks for it, then complete."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.app.handle import Outcome, handle
from goalkeeper.app.judging import Court, Ruled, find_goal, judge
from goalkeeper.core.decide import decide
from goalkeeper.core.plan import commands, gate
from goalkeeper.core.plan.model import Base, GoalStatus, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.review.assessed import Quality


def complete(
    court: Court, command: commands.Checkpoint, given: Mapping[str, object] | None = None
) -> Outcome:
    """Through the gate: the whole ledger is sound, and the tree as it is now is proven anew.

    `given` is the quality gate that somebody hands in.
    """
    command = _named(court, command)
    refused = _early(court, command)
    if refused is not None:
        return refused
    ruled = judge(court, command.goal_id, final=True)
    if isinstance(ruled, Refused):
        return Outcome(court.run.read(), refused=ruled)
    return conclude(court, command, ruled, given)


def _named(court: Court, command: commands.Checkpoint) -> commands.Checkpoint:
    """With the key of the cycle, if the goal recurs: whoever else is at it has the same."""
    goal = find_goal(court.run.read(), command.goal_id)
    if not goal.is_recurring or command.cycle or goal.frozen is None:
        return command
    from goalkeeper.core.plan import streaks  # noqa: PLC0415  few goals recur

    tree, at = court.witness.snapshot().tree, court.clock()
    return command.replace(cycle=streaks.key(goal, tree, goal.frozen.digest, at))


def conclude(
    court: Court,
    command: commands.Checkpoint,
    ruled: Ruled,
    given: Mapping[str, object] | None = None,
) -> Outcome:
    """Through the gate with a final judgement, if it is still of the tree as it is."""
    quality = _quality(court, ruled, given, command.evidence)
    court.verify()
    if not court.witness.is_still(ruled.judgement.tree):
        said = "The working tree changed while it was judged; nothing is proven about it now."
        hint = "stop changing files, then repeat the command"
        return Outcome(court.run.read(), refused=Refused("tree-moved", said, hint))
    proven = command.replace(judgement=ruled.judgement, quality=quality)
    outcome = handle(court.run, proven, actor=court.actor, clock=court.clock)
    goal = find_goal(outcome.plan, command.goal_id)
    if outcome.refused is None and goal.status is GoalStatus.COMPLETE:
        court.certify(court, command.goal_id, ruled.judgement)
    return outcome


def _quality(
    court: Court, ruled: Ruled, given: Mapping[str, object] | None, said: str
) -> Quality | None:
    if court.run.read().gate != gate.STRICT:
        return None
    from goalkeeper.app.gating import assess  # noqa: PLC0415  of strict gates only

    seen = Base(ruled.judgement.tree, ruled.judgement.commit)
    assessed = assess(court, ruled.goal, seen, given, said)
    if assessed.quality.diagnostics:
        return assessed.quality
    return assessed.quality.replace(digest=court.witness.keep(assessed.document))


def _early(court: Court, command: commands.Checkpoint) -> Outcome | None:
    """What can be said without the witness; None when it has to look."""
    plan = court.run.read()
    decision = decide(plan, command, at=court.clock(), actor=court.actor)
    if isinstance(decision, Refused):
        goal = plan.goal(command.goal_id)
        given = bool(goal and (goal.contract or goal.frozen))
        if decision.reason == "not-judged" or (decision.reason == "contract-missing" and given):
            return None
    return handle(court.run, command, actor=court.actor, clock=court.clock)
