"""What all commands that change a run have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from goalkeeper.app.handle import Outcome, handle
from goalkeeper.bootstrap import App
from goalkeeper.cli.reply import Page, Reply, refusal
from goalkeeper.core.commands import Command

Answer = tuple[dict[str, Any], Page]


def act(
    args: argparse.Namespace, app: App, command: Command, answer: Callable[[Outcome], Answer]
) -> Reply:
    """Ask for `command` on the chosen run; `answer` puts what came of it into words."""
    chosen = app.need_run(args.run)
    outcome = handle(chosen, command, actor=app.actor, clock=app.clock)
    if outcome.refused:
        return refusal(outcome.refused).replace(warnings=tuple(chosen.warnings))
    data, page = answer(outcome)
    shown = {"ok": True, "run_id": chosen.run_id, **data, "goals_path": chosen.files.goals}
    return Reply(shown, page, warnings=tuple(chosen.warnings))
