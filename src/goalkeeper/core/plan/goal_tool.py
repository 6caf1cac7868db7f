"""The goal tool: none, active, paused, complete, dropped. Dropping leaves it armed."""

from __future__ import annotations

from goalkeeper.core.plan import events, objective
from goalkeeper.core.plan.commands import ChangeGoalTool, GoalSnapshot, ToolOp
from goalkeeper.core.plan.guards import Interruption, refuse_interruption
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan, Refused, ToolStatus

_SHOWN = 5
_GET = "goalkeeper goal get"


def change_tool(plan: Plan, command: ChangeGoalTool) -> tuple[events.Event, ...] | Refused:
    match command.op:
        case ToolOp.CREATE:
            return _create_goal(plan, command.objective)
        case ToolOp.DROP:
            held = plan.tool.status in {ToolStatus.ACTIVE, ToolStatus.PAUSED}
            return _set_status(plan, ToolStatus.DROPPED) if held else ()
        case ToolOp.PAUSE:
            return _pause_goal(plan)
        case ToolOp.RESUME:
            return _resume_goal(plan)
        case ToolOp.COMPLETE:
            return _complete_goal(plan)


def reconcile(plan: Plan, snapshot: GoalSnapshot) -> Refused | None:
    """A client's own view of the goal must agree with ours."""
    names = {plan.objective, *plan.aliases}  # one objective under several names
    same_words = snapshot.objective == plan.tool.objective or (
        {snapshot.objective, plan.tool.objective} <= names
    )
    if snapshot.status == plan.tool.status and same_words:
        return None
    return Refused(
        "goal-state-mismatch",
        f"The goal given says {snapshot.status}; the ledger says {plan.tool.status}.",
        _GET,
        {"given": snapshot.as_dict(), "stored": plan.tool.as_dict()},
    )


def _set_status(plan: Plan, status: ToolStatus) -> tuple[events.Event, ...]:
    return (events.GoalToolChanged(status, plan.tool.objective),)


def _create_goal(plan: Plan, asked: str) -> tuple[events.Event, ...] | Refused:
    wanted = asked.strip() or objective.expected_objective(plan)
    if not wanted:
        return Refused("no-active-goal", "No goal is active.", "goalkeeper complete-goals")
    if plan.tool.status in {ToolStatus.ACTIVE, ToolStatus.PAUSED}:
        if plan.tool.objective == wanted:
            return () if plan.tool.status is ToolStatus.ACTIVE else _refuse_paused()
        return Refused(
            "goal-already-held",
            f"The goal tool already holds another goal, {plan.tool.status}.",
            "goalkeeper goal drop",
            {"held": plan.tool.objective},
        )
    return (events.GoalToolChanged(ToolStatus.ACTIVE, wanted),)


def _refuse_paused() -> Refused:
    return Refused("goal-paused", "The goal is held already, paused.", "goalkeeper goal resume")


def _pause_goal(plan: Plan) -> tuple[events.Event, ...] | Refused:
    if plan.tool.status is ToolStatus.PAUSED:
        return ()
    if plan.tool.status is not ToolStatus.ACTIVE:
        return _refuse_operation(plan, "pause")
    closed = (
        refuse_interruption(plan, Interruption.PAUSE)
        if objective.belongs_to(plan, plan.tool.objective)
        else None
    )
    return closed or _set_status(plan, ToolStatus.PAUSED)


def _resume_goal(plan: Plan) -> tuple[events.Event, ...] | Refused:
    if plan.tool.status is ToolStatus.ACTIVE:
        return ()
    if plan.tool.status is not ToolStatus.PAUSED:
        return _refuse_operation(plan, "resume")
    return _set_status(plan, ToolStatus.ACTIVE)


def _complete_goal(plan: Plan) -> tuple[events.Event, ...] | Refused:
    if plan.tool.status is ToolStatus.COMPLETE:
        return ()
    if plan.tool.status is not ToolStatus.ACTIVE:
        return _refuse_operation(plan, "complete")
    held = plan.tool.objective
    if not objective.belongs_to(plan, held):
        # A goal held beside the plan must not look like the plan's completion.
        said = "The goal held is not of this plan, which proves nothing of it."
        return Refused("not-this-plan", said, "goalkeeper goal drop", {"held": held})
    if held in {plan.objective, *plan.aliases}:
        left = tuple(goal for goal in plan.required_goals if goal.status is not GoalStatus.COMPLETE)
        finished, reason = plan.is_complete, "plan-not-complete"
    else:
        stories = tuple(goal for goal in plan.goals if goal.objective == held)
        left = tuple(goal for goal in stories if goal.status is not GoalStatus.COMPLETE)
        finished, reason = not left, "goal-not-complete"
    return _set_status(plan, ToolStatus.COMPLETE) if finished else _refuse_unfinished(reason, left)


def _refuse_unfinished(reason: str, left: tuple[Goal, ...]) -> Refused:
    names = [goal.id for goal in left]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    said = f"It is complete when these went through the gate: {', '.join(names[:_SHOWN])}{more}."
    return Refused(reason, said, "goalkeeper status", {"open": names})


def _refuse_operation(plan: Plan, op: str) -> Refused:
    return Refused(
        "goal-tool-state",
        f"The goal tool is {plan.tool.status}: there is nothing to {op}.",
        _GET,
        {"status": plan.tool.status},
    )
