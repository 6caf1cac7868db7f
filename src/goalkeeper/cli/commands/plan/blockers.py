"""`blocked`, `unblock`, `classify-blocker`, `record-review-blockers`: what keeps a goal back."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.contracts import choose_goal
from goalkeeper.app.handle import CommandResult
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.acting import act
from goalkeeper.cli.options import EVIDENCE, GOAL_ID, GOAL_JSON, JSON, RUN, Option
from goalkeeper.cli.parsing import parse_words
from goalkeeper.cli.reply import Reply
from goalkeeper.core.drive.state import ExitKind
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Classification, clip_title

_AFTER = {
    Classification.HUMAN_BLOCKED: "goalkeeper goal pause (last resort), or go on with another goal",
    Classification.RESOLVABLE: "resolve it and go on; a resolvable blocker never pauses the run",
}
OPTIONS = {
    "blocked": (GOAL_ID,
        Option("--as", "blocked for now, impossible as asked, in need of a human, or judged by a "
            "contract that is wrong", dest="kind",
            choices=ExitKind, default=ExitKind.BLOCKED),
        EVIDENCE.replace(help="what was tried, and what is in the way"), RUN, JSON),
    "unblock": (GOAL_ID.replace(required=True, help="the blocked goal"),
        EVIDENCE.replace(help="what changed"), RUN, JSON),
    "record-review-blockers": (GOAL_ID.replace(required=True, help="the goal under review"),
        Option("--title TEXT", "title of the blocker (default: Resolve review blockers)",
            type=parse_words),
        Option("--objective TEXT", "what would settle it", type=parse_words, required=True),
        EVIDENCE.replace(help="the findings"), GOAL_JSON, RUN, JSON),
    "classify-blocker": (
        Option("--classification", "human_blocked: only a human can act; resolvable: anything else",
            choices=Classification, required=True),
        EVIDENCE.replace(help="the specific dependency"),
        GOAL_ID.replace(help="the goal it blocks"), RUN, JSON),
}  # fmt: skip


def run_blocked(args: argparse.Namespace, app: App) -> Reply:
    """Record the honest exit of an agent that cannot meet its goal."""
    goal = choose_goal(app.need_run(args.run).read(), args.goal_id)
    command = commands.GiveUp(goal.id, ExitKind(args.kind), args.evidence)

    def answer(outcome: CommandResult) -> Reply:
        data = {"goal_id": goal.id, "kind": args.kind, "changed": outcome.changed}
        page = (f"{goal.id} is recorded as {args.kind}. Stop working on it.",)
        return Reply(data, page, next="goalkeeper status")

    return act(args, app, command, answer)


def run_unblock(args: argparse.Namespace, app: App) -> Reply:
    def answer(outcome: CommandResult) -> Reply:
        status = choose_goal(outcome.plan, args.goal_id).status
        page = (f"{args.goal_id} is {status} again.",)
        data = {"goal_id": args.goal_id, "status": status}
        return Reply(data, page, next="goalkeeper complete-goals")

    return act(args, app, commands.Unblock(args.goal_id, args.evidence), answer)


def run_classify_blocker(args: argparse.Namespace, app: App) -> Reply:
    kind = Classification(args.classification)
    command = commands.ClassifyBlocker(kind, args.evidence, args.goal_id)
    goal_id = args.goal_id or None
    data = {"event": "blocker_classified", "classification": kind, "goal_id": goal_id}
    reply = Reply(data, (f"Classified as {kind}.",), next=_AFTER[kind])
    return act(args, app, command, lambda _: reply)


def run_record_review_blockers(args: argparse.Namespace, app: App) -> Reply:
    blocked = args.goal_id
    title = clip_title(args.title or "Resolve review blockers")
    work = wiring.find_reviewed_work(app, app.need_run(args.run).read(), blocked)
    command = commands.RecordReviewBlockers(
        blocked, title, args.objective.strip(), args.evidence, work,
        inputs.goal_snapshot(app, args.goal_json),
    )  # fmt: skip

    def answer(outcome: CommandResult) -> Reply:
        blocker = outcome.goal_ids[0]
        data = {"goal_id": blocker, "blocked_goal_id": blocked, "repeated": not outcome.changed}
        said = "Recorded review blocker" if outcome.changed else "Already recorded as"
        return Reply(data, (f"{said} {blocker} for {blocked}.",), next="goalkeeper complete-goals")

    return act(args, app, command, answer)
