"""`lanes`: reviews by processes that goalkeeper starts itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from goalkeeper.app.contracts import ensure_frozen, find_goal
from goalkeeper.app.handle import handle
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients, options
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import DONE, NO, Reply, Table, document, refusal
from goalkeeper.clients.client import Client
from goalkeeper.core.decide import is_at_work
from goalkeeper.core.drive.lane import NEEDED, Lane, Role, Word, standing
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import ENGINE, Base, Goal, Refused
from goalkeeper.core.review import lane_answers
from goalkeeper.loop.lanes import Asking
from goalkeeper.storage.lock import holding
from goalkeeper.storage.run import FileRun
from goalkeeper.wiring.driving import open_lanes
from goalkeeper.wiring.judging import open_judge_context, open_witness

_RUN = "Have a goal reviewed in a fresh process, session and read-only worktree."
_SHOW = "What lanes said of a goal, and whether it is about the files as they are now."


def configure(parser: Parser) -> None:
    example = "goalkeeper lanes run --goal-id G001 --role architect --agent claude"
    run = parser.verb("run", summary=_RUN, example=example)
    options.goal(run)
    roles = [str(role) for role in Role]
    said = f"who looks; default: {', '.join(NEEDED)}, as far as they have not seen these files"
    run.add_argument("--role", choices=roles, default="", help=said)
    clients.configure(run)
    blockers = "turn what they object to into review blockers"
    run.add_argument("--record-blockers", action="store_true", help=blockers)
    show = parser.verb("show", summary=_SHOW, example="goalkeeper lanes show --goal-id G001")
    options.goal(show)
    schema = parser.verb(
        "schema",
        summary="Print the JSON Schema of a lane's answer.",
        example="goalkeeper lanes schema --role qa",
        run=False,
    )
    schema.add_argument("--role", choices=roles, required=True, help="whose")


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.verb == "schema":
        return document(lane_answers.schema(Role(args.role)))
    chosen = app.need_run(args.run)
    candidate = open_witness(app).snapshot()
    if args.verb == "run":
        refused = _looked(args, app, chosen, candidate)
        if refused:
            return refusal(refused)
    goal = find_goal(chosen.read(), args.goal_id)
    return _answer(goal, candidate, _advice(app, chosen, goal))


def _looked(args: argparse.Namespace, app: App, chosen: FileRun, candidate: Base) -> Refused | None:
    plan = chosen.read()
    if is_at_work(plan, app.actor):
        said = "While goalkeeper drives you, it asks reviewers itself."
        hint = f"goalkeeper judge --goal-id {args.goal_id}, or end your turn"
        return Refused("driven", said, hint)
    frozen = ensure_frozen(open_judge_context(app, chosen), args.goal_id)
    if isinstance(frozen, Refused):
        return frozen
    goal = frozen.goal
    client = clients.chosen(args, app, plan)
    clients.usable(client, app)
    iteration = max(1, goal.iteration)
    with holding(chosen.files.drive_lock, shared=False, timeout_seconds=0):
        for role in _roles(args, goal, candidate):
            asking = Asking(role, goal, candidate, plan.constraints, iteration, model=args.model)
            refused = _look(args, app, chosen, client, asking)
            if refused:
                return refused
    return None


def _look(
    args: argparse.Namespace, app: App, chosen: FileRun, client: Client, asking: Asking
) -> Refused | None:
    goal = asking.goal
    app.world.stderr.write(f"{asking.role}: {client.name} looks at {goal.id}\n")
    lane = open_lanes(app, chosen, client).run(asking, lambda _: None)
    reported = commands.ReportLane(goal.id, lane)
    refused = handle(chosen, reported, actor=ENGINE, clock=app.clock).refused
    if refused or not args.record_blockers or lane.word is not Word.OBJECTS:
        return refused
    return _recorded(app, chosen, goal, lane)


def _roles(args: argparse.Namespace, goal: Goal, candidate: Base) -> tuple[Role, ...]:
    if args.role:
        return (Role(args.role),)
    seen = standing(goal.lanes, candidate.tree, goal.frozen.digest if goal.frozen else "")
    return tuple(role for role in NEEDED if role not in seen)


def _recorded(app: App, chosen: FileRun, goal: Goal, lane: Lane) -> Refused | None:
    findings = "; ".join(lane.objections)
    command = commands.RecordReviewBlockers(
        goal.id, f"Settle what the {lane.role} lane objects to", findings, findings
    )
    return handle(chosen, command, actor=app.actor, clock=app.clock).refused


def _advice(app: App, chosen: FileRun, goal: Goal) -> dict[Role, tuple[str, ...]]:
    """What blocks nothing, and stands only in the answer itself."""
    kept = open_judge_context(app, chosen).witness.kept
    answers = {lane.role: (kept(lane.answer) or {}).get("answer") for lane in goal.lanes}
    return {role: lane_answers.advisory(role, raw) if raw else () for role, raw in answers.items()}


def _answer(goal: Goal, candidate: Base, advice: Mapping[Role, tuple[str, ...]]) -> Reply:
    seen = standing(goal.lanes, candidate.tree, goal.frozen.digest if goal.frozen else "")
    clear = all(role in seen and seen[role].word is Word.CLEAR for role in NEEDED)
    rows = tuple(_row(lane, is_now=seen.get(lane.role) == lane) for lane in goal.lanes)
    table = Table(("role", "says", "about", "agent", "trust", "session", "objections"), rows)
    notes = [f"{role}, in passing: {text}" for role in advice for text in advice[role]]
    told = [
        {
            **_told(lane),
            "advisory": list(advice[lane.role]),
            "current": seen.get(lane.role) == lane,
        }
        for lane in goal.lanes
    ]
    data = {"ok": clear, "goal_id": goal.id, "tree": candidate.tree, "lanes": told}
    follow = f"goalkeeper quality-gate validate --goal-id {goal.id}"
    return Reply(data, (table, *notes), DONE if clear else NO, next=follow)


def _row(lane: Lane, *, is_now: bool) -> tuple[str, ...]:
    about = "these files" if is_now else f"tree {lane.tree[:12]}"
    return (
        lane.role, lane.word, about, lane.process.client, lane.trust, lane.process.session,
        "; ".join(lane.objections[:3]),
    )  # fmt: skip


def _told(lane: Lane) -> dict[str, object]:
    process = lane.process
    return {
        "role": lane.role,
        "word": lane.word,
        "tree": lane.tree,
        "contract": lane.contract,
        "answer": lane.answer,
        "objections": list(lane.objections),
        "agent": process.client,
        "trust": lane.trust,
        "session": process.session,
        "model": process.model,
        "pid": lane.pid,
        "transcript": process.out,
        "microdollars": process.spend.microdollars,
        "ending": process.ending,
    }
