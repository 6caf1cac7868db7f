"""The one way a command changes a run: lock, load, decide, append, release, project."""

from __future__ import annotations

from goalkeeper.app.ports import Clock, Run
from goalkeeper.core.decide import decide, record_of_refusal
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Actor, Plan, Refused
from goalkeeper.errors import UnknownGoal
from goalkeeper.wire.value import Value


class Outcome(Value):
    """What came of a command. `changed` is False when it was so already."""

    plan: Plan
    goal_ids: tuple[str, ...] = ()
    changed: bool = False
    refused: Refused | None = None


def handle(run: Run, command: commands.Command, *, actor: Actor, clock: Clock) -> Outcome:
    with run.writing() as writing:
        at = clock()
        decision = decide(writing.plan, command, at=at, actor=actor)
        if isinstance(decision, Refused):
            if decision.reason == "unknown-goal":
                raise unknown_goal(writing.plan, str(decision.facts["goal_id"]))
            writing.append(record_of_refusal(command, decision, actor), at=at, actor=actor)
            return Outcome(writing.plan, refused=decision)
        writing.append(decision.events, at=at, actor=actor)
        return Outcome(writing.plan, decision.goal_ids, changed=bool(decision.events))


def unknown_goal(plan: Plan, goal_id: str) -> UnknownGoal:
    known = ", ".join(goal.id for goal in plan.goals)
    return UnknownGoal(goal_id=goal_id, run=plan.run_id, known=known)
