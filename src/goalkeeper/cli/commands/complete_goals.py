"""`complete-goals`: start the next goal and hand it over."""

from __future__ import annotations

import argparse
from typing import Any

from goalkeeper.app.handle import Outcome
from goalkeeper.bootstrap import App
from goalkeeper.cli.acting import act
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Page, Reply
from goalkeeper.cli.views import next_command
from goalkeeper.core import commands, graph, objective
from goalkeeper.core.model import Goal, GoalStatus, Plan, ToolStatus


def configure(parser: Parser) -> None:
    parser.add_argument(
        "--retry-failed",
        action="store_true",
        help="start a failed goal again if nothing else is left",
    )
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    return act(args, app, commands.StartNext(args.retry_failed), _answer)


def _answer(outcome: Outcome) -> Reply:
    plan = outcome.plan
    goal = plan.goal(outcome.goal_ids[0]) if outcome.goal_ids else None
    data = _data(plan, goal)
    if goal:
        return Reply(data, _handoff_page(plan, goal))
    return Reply(data, (_waiting(plan),), next=next_command(plan))


def _data(plan: Plan, goal: Goal | None) -> dict[str, Any]:
    waiting = _blocked(plan)
    failed = [g.id for g in plan.with_status(GoalStatus.FAILED)]
    data: dict[str, Any] = {
        "all_complete": plan.is_complete,
        "next_action": graph.next_action(plan),
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
            "recovery_hints": [next_command(plan)],
        }
    return data | ({"failed_goal_ids": failed} if failed else {})


def _handoff_page(plan: Plan, goal: Goal) -> Page:
    told = _handoff(plan, goal)
    page = [f"{goal.id} is active (attempt {goal.attempts}): {goal.title}", "", goal.objective]
    if told["constraints"]:
        page += ["", "Constraints of the brief:", told["constraints"]]
    if told["contract"]:
        page += ["", "Contract:", told["contract"]]
    page += [f"\nFrom {output['goal_id']}: {output['evidence']}" for output in told["predecessors"]]
    return (*page, "", "Next commands:", *(f"  {line}" for line in told["commands"]))


def _handoff(plan: Plan, goal: Goal) -> dict[str, Any]:
    checkpoint = f"goalkeeper checkpoint --goal-id {goal.id} --status"
    before = [plan.goal(name) for name in goal.depends_on]
    return {
        "title": goal.title,
        "objective": goal.objective,
        "attempt": goal.attempts,
        "constraints": plan.constraints,
        "contract": goal.contract,
        "predecessors": [{"goal_id": g.id, "evidence": g.evidence} for g in before if g],
        "commands": [
            *([] if plan.tool.status is ToolStatus.ACTIVE else ["goalkeeper goal create"]),
            f"{checkpoint} complete --evidence <what proves it>",
            f"{checkpoint} failed --evidence <what went wrong>",
            f"{checkpoint} blocked --evidence <what is in the way>",
        ],
    }


def _waiting(plan: Plan) -> str:
    match graph.next_action(plan):
        case graph.NextAction.NONE:
            return "All goals are complete."
        case graph.NextAction.RETRY_FAILED:
            failed = ", ".join(g.id for g in plan.with_status(GoalStatus.FAILED))
            return f"Nothing is left to start; failed: {failed}."
        case _:
            waiting = [f"{g.id} ({g.status}) {g.evidence}" for g in _blocked(plan)]
            return "Blocked: " + "; ".join(waiting)


def _blocked(plan: Plan) -> tuple[Goal, ...]:
    return plan.with_status(GoalStatus.BLOCKED) + plan.with_status(GoalStatus.REVIEW_BLOCKED)
