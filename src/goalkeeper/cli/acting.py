"""What all commands that change a run have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from goalkeeper.app.handle import CommandResult, handle
from goalkeeper.bootstrap import App
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.commands import Command
from goalkeeper.storage.run import FileRun

MakeReply = Callable[[CommandResult], Reply]


def act(args: argparse.Namespace, app: App, command: Command, answer: MakeReply) -> Reply:
    """Ask for `command` on the chosen run; `answer` puts what came of it into words."""
    chosen = app.need_run(args.run)
    return reply_to(chosen, handle(chosen, command, actor=app.actor, clock=app.clock), answer)


def reply_to(chosen: FileRun, result: CommandResult, answer: MakeReply) -> Reply:
    warnings = tuple(chosen.warnings)
    if result.refused:
        return refusal(result.refused).replace(warnings=warnings)
    reply = answer(result)
    data = {"ok": True, "run_id": chosen.run_id, **reply.data, "goals_path": chosen.files.goals}
    return reply.replace(data=data, warnings=warnings)
