"""`draft`: have a contract drafted and tried, and do nothing else."""

from __future__ import annotations

import argparse
import json

from goalkeeper.app.draft_goals import DraftedGoal, draft_goal
from goalkeeper.app.handle import handle
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients, inputs
from goalkeeper.cli.drafting import EXAMINING, SENTENCE, draft_missing, open_deps
from goalkeeper.cli.drive_options import can_ask
from goalkeeper.cli.options import ISOLATION, JSON, WORKER, Option
from goalkeeper.cli.pages.draft import draft_page
from goalkeeper.cli.planning import (
    choose_gate,
    find_run_to_drive,
    make_run_to_drive,
    read_wish,
)
from goalkeeper.cli.projects import prepare_for_draft
from goalkeeper.cli.reply import Page, Reply, refusal
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.yaml_nodes import write_yaml
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import replace_file

OPTIONS = (
    SENTENCE, Option("--brief-file PATH", "draft for the goals of this brief that have no "
        "contract"), *WORKER, *EXAMINING,
    Option("--out FILE", "write a brief with the contract there, to edit and run", default=""),
    ISOLATION, JSON,
)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    client = clients.choose_client(args, app, app.plan(None))
    clients.require_usable(client, app)
    brief, source = read_wish(args, app)
    chosen = find_run_to_drive(app, None, brief, source)
    if chosen is None:
        prepare_for_draft(app, can_ask=can_ask(app, args))
        chosen = make_run_to_drive(app, brief, source, gate=choose_gate("", app))
    if isinstance(chosen, Refused):
        return refusal(chosen)
    deps = open_deps(args, app, chosen, client)
    drafts: list[DraftedGoal] = []

    def draft(goal_id: str) -> Reply | None:
        drafted = draft_goal(deps, goal_id)
        if isinstance(drafted, Refused):
            return refusal(drafted)
        drafts.append(drafted)
        return None

    return draft_missing(app, chosen, draft) or _answer(args, app, chosen, drafts)


def _answer(
    args: argparse.Namespace, app: App, chosen: FileRun, drafts: list[DraftedGoal]
) -> Reply:
    shown = [{"goal_id": each.goal.id, "draft": plain(each.draft)} for each in drafts]
    page: Page = tuple(line for each in drafts for line in draft_page(each))
    data = {"ok": True, "run": chosen.run_id, "drafts": shown}
    if not drafts:
        said = "Every goal of the plan has a contract."
        return Reply(data, (said,), next="goalkeeper contract show")
    if not args.out:
        return Reply(data, page, next="goalkeeper run, which shows it again and asks")
    path = inputs.confine_path(app, args.out)
    constraints = chosen.read().constraints
    text = "\n\n".join((*filter(None, [constraints]), *map(_write_goal, drafts))) + "\n"
    replace_file(path, text.encode())
    # The file is a brief of its own; the run would be in the way of the one that is made of it.
    closed = commands.CloseRun(f"drafted into {args.out}")
    refused = handle(chosen, closed, actor=app.actor, clock=app.clock).refused
    if refused:
        return refusal(refused)
    return Reply({**data, "out": args.out}, page, next=f"goalkeeper run --brief-file {args.out}")


def _write_goal(drafted: DraftedGoal) -> str:
    goal, contract = drafted.goal, write_yaml(json.loads(drafted.draft.contract))
    body = "" if goal.objective == goal.title else f"{goal.objective}\n\n"
    return f"@goal: {goal.title}\n{body}```contract\n{contract}```"
