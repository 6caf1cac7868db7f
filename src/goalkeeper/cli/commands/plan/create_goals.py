"""`create-goals`: a brief becomes a plan."""

from __future__ import annotations

import argparse
import os

from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import GATE, JSON, OneOf, Option, switch
from goalkeeper.cli.planning import choose_gate, make_plan
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import GoalMode, Refused
from goalkeeper.errors import OutsideError, UsageError

_LIMIT = inputs.BRIEF_LIMIT_BYTES
OPTIONS = (
    OneOf(Option("--brief TEXT", "the brief itself"),
        Option("--brief-file PATH", "a file that holds the brief"),
        switch("--from-stdin", "the brief on standard input"), required=True),
    Option("--goal-mode", "one goal-tool goal for the whole plan (default), or one per goal",
        choices=GoalMode, default=GoalMode.AGGREGATE),
    Option("--archive REASON", "close and archive the plan that is still live", nargs="?",
        const=""),
    GATE, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    gate = choose_gate(args.gate, app)
    made = make_plan(
        app,
        _read_brief(args, app),
        source=args.brief_file or "The brief",
        mode=GoalMode(args.goal_mode),
        archive=args.archive,
        gate=gate,
    )
    if isinstance(made, Refused):
        return refusal(made)
    created = made.created
    run_id, number = created.run.run_id, len(created.goal_ids)
    files = app.state.files_of_run(run_id)
    data = {
        "ok": True,
        "run_id": run_id,
        "goals_count": number,
        "goal_ids": list(created.goal_ids),
        "goals_path": files.goals,
        "archived": created.archived or None,
        "gate": gate,
    }
    goals = "1 goal" if number == 1 else f"{number} goals"
    archived = (f"The old plan is in {created.archived}.",) if created.archived else ()
    page = (f"Created run {run_id} with {goals}.", *archived)
    reply = Reply(data, page, next="goalkeeper complete-goals", warnings=created.warnings)
    return _add_doubt(reply, made.doubt) if made.doubt else reply


def _add_doubt(reply: Reply, doubt: OutsideError) -> Reply:
    """Warn that nothing can be proven without a base, and only a human can name one later."""
    warning = (
        "where work begins is not recorded, and without that no goal can be proven; mend it and "
        f"make the plan again with --archive: {doubt.message}"
    )
    again = doubt.hint.replace("repeat the command", "repeat the command with --archive")
    data = {**reply.data, "hint": again}
    return reply.replace(data=data, next=again, warnings=(*reply.warnings, warning))


def _read_brief(args: argparse.Namespace, app: App) -> str:
    if args.from_stdin:
        return inputs.standard_input(app, "the brief", limit_bytes=_LIMIT)
    if args.brief_file is not None:
        return inputs.brief_file(app, args.brief_file)
    given: str = args.brief
    if "\n" not in given and os.path.isfile(os.path.join(app.world.cwd, given)):
        hint = f"goalkeeper create-goals --brief-file {given}"
        raise UsageError(problem=f"--brief takes the text, and {given} is a file", hint=hint)
    return inputs.decode_text(given.encode(), "the brief", "--brief", limit_bytes=_LIMIT)
