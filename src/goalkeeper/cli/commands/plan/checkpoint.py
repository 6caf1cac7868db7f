"""`checkpoint`: how the active goal ended."""

from __future__ import annotations

import argparse

from goalkeeper.app.completing import complete
from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.acting import act
from goalkeeper.cli.parsing import Parser, words
from goalkeeper.cli.reply import Reply
from goalkeeper.cli.views import next_command
from goalkeeper.core.decode import Fields, Malformed, plain
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.model import Goal, Plan, Streak
from goalkeeper.errors import NotAnObject, UsageError
from goalkeeper.wiring.judging import open_judge_context


def configure(parser: Parser) -> None:
    parser.add_argument("--goal-id", required=True, metavar="ID", help="the goal, such as G001")
    parser.add_argument(
        "--status", required=True, choices=[str(s) for s in CheckpointStatus],
        help="how it ended; complete runs all checks of the contract in fresh checkouts, and is "
        "refused unless all pass",
    )  # fmt: skip
    words(parser, "--evidence", help="what shows it")
    parser.add_argument(
        "--quality-gate-json",
        metavar="JSON|PATH",
        help="what reviewers and testers hand in, for the strict gate; goalkeeper quality-gate",
    )
    parser.add_argument(
        "--cycle", default="", metavar="ID",
        help="of a recurring goal: by what a repeat of the same cycle is known",
    )  # fmt: skip
    parser.add_argument(
        "--goal-json", metavar="JSON|PATH", help="the client's own goal; it must agree with ours"
    )
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    given = None
    if args.cycle and args.status != CheckpointStatus.COMPLETE:
        problem = "--cycle goes with --status complete"
        raise UsageError(problem=problem, hint="goalkeeper checkpoint --help")
    if args.quality_gate_json is not None:
        given = inputs.json_object(app, args.quality_gate_json, "--quality-gate-json")
        if args.status != CheckpointStatus.COMPLETE:
            problem = "--quality-gate-json goes with --status complete"
            raise UsageError(problem=problem, hint="goalkeeper checkpoint --help")
    command = commands.Checkpoint(
        args.goal_id, CheckpointStatus(args.status), args.evidence, _snapshot(args, app),
        cycle=args.cycle,
    )  # fmt: skip
    if command.status is not CheckpointStatus.COMPLETE:
        return act(args, app, command, lambda outcome: _answer(outcome, args, app.clock()))
    return act(
        args,
        app,
        command,
        lambda outcome: _answer(outcome, args, app.clock()),
        by=lambda chosen: complete(open_judge_context(app, chosen), command, given),
    )


def _answer(outcome: CommandResult, args: argparse.Namespace, at: str) -> Reply:
    plan = outcome.plan
    data = {
        "goal_id": args.goal_id,
        "status": args.status,
        "repeated": not outcome.changed,
        "all_complete": plan.is_complete,
        "incomplete_goal_ids": [g.id for g in plan.required if g.status != "complete"],
    }
    said = "Checkpointed" if outcome.changed else "Already checkpointed"
    page = [f"{said} {args.goal_id} as {args.status}."]
    cycled = _cycled(plan, args)
    if cycled:
        data |= {"status": cycled.status, "streak": plain(cycled.streak)}
        page = [f"{'Achieved' if outcome.changed else 'Already achieved'}: {_streak(cycled)}"]
    started = next((g for g in outcome.goal_ids if g != args.goal_id), "")
    if plan.is_complete:
        page.append("All goals are complete.")
    if outcome.changed and started:
        data |= {"next_goal_id": started}
        page.append(f"{started} is next.")
    return Reply(data, tuple(page), next=next_command(plan, at))


def _cycled(plan: Plan, args: argparse.Namespace) -> Goal | None:
    """The goal, if it recurs: it is never complete, and pending again."""
    goal = plan.goal(args.goal_id)
    is_cycle = args.status == CheckpointStatus.COMPLETE and goal and goal.is_recurring
    return goal if is_cycle else None


def _streak(goal: Goal) -> str:
    streak = goal.streak or Streak()
    odd = f" (odd: {streak.anomaly})" if streak.anomaly else ""
    return (
        f"cycle {streak.count} of {goal.id}, {streak.current} in a row, at most "
        f"{streak.longest}{odd}; it is pending again."
    )


def _snapshot(args: argparse.Namespace, app: App) -> commands.GoalSnapshot | None:
    if args.goal_json is None:
        return None
    given = inputs.json_object(app, args.goal_json, "--goal-json")
    try:
        fields = Fields(given.get("goal", given))  # `goal get --json` or what is inside of it
        return commands.GoalSnapshot(fields.text("objective", ""), fields.text("status"))
    except Malformed as exc:
        raise NotAnObject(what="--goal-json", expected="object", problem=str(exc)) from exc
