"""The goal tool is none, active, paused, complete or dropped. A dropped one is still armed."""

from __future__ import annotations

from goalkeeper.core.plan import events, objective
from goalkeeper.core.plan.commands import ChangeGoalTool, GoalSnapshot, ToolOp
from goalkeeper.core.plan.guards import Interruption, refuse_interruption
from goalkeeper.core.plan.model import Goal, GoalMode, GoalStatus, Plan, Refused, ToolStatus

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


def reconcile(plan: Plan, snapshot: GoalSnapshot, *, is_blocked: bool = False) -> Refused | None:
    """Refuse a client's own view of the goal that does not agree with ours.

    A client whose own tool holds the goal agrees also if nobody has told the ledger. A goal that is
    over and not the one that should be held keeps its client from holding ours: who is blocked
    may show that.
    """
    held, names = plan.tool, {plan.objective, *plan.aliases}  # one objective has several names
    expected = objective.expected_objective(plan)
    is_expected = snapshot.objective == expected or {snapshot.objective, expected} <= names
    is_expected = is_expected and bool(expected)
    if is_blocked and snapshot.status == ToolStatus.COMPLETE and not is_expected:
        return None
    is_same = snapshot.objective == held.objective or {snapshot.objective, held.objective} <= names
    if snapshot.status == held.status and (is_same or snapshot.status == ToolStatus.NONE):
        return None
    is_free = held.status in {ToolStatus.NONE, ToolStatus.DROPPED}
    agreeing = {ToolStatus.NONE, ToolStatus.ACTIVE} if is_expected else {ToolStatus.NONE}
    if is_free and snapshot.status in agreeing:
        return None
    given = f"The client's goal is {snapshot.status}"
    said = f"{given}; the ledger says {held.status}."
    if snapshot.status == held.status or is_free:
        said = f"{given}, but it is another one than this plan's: '{snapshot.objective}'."
    facts = {"given": snapshot.as_dict(), "stored": held.as_dict(), "expected": expected}
    return Refused("goal-state-mismatch", said, _GET, facts)


def find_other_story(plan: Plan, goal: Goal) -> Goal | None:
    """Find the story that the goal tool still holds instead of this one, in a per-story plan."""
    is_held = plan.tool.status in {ToolStatus.ACTIVE, ToolStatus.PAUSED}
    return _find_story(plan) if is_held and plan.tool.objective != goal.objective else None


def _find_story(plan: Plan) -> Goal | None:
    """Find the goal of a per-story plan with the objective that the goal tool knows."""
    held = [goal for goal in plan.goals if goal.objective == plan.tool.objective]
    return held[0] if held and plan.mode is GoalMode.PER_STORY else None


def suggest_release(story: Goal) -> str:
    """Suggest how the goal tool lets go of a story."""
    is_complete = story.status is GoalStatus.COMPLETE
    return f"goalkeeper goal {ToolOp.COMPLETE if is_complete else ToolOp.DROP}"


def refuse_other_story(plan: Plan, goal: Goal) -> Refused | None:
    """Refuse to complete a story while the goal tool holds another one."""
    other = find_other_story(plan, goal)
    if other is None:
        return None
    said = f"The goal tool still holds the story {other.id}, and not {goal.id}."
    hint = f"{suggest_release(other)}, then goalkeeper goal create"
    return Refused("goal-of-another-story", said, hint, {"held": other.id, "goal_id": goal.id})


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
        story = _find_story(plan)
        hint = suggest_release(story) if story else "goalkeeper goal drop"
        return Refused("goal-already-held", said, hint, facts)
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
