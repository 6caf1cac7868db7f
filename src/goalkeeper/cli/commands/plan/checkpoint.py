"""`checkpoint`: how the active goal ended."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.completing import complete
from goalkeeper.app.handle import CommandResult, handle
from goalkeeper.app.queries.next_command import suggest_next
from goalkeeper.app.queries.results import show_checkpoint
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.acting import reply_to
from goalkeeper.cli.options import EVIDENCE, GOAL_ID, GOAL_JSON, JSON, RUN, Option
from goalkeeper.cli.pages.plan import checkpoint_page
from goalkeeper.cli.reply import Reply
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.errors import UsageError

OPTIONS = (
    GOAL_ID.replace(required=True, help="the goal, such as G001"),
    Option("--status", "how it ended; complete runs all checks of the contract in fresh "
        "checkouts, and is refused unless all pass", choices=CheckpointStatus, required=True),
    EVIDENCE.replace(help="what shows it"),
    Option("--quality-gate-json JSON|PATH",
        "what reviewers and testers hand in, for the strict gate; goalkeeper quality-gate"),
    Option("--cycle ID", "of a recurring goal: by what a repeat of the same cycle is known",
        default=""),
    GOAL_JSON,
    RUN, JSON)  # fmt: skip


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
        args.goal_id, CheckpointStatus(args.status), args.evidence,
        inputs.goal_snapshot(app, args.goal_json), cycle=args.cycle,
    )  # fmt: skip
    chosen = app.need_run(args.run)
    if command.status is CheckpointStatus.COMPLETE:
        result = complete(wiring.open_judge_context(app, chosen), command, given)
        if result.plan.is_complete and not result.refused:
            wiring.clean_up(app)
    else:
        result = handle(chosen, command, actor=app.actor, clock=app.clock)

    def answer(result: CommandResult) -> Reply:
        shown = show_checkpoint(result, args.goal_id, args.status)
        return Reply(shown, checkpoint_page(shown), next=suggest_next(result.plan, app.clock()))

    return reply_to(chosen, result, answer)
