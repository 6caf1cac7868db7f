"""How a plan is put into words; shared by the commands that show one."""

from __future__ import annotations

from goalkeeper.core.contract.criteria import CriterionStatus
from goalkeeper.core.plan import graph
from goalkeeper.core.plan.model import Classification, Goal, GoalStatus, Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.drive.state import Drive


def summary(plan: Plan, at: str) -> str:
    """One word for the whole plan."""
    if plan.closed:
        return "closed"
    if plan.is_complete:
        return "complete"
    if plan.handoff:
        return "handoff"
    for status in (GoalStatus.ACTIVE, GoalStatus.FAILED):
        if plan.with_status(status):
            return str(status)
    if graph.next_goal(plan, retry_failed=False, at=at):
        return "pending"
    return "waiting" if graph.waiting_for_time(plan, at) else "blocked"


def counts(plan: Plan) -> dict[str, int]:
    return {status: len(plan.with_status(status)) for status in GoalStatus}


def why(plan: Plan, goal: Goal, at: str) -> str:
    """Why the goal is not complete, in a few words."""
    match goal.status:
        case GoalStatus.COMPLETE:
            return ""
        case GoalStatus.EXPIRED:
            return goal.evidence
        case GoalStatus.SUPERSEDED:
            by = ", ".join(goal.superseded_by)
            return f"replaced by {by}" if by else f"no longer required: {goal.evidence}"
        case GoalStatus.REVIEW_BLOCKED:
            return "waits for " + ", ".join(g.id for g in plan.goals if g.blocks == goal.id)
        case GoalStatus.PENDING:
            return _waits(plan, goal, at)
        case GoalStatus.ACTIVE:
            return f"attempt {goal.attempts}, {_proof(goal)}"
        case GoalStatus.FAILED | GoalStatus.BLOCKED:
            human = (
                "only a human can act: "
                if goal.classification == Classification.HUMAN_BLOCKED
                else ""
            )
            return human + goal.evidence


def _waits(plan: Plan, goal: Goal, at: str) -> str:
    waits = [name for name in goal.depends_on if not graph.is_satisfied(plan, name)]
    if waits:
        dead = [f"{before.id} is {before.status}" for before in graph.dead_ends(plan, goal)]
        end = f" (DEAD END: {', '.join(dead)})" if dead else ""
        return "waits for " + ", ".join(waits) + end
    early = graph.not_before(goal, at)
    if early:
        what = "next due" if goal.is_recurring and goal.streak else "not before"
        return f"{what} {early[:16].replace('T', ' ')} UTC"
    if goal.blocks:
        return f"settles {goal.blocks}"
    return "due" if goal.is_recurring else "not started"


def _proof(goal: Goal) -> str:
    """How far the active goal is, by its criteria."""
    if not goal.iteration:
        return "not proven yet" if goal.frozen or goal.contract else "no contract yet"
    met = sum(state.status is CriterionStatus.PASS for state in goal.criteria)
    against = f", blocking findings: {goal.blocking}" if goal.blocking else ""
    return f"{met} of {len(goal.criteria)} criteria met{against}"


def complete_command(goal: Goal) -> str:
    named = f"--goal-id {goal.id} --status complete"
    return f"goalkeeper checkpoint {named} --evidence <what was done>"


def proof_command(plan: Plan, goal: Goal) -> str:
    """What brings a goal through its gate: a judgement, reviews, and then the checkpoint."""
    met = goal.iteration and all(state.is_met for state in goal.criteria) and not goal.blocking
    return passing_command(plan, goal) if met else f"goalkeeper judge --goal-id {goal.id}"


def passing_command(plan: Plan, goal: Goal) -> str:
    """For a goal whose criteria are met."""
    from goalkeeper.core.drive.lane import NEEDED  # noqa: PLC0415  as above
    from goalkeeper.core.plan.gate import STRICT  # noqa: PLC0415  most commands show no such goal

    asked = {lane.role for lane in goal.lanes}
    if plan.gate == STRICT and not asked.issuperset(NEEDED):
        return f"goalkeeper lanes run --goal-id {goal.id}"
    return complete_command(goal)


def drive_command(drive: Drive) -> str:
    """What goes on with a drive; two agents have to be told once more what to do."""
    more = {"rehearsal": " --script <story.json>", "command": " --command <words>"}
    return f"goalkeeper run --agent {drive.agent}{more.get(drive.agent, '')}"


def next_command(plan: Plan, at: str) -> str:
    match graph.next_action(plan, at):
        case graph.NextAction.EXECUTE_GOAL:
            return "goalkeeper complete-goals"
        case graph.NextAction.RETRY_FAILED:
            return "goalkeeper complete-goals --retry-failed"
        case graph.NextAction.RESOLVE_BLOCKERS:
            blocked = next(iter(plan.with_status(GoalStatus.BLOCKED)), None)
            if blocked is None and plan.with_status(GoalStatus.EXPIRED):
                return "goalkeeper create-goals --archive <why> --brief <what is wanted instead>"
            goal_id = blocked.id if blocked else "<id>"
            return f"goalkeeper unblock --goal-id {goal_id} --evidence <what changed>"
        case graph.NextAction.WAIT:
            return "goalkeeper due"
        case graph.NextAction.NONE:
            return "goalkeeper ledger verify"
