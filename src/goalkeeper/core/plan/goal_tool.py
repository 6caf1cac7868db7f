"""The goal tool is none, active, paused, complete or dropped. A dropped one is still armed."""

from __future__ import annotations

from goalkeeper.core.plan import events, objective
from goalkeeper.core.plan.commands import ChangeGoalTool, GoalSnapshot, ToolOp
from goalkeeper.core.plan.guards import Interruption, refuse_interruption
from goalkeeper.core.plan.model import GoalStatus, Plan, Refused, ToolStatus

_SHOWN = 5
_GET = "goalkeeper goal get"


# Each operation takes the goal tool from one state to another.
_MOVES = {
    ToolOp.PAUSE: (ToolStatus.ACTIVE, ToolStatus.PAUSED),
    ToolOp.RESUME: (ToolStatus.PAUSED, ToolStatus.ACTIVE),
    ToolOp.COMPLETE: (ToolStatus.ACTIVE, ToolStatus.COMPLETE),
}


def change_tool(plan: Plan, command: ChangeGoalTool) -> tuple[events.Event, ...] | Refused:
    tool, op = plan.tool, command.op
    if op is ToolOp.CREATE:
        return _create_goal(plan, command.objective)
    if op is ToolOp.DROP:
        held = tool.status in {ToolStatus.ACTIVE, ToolStatus.PAUSED}
        return (events.GoalToolChanged(ToolStatus.DROPPED, tool.objective),) if held else ()
    before, after = _MOVES[op]
    if tool.status is after:
        return ()
    refused = None
    if tool.status is not before:
        said = f"The goal tool is {tool.status}: there is nothing to {op}."
        refused = Refused("goal-tool-state", said, _GET, {"status": tool.status})
    elif op is ToolOp.PAUSE and objective.belongs_to(plan, tool.objective):
        refused = refuse_interruption(plan, Interruption.PAUSE)
    elif op is ToolOp.COMPLETE:
        refused = _refuse_unproven(plan)
    return refused or (events.GoalToolChanged(after, tool.objective),)


def reconcile(plan: Plan, snapshot: GoalSnapshot) -> Refused | None:
    """Refuse a client's own view of the goal that does not agree with ours."""
    names = {plan.objective, *plan.aliases}  # one objective has several names
    same_words = snapshot.objective == plan.tool.objective or (
        {snapshot.objective, plan.tool.objective} <= names
    )
    if snapshot.status == plan.tool.status and same_words:
        return None
    said = f"The goal given says {snapshot.status}; the ledger says {plan.tool.status}."
    facts = {"given": snapshot.as_dict(), "stored": plan.tool.as_dict()}
    return Refused("goal-state-mismatch", said, _GET, facts)


def _create_goal(plan: Plan, asked: str) -> tuple[events.Event, ...] | Refused:
    wanted = asked.strip() or objective.expected_objective(plan)
    if not wanted:
        return Refused("no-active-goal", "No goal is active.", "goalkeeper complete-goals")
    if plan.tool.status in {ToolStatus.ACTIVE, ToolStatus.PAUSED}:
        if plan.tool.objective == wanted:
            if plan.tool.status is ToolStatus.ACTIVE:
                return ()
            said = "The goal is held already, paused."
            return Refused("goal-paused", said, "goalkeeper goal resume")
        said = f"The goal tool already holds another goal, {plan.tool.status}."
        facts = {"held": plan.tool.objective}
        return Refused("goal-already-held", said, "goalkeeper goal drop", facts)
    return (events.GoalToolChanged(ToolStatus.ACTIVE, wanted),)


def _refuse_unproven(plan: Plan) -> Refused | None:
    held = plan.tool.objective
    if not objective.belongs_to(plan, held):
        # A goal held beside the plan must not look like the plan's completion.
        said = "The goal held is not of this plan, which proves nothing of it."
        return Refused("not-this-plan", said, "goalkeeper goal drop", {"held": held})
    is_whole = held in {plan.objective, *plan.aliases}
    needed = plan.required_goals if is_whole else plan.goals
    left = [
        goal.id
        for goal in needed
        if goal.status is not GoalStatus.COMPLETE and (is_whole or goal.objective == held)
    ]
    if is_whole and plan.is_complete and not plan.is_certified:
        said = "The plan has no final receipt: nothing says that all its goals hold together."
        return Refused("no-final-receipt", said, "goalkeeper receipt issue --final")
    if plan.is_complete if is_whole else not left:
        return None
    more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    said = f"It is complete when these went through the gate: {', '.join(left[:_SHOWN])}{more}."
    reason = "plan-not-complete" if is_whole else "goal-not-complete"
    return Refused(reason, said, "goalkeeper status", {"open": left})
