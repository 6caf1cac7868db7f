"""`complete-goals`: start the next goal and hand it over."""

from __future__ import annotations

import argparse
from typing import Any

from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Page, Reply
from goalkeeper.cli.views import next_command, why
from goalkeeper.core.plan import commands, graph, objective, predecessors
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan, ToolStatus


def configure(parser: Parser) -> None:
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help="start a failed goal again if nothing else is left",
    )
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    command = commands.StartNext(args.retry_failed)
    return act(args, app, command, lambda outcome: _answer(outcome, app.clock()))


def _answer(outcome: CommandResult, at: str) -> Reply:
    plan = outcome.plan
    goal = plan.goal(outcome.goal_ids[0]) if outcome.goal_ids else None
    data = _data(plan, goal, at)
    if goal:
        return Reply(data, _handoff_page(plan, goal))
    return Reply(data, (_waiting(plan, at),), next=next_command(plan, at))


def _data(plan: Plan, goal: Goal | None, at: str) -> dict[str, Any]:
    waiting = _blocked(plan)
    failed = [g.id for g in plan.with_status(GoalStatus.FAILED)]
    data: dict[str, Any] = {
        "all_complete": plan.is_complete,
        "next_action": graph.next_action(plan, at),
        "objective": objective.expected(plan) or None,
    }
    if goal:
        data |= {"goal_id": goal.id, "goal_status": goal.status, "handoff": _handoff(plan, goal)}
    elif waiting:
        data |= {
            "blocked_goals": [
                {"id": g.id, "status": g.status, "evidence": g.evidence} for g in waiting
            ],
            "blocked_goal_ids": [g.id for g in waiting],
            "recovery_hints": [next_command(plan, at)],
        }
    early = graph.waiting_for_time(plan, at)
    if early and not goal:
        data["not_before"] = {g.id: graph.not_before(g, at) for g in early}
    return data | ({"failed_goal_ids": failed} if failed else {})


def _handoff_page(plan: Plan, goal: Goal) -> Page:
    told = _handoff(plan, goal)
    page = [f"{goal.id} is active (attempt {goal.attempts}): {goal.title}", "", goal.objective]
    if told["constraints"]:
        page += ["", "Constraints of the brief:", told["constraints"]]
    if told["contract"]:
        page += ["", "Contract:", told["contract"]]
    if told.get("predecessor_output"):
        page += ["", told["predecessor_output"]]
    return (*page, "", "Next commands:", *(f"  {line}" for line in told["commands"]))


def _handoff(plan: Plan, goal: Goal) -> dict[str, Any]:
    checkpoint = f"goalkeeper checkpoint --goal-id {goal.id} --status"
    before = [plan.goal(name) for name in goal.depends_on]
    output = predecessors.output(plan, goal)
    return {
        "title": goal.title,
        "objective": goal.objective,
        "attempt": goal.attempts,
        "constraints": plan.constraints,
        "contract": goal.contract,
        "predecessors": [{"goal_id": g.id, "evidence": g.evidence} for g in before if g],
        **({"predecessor_output": output} if output else {}),
        "commands": [
            *([] if plan.tool.status is ToolStatus.ACTIVE else ["goalkeeper goal create"]),
            f"{checkpoint} complete --evidence <what proves it>",
            f"{checkpoint} failed --evidence <what went wrong>",
            f"{checkpoint} blocked --evidence <what is in the way>",
        ],
    }


def _waiting(plan: Plan, at: str) -> str:
    match graph.next_action(plan, at):
        case graph.NextAction.NONE:
            return "All goals are complete."
        case graph.NextAction.RETRY_FAILED:
            failed = ", ".join(g.id for g in plan.with_status(GoalStatus.FAILED))
            return f"Nothing is left to start; failed: {failed}."
        case graph.NextAction.WAIT:
            early = [f"{g.id} {why(plan, g, at)}" for g in graph.waiting_for_time(plan, at)]
            return f"Nothing may be started yet: {'; '.join(early)}."
        case _:
            waiting = [f"{g.id} ({g.status}) {g.evidence}" for g in _blocked(plan)]
            return "Blocked: " + "; ".join(waiting)


def _blocked(plan: Plan) -> tuple[Goal, ...]:
    return plan.with_status(GoalStatus.BLOCKED) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
