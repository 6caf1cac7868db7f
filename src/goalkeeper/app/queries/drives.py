"""What a drive would do, what came of it, what it cost, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalkeeper.app.contracts import contract_of, read_contract
from goalkeeper.app.queries.status import show_gate
from goalkeeper.app.standing import read_table
from goalkeeper.core.contract.advice import describe_proof
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.phases import Depth
from goalkeeper.core.drive.state import Budget, Drive, Reason, Worktree
from goalkeeper.core.plan import ids
from goalkeeper.core.plan.model import UNKNOWN, Base, Goal, NewGoal, Plan, name_author
from goalkeeper.core.review.lane import Lane
from goalkeeper.wire.value import Value

# After these reasons another try may be enough: the work that was done is not the trouble.
_LATER = {
    Reason.RATE_LIMITED, Reason.OUTAGE, Reason.STALLED, Reason.CRASHED, Reason.FAILED,
    Reason.CIRCUMVENTION, Reason.UNKNOWN,
}  # fmt: skip


class GoalToDrive(Value):
    id: str
    said: str  # its status and its title
    criteria: tuple[Criterion, ...]


def list_goals_to_drive(plan: Plan | None, new: Sequence[NewGoal]) -> list[GoalToDrive]:
    """List goals with what will be asked of them; `new` are those of a brief without a plan."""
    if plan is None:
        return [
            GoalToDrive(ids.goal_id(number), f"new: {each.title}", _read_criteria(each))
            for number, each in enumerate(new, 1)
        ]
    left = [goal for goal in plan.required_goals if goal.status != "complete"]
    return [
        GoalToDrive(
            goal.id, f"{goal.status}: {goal.title}", (contract_of(goal) or Contract()).criteria
        )
        for goal in left
    ]


def _read_criteria(new: NewGoal) -> tuple[Criterion, ...]:
    return read_contract(new.contract, new.title).criteria if new.contract else ()


def show_dry_run(
    run_id: str, agent: str, goals: Sequence[GoalToDrive], depth: Depth, budget: Budget
) -> dict[str, Any]:
    shown = {"ok": True, "dry_run": True, "run_id": run_id, "agent": agent, "depth": depth}
    criteria = {
        goal.id: [
            {"id": c.id, "text": c.text, "proven_by": describe_proof(c), "guard": c.guard}
            for c in goal.criteria
        ]
        for goal in goals
    }
    asked = {"goals": [goal.id for goal in goals], "criteria": criteria}
    return {**shown, **asked, "limits": budget.as_dict()}


def suggest_after_drive(plan: Plan, reason: Reason, *, again: str) -> str:
    """Suggest the next command; `again` is the command that goes on with what there is."""
    left = [goal for goal in plan.required_goals if goal.status != "complete"]
    goal = next((goal for goal in left if goal.status == "blocked"), left[0] if left else None)
    match reason:
        case Reason.DONE:
            return "goalkeeper receipt verify" if plan.landed else "goalkeeper land"
        case Reason.BLOCKED if goal and goal.status == "failed":
            return "goalkeeper complete-goals --retry-failed"
        case Reason.PARTIAL | Reason.BLOCKED | Reason.IMPOSSIBLE | Reason.NEEDS_HUMAN if goal:
            return f"goalkeeper unblock --goal-id {goal.id} --evidence <what changed>"
        case Reason.NO_CONTRACT if goal:
            verb = "check" if goal.contract else "freeze --file contract.yaml"
            return f"goalkeeper contract {verb} --goal-id {goal.id}"
        case Reason.NOT_DUE:
            return "goalkeeper due"
        case Reason.AUTH | Reason.AGENT_MISSING:
            return "goalkeeper agents probe"
        case _ if reason in _LATER:
            return again
        case _:
            return f"goalkeeper why {goal.id}" if goal else "goalkeeper status"


def show_report(plan: Plan) -> dict[str, Any]:
    drive = plan.drive
    return {
        "run_id": plan.run_id,
        "author": plan.author or UNKNOWN,
        "reason": drive.ended if drive else "",
        "detail": drive.detail if drive else "",
        "agent": drive.agent if drive else "",
        "began_at": drive.began_at if drive else "",
        "goals": [_show_goal(plan, goal) for goal in plan.asked_goals],
        "criteria": group_criteria(plan),
        "spend": _show_spend(drive) if drive else {},
        "seconds": drive.milliseconds // 1000 if drive else 0,
        "branch": find_branch(plan),
        "paused_until": drive.paused_until if drive else "",
    }


def group_criteria(plan: Plan) -> dict[str, list[str]]:
    """Group the criteria of all goals, by names such as G001/C1, by what came of each.

    What a later goal broke is told as it is now, and not as its own goal left it.
    """
    own = {f"{goal.id}/{s.id}": s for goal in plan.asked_goals for s in goal.criteria}
    broken = {s.id: s for goal in plan.asked_goals for s in goal.standing if not s.is_met}
    groups: dict[str, list[str]] = {"passed": [], "failed": [], "blocked": [], "open": []}
    for name, state in {**own, **broken}.items():
        groups[_name_group(state)].append(name)
    return groups


def _name_group(state: CriterionState) -> str:
    if state.is_met:
        return "passed"
    if state.is_failed and not state.error_streak:
        return "failed"
    return "blocked" if state.status is CriterionStatus.BLOCKED else "open"


def read_criterion_texts(plan: Plan, goal: Goal) -> dict[str, str]:
    """Return what the criteria in a goal's table say, by id."""
    contract = contract_of(goal) or Contract()
    return {c.id: c.text for c in read_table(plan, goal, contract).criteria}


