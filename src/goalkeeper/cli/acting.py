"""What all commands that change a run have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from goalkeeper.app.handle import CommandResult, handle
from goalkeeper.bootstrap import App
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.commands import Command
from goalkeeper.storage.run import FileRun


def act(
    args: argparse.Namespace,
    app: App,
    command: Command,
    answer: Callable[[CommandResult], Reply],
    by: Callable[[FileRun], CommandResult] | None = None,
) -> Reply:
    """Ask for `command` on the chosen run; `answer` puts what came of it into words.

    `by` carries it out where deciding it takes more than the run.
    """
    chosen = app.need_run(args.run)
    outcome = by(chosen) if by else handle(chosen, command, actor=app.actor, clock=app.clock)
    warnings = tuple(chosen.warnings)
    if outcome.refused:
        return refusal(outcome.refused).replace(warnings=warnings)
    reply = answer(outcome)
    data = {"ok": True, "run_id": chosen.run_id, **reply.data, "goals_path": chosen.files.goals}
    return reply.replace(data=data, warnings=warnings)
