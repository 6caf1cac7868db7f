"""A command changes a run in one way: lock, load, decide, append, release, project."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.app.ports import Clock, Run
from goalkeeper.core.decide import Decided, decide, record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Actor, Plan, Refused
from goalkeeper.errors import UnknownGoal
from goalkeeper.wire.value import Value

CommandDecision = Decided | Refused


class CommandResult(Value):
    """What came of a command. `changed` is False when it was so already."""

    plan: Plan
    goal_ids: tuple[str, ...] = ()
    changed: bool = False
    refused: Refused | None = None


def handle(
    run: Run,
    command: commands.Command,
    *,
    actor: Actor,
    clock: Clock,
    records: Callable[[CommandDecision], bool] = lambda _: True,
) -> CommandResult:
    """Decide once, under the lock, and record it. `records` may say that nothing is recorded."""
    with run.writing() as writing:
        at = clock()
        decision = decide(writing.plan, command, at=at, actor=actor)
        is_recorded = records(decision)
        if isinstance(decision, Refused):
            if decision.reason == "unknown-goal":
                raise unknown_goal(writing.plan, str(decision.facts["goal_id"]))
            if is_recorded:
                writing.append(record_of_refusal(command, decision, actor), at=at, actor=actor)
            return CommandResult(writing.plan, refused=decision)
        if is_recorded:
            writing.append(decision.events, at=at, actor=actor)
        changed = is_recorded and bool(decision.events)
        return CommandResult(writing.plan, decision.goal_ids, changed=changed)


def unknown_goal(plan: Plan, goal_id: str) -> UnknownGoal:
    known = ", ".join(goal.id for goal in plan.goals)
    return UnknownGoal(goal_id=goal_id, run=plan.run_id, known=known)
