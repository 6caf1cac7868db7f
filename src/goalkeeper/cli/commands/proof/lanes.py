"""`lanes`: reviews by processes that goalkeeper starts itself."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.contracts import choose_goal, ensure_frozen
from goalkeeper.app.handle import handle
from goalkeeper.app.queries.reviews import show_lanes
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients
from goalkeeper.cli.options import GOAL_ID, JSON, RUN, WORKER, Option, Verb, switch
from goalkeeper.cli.pages.proof import lanes_page
from goalkeeper.cli.reply import Reply, document, refusal
from goalkeeper.clients.client import Client
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import ENGINE, Base, Goal, Refused
from goalkeeper.core.plan.rights import is_at_work
from goalkeeper.core.review import lane_answers
from goalkeeper.core.review.lane import NEEDED, Lane, LaneRole, LaneWord, find_standing
from goalkeeper.loop.lanes import LaneRequest
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.run import FileRun

VERBS = {
    "run": Verb("Have a goal reviewed in a fresh process, session and read-only worktree.",
        "goalkeeper lanes run --goal-id G001 --role architect --agent claude", RUN, JSON, GOAL_ID,
        Option("--role", "who looks; default: cleaner, architect, qa, as far as they have not "
            "seen these files", choices=LaneRole, default=""),
        *WORKER, switch("--record-blockers", "turn what they object to into review blockers")),
    "show": Verb("What lanes said of a goal, and whether it is about the files as they are now.",
        "goalkeeper lanes show --goal-id G001", RUN, JSON, GOAL_ID),
    "schema": Verb("Print the JSON Schema of a lane's answer.", "goalkeeper lanes schema --role qa",
        JSON, Option("--role", "whose", choices=LaneRole, required=True)),
}  # fmt: skip


def run_schema(args: argparse.Namespace, _app: App) -> Reply:
    return document(lane_answers.json_schema(LaneRole(args.role)))


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    candidate = wiring.take_snapshot(app)
    if args.verb == "run":
        refused = _ask_lanes(args, app, chosen, candidate)
        if refused:
            return refusal(refused)
    goal = choose_goal(chosen.read(), args.goal_id)
    shown = show_lanes(wiring.open_judge_context(app, chosen).witness, goal, candidate)
    follow = f"goalkeeper quality-gate validate --goal-id {goal.id}"
    return Reply(shown, lanes_page(shown), next=follow)


def _ask_lanes(
    args: argparse.Namespace, app: App, chosen: FileRun, candidate: Base
) -> Refused | None:
    plan = chosen.read()
    if is_at_work(plan, app.actor):
        said = "While goalkeeper drives you, it asks reviewers itself."
        hint = f"goalkeeper judge --goal-id {args.goal_id}, or end your turn"
        return Refused("driven", said, hint)
    frozen = ensure_frozen(wiring.open_judge_context(app, chosen), args.goal_id)
    if isinstance(frozen, Refused):
        return frozen
    goal = frozen.goal
    client = clients.choose_client(args, app, plan)
    clients.require_usable(client, app)
    iteration = max(1, goal.iteration)
    with hold_lock(chosen.files.drive_lock, shared=False, timeout_seconds=0):
        for role in _choose_roles(args, goal, candidate):
            asking = LaneRequest(
                role, goal, candidate, plan.constraints, iteration, model=args.model
            )
            lane = _ask_lane(args, app, chosen, client, asking)
            if isinstance(lane, Refused):
                return lane
            if role is LaneRole.CLEANER and lane.word is LaneWord.OBJECTS:
                break  # only clean work is reviewed by others
    return None


def _ask_lane(
    args: argparse.Namespace, app: App, chosen: FileRun, client: Client, asking: LaneRequest
) -> Lane | Refused:
    goal = asking.goal
    app.world.stderr.write(f"{asking.role}: {client.name} looks at {goal.id}\n")
    lane = wiring.open_lanes(app, chosen, client).run_lane(asking, lambda _: None)
    reported = commands.ReportLane(goal.id, lane)
    refused = handle(chosen, reported, actor=ENGINE, clock=app.clock).refused
    if refused or not args.record_blockers or lane.word is not LaneWord.OBJECTS:
        return refused or lane
    findings = "; ".join(lane.objections)
    title = f"Settle what the {lane.role} lane objects to"
    command = commands.RecordReviewBlockers(goal.id, title, findings, findings, asking.candidate)
    return handle(chosen, command, actor=app.actor, clock=app.clock).refused or lane


def _choose_roles(args: argparse.Namespace, goal: Goal, candidate: Base) -> tuple[LaneRole, ...]:
    if args.role:
        return (LaneRole(args.role),)
    seen = find_standing(goal.lanes, candidate.tree, goal.frozen.digest if goal.frozen else "")
    return tuple(role for role in NEEDED if role not in seen)