def _show_goal(plan: Plan, goal: Goal) -> dict[str, Any]:
    texts = read_criterion_texts(plan, goal)
    gate = plan.closed_gate(goal.id)
    return {
        "id": goal.id,
        "title": goal.title,
        "status": goal.status,
        "contract_by": name_author(plan, goal),
        "iterations": goal.iteration,
        "evidence": goal.evidence,
        "exit": goal.exit,
        "criteria": [{"text": texts.get(state.id, ""), **plain(state)} for state in goal.criteria],
        "standing": [{"text": texts.get(state.id, ""), **plain(state)} for state in goal.standing],
        "blocking": goal.blocking,
        "let_stand": [plain(finding) for finding in goal.let_stand],
        "left_to_user": list(goal.left_to_user),
        "failed_answers": list(goal.failed_answers),
        "lanes": [_show_lane(lane) for lane in goal.lanes],
        **({"artifact_gate": show_gate(gate)} if gate else {}),
    }


def _show_lane(lane: Lane) -> dict[str, Any]:
    return {"role": lane.role, "word": lane.word, "objections": list(lane.objections)}


def _show_spend(drive: Drive) -> dict[str, Any]:
    spend = drive.total
    return {
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cached_tokens": spend.cached_tokens,
        "dollars": (spend.microdollars or 0) / 1e6,
        "unpriced_phases": drive.unpriced,
    }


def find_proven_work(plan: Plan) -> list[tuple[Worktree, Goal, Base]]:
    """Find where proven goals were worked on, in the order of their completion."""
    lines = plan.drive.lines if plan.drive else ()
    places = {line.goal_id: line.worktree for line in lines}
    ordered = sorted((g for g in plan.goals if g.completed_at), key=lambda g: g.completed_at)
    return [(places[g.id], g, g.proven) for g in ordered if g.id in places and g.proven]


def find_branch(plan: Plan) -> str:
    """Return the branch of the goal that was proven last: it has all the work before it."""
    found = find_proven_work(plan)
    return found[-1][0].branch if found else ""


def describe_cost(drive: Drive) -> str:
    """Say what it cost; an unknown cost is not the same as nothing."""
    spend = drive.total
    dollars = f"${(spend.microdollars or 0) / 1e6:.2f}"
    known = f"at least {dollars}" if spend.microdollars else "cost unknown"
    unknown = drive.unpriced or drive.running  # a phase that runs costs something, too
    return f"{spend.tokens:,} tokens, {known if unknown else dollars}"
