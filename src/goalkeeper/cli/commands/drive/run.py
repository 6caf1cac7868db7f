"""`run`: drive an agent through the plan until it is proven, or there is a reason to stop."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.draft_goals import list_undrafted
from goalkeeper.app.plans import read_brief
from goalkeeper.app.queries.drives import (
    GoalToDrive,
    list_goals_to_drive,
    show_dry_run,
    show_report,
    suggest_after_drive,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli import clients, inputs
from goalkeeper.cli.drafting import (
    ACCEPT_DRAFT,
    EXAMINING,
    SENTENCE,
    DraftDesk,
    draft_missing,
    open_deps,
)
from goalkeeper.cli.drive_options import (
    can_ask,
    choose_left,
    find_given_terms,
    read_budget,
    repeat_command,
)
from goalkeeper.cli.options import GATE, ISOLATION, JSON, RUN, WORKER, Option, switch
from goalkeeper.cli.pages.report import dry_run_page, report_page
from goalkeeper.cli.parsing import dollars
from goalkeeper.cli.planning import choose_gate, find_run_to_drive, make_run_to_drive, read_wish
from goalkeeper.cli.progress import open_progress
from goalkeeper.cli.projects import prepare_for_draft
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.clients.client import Client
from goalkeeper.core.drive.events import DriveBegan
from goalkeeper.core.drive.phases import Depth
from goalkeeper.core.drive.state import CANNOT_WORK, Budget, Reason
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.model import Plan, Refused
from goalkeeper.core.plan.rights import choose_depth, is_at_work, refuse_shorter_depth
from goalkeeper.core.plan.standing import list_unseen
from goalkeeper.errors import Interrupted
from goalkeeper.loop.history import History
from goalkeeper.storage.ancestry import is_driven
from goalkeeper.storage.lock import hold_lock
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import read_plain_file

_OUTSIDE, _TRY_AGAIN = 5, 75
_EXIT_CODES = {
    Reason.AUTH: _OUTSIDE,
    Reason.AGENT_MISSING: _OUTSIDE,
    Reason.OUTAGE: _OUTSIDE,
    Reason.FAILED: _OUTSIDE,
    Reason.UNKNOWN: _OUTSIDE,
    Reason.RATE_LIMITED: _TRY_AGAIN,
    Reason.PREFLIGHT: CANNOT_WORK,
}
OPTIONS = (
    SENTENCE, Option("--brief-file PATH", "make the plan from this brief first"), *WORKER, GATE,
    ACCEPT_DRAFT, *EXAMINING,
    Option("--depth", "quick: one process an iteration (default); full: plan, impl, verify, "
        "refine, ship", choices=Depth, default=Depth.QUICK),
    Option("--max-iterations N", "of each goal", dest="iterations", type=int,
        default=Budget.iterations),
    Option("--max-time SECONDS", "of work, pauses not counted", dest="seconds", type=int,
        default=0),
    Option("--max-cost DOLLARS", "of all agents together", dest="dollars", type=dollars,
        default=0.0),
    Option("--max-tokens N", "of all agents together", dest="tokens", type=int, default=0),
    Option("--phase-time SECONDS", "of one agent process (default %(default)s)",
        dest="phase_seconds", type=int, default=Budget.phase_seconds),
    Option("--stall-time SECONDS", "without a sign of life or a changed file (default %(default)s)",
        dest="stall_seconds", type=int, default=Budget.stall_seconds),
    Option("--max-pause SECONDS", "to wait for the end of a rate limit (default %(default)s)",
        dest="pause_seconds", type=int, default=Budget.pause_seconds),
    Option("--backoff SECONDS", "of the first pause that nobody gave a length (default "
        "%(default)s)", dest="backoff_seconds", type=int, default=Budget.backoff_seconds),
    Option("--cost-unknown", "with --max-cost: what to do with an agent that does not tell what "
        "it costs", choices=("refuse", "allow"), default="refuse"),
    Option("--blocked-before", "criteria that failed three times in an earlier run: try them "
        "again, or leave them blocked (default: ask on a terminal, elsewhere retry)",
        choices=("ask", "retry", "leave"), default="ask"),
    Option("--parallel N", "so many goals at once, as a campaign (goalkeeper help campaigns)",
        type=int, default=1),
    ISOLATION, switch("--rejudge", "judge what is there again before an agent works"),
    switch("--dry-run", "say what would be done"), RUN, JSON)  # fmt: skip


def run(args: argparse.Namespace, app: App) -> Reply:
    brief, source = read_wish(args, app)
    if args.parallel > 1:
        from goalkeeper.cli.parallel_goals import run_in_parallel  # noqa: PLC0415  seldom, and slow

        return run_in_parallel(args, app, brief or _read_current_brief(args, app), source)
    client = clients.choose_client(args, app, app.plan(args.run))
    budget = read_budget(args)
    found = clients.require_usable(client, app)
    if budget.microdollars and not found.cost_known and args.cost_unknown != "allow":
        said = f"{client.name} does not tell what it costs, so --max-cost cannot be held."
        hint = "leave --max-cost out, limit --max-tokens, or add --cost-unknown allow"
        return refusal(Refused("cost-unknown", said, hint))
    chosen = find_run_to_drive(app, args.run, brief, source)
    if isinstance(chosen, Refused):
        return refusal(chosen)
    if args.dry_run:
        goals, depth = _list_goals(chosen, brief, source), _find_depth(args, chosen)
        shown = show_dry_run(chosen.run_id if chosen else "", client.name, goals, depth, budget)
        return Reply(shown, dry_run_page(client.name, goals, depth), next=repeat_command(args))
    if chosen is None:
        contracts = [goal.contract for goal in read_brief(brief, source).goals]
        if not all(contracts):
            prepare_for_draft(app, can_ask=can_ask(app, args))
        goals = _list_goals(chosen, brief, source)
        # A plan without contracts is shown with its drafts, and one question is enough.
        if can_ask(app, args) and any(contracts):
            page = dry_run_page(client.name, goals, _find_depth(args, chosen))
            if not inputs.is_confirmed(app.world, *page, "Is this what you want?", default=True):
                hint = "change the brief, then run it again"
                return refusal(Refused("not-confirmed", "Nothing was begun or written.", hint))
        chosen = make_run_to_drive(app, brief, source, gate=choose_gate(args.gate, app))
        if isinstance(chosen, Refused):
            return refusal(chosen)
    again = repeat_command(args)
    if list_undrafted(chosen.read()):
        deps, accepts = open_deps(args, app, chosen, client), args.accept_draft
        desk = DraftDesk(app, deps, can_ask(app, args) and not accepts, accepts, again)
        unaccepted = draft_missing(app, chosen, desk.settle_goal)
        if unaccepted:
            return unaccepted
    plan = chosen.read()
    ready = next_goal(plan, retry_failed=False, at=app.clock())
    if plan.is_complete and not ready and not list_unseen(plan):
        chosen.catch_up()  # nothing else will be written
        return _report(args, app, chosen, plan, Reason.DONE)
    return _drive(args, app, chosen, client, budget)


def _list_goals(chosen: FileRun | None, brief: str, source: str) -> list[GoalToDrive]:
    """List what would be worked on; a brief is read, and becomes no plan by that."""
    new = () if chosen else read_brief(brief, source).goals
    return list_goals_to_drive(chosen.read() if chosen else None, new)


def _find_depth(args: argparse.Namespace, chosen: FileRun | None) -> Depth:
    plan = chosen.read() if chosen else None
    return choose_depth(plan, Depth(args.depth), find_given_terms(args))


def _drive(
    args: argparse.Namespace, app: App, chosen: FileRun, client: Client, budget: Budget
) -> Reply:
    plan, depth = chosen.read(), _find_depth(args, chosen)
    refused = refuse_shorter_depth(plan, depth, app.actor)
    if refused:
        return refusal(refused)
    is_new = plan.drive is None or bool(plan.drive.ended)
    history = wiring.open_history(app, chosen) if is_new else History()
    left = choose_left(app, args, history)
    lock, world = chosen.files.drive_lock, app.world
    onlooker = open_progress(world.stderr, app.clock, as_json=args.json)
    with hold_lock(lock, shared=False, timeout_seconds=0), onlooker:
        if is_at_work(plan, app.actor) and is_driven(app.state):  # it deleted the lock
            said = f"Run {chosen.run_id} is driven already, and you are the agent at work for it."
            return refusal(Refused("driven", said, "end your turn: your files are judged then"))
        driver = wiring.open_driver(app, chosen, client, onlooker, args.isolation)
        prior = history.findings or ("none",)
        wanted = DriveBegan(client.name, depth, budget, args.model, prior, left)
        driver.begin_drive(wanted, find_given_terms(args))
        if args.rejudge:
            driver.ask_judgement()
        for text in history.findings:
            onlooker.see_note(text)
        try:
            plan = driver.run_to_end()
        except KeyboardInterrupt as exc:
            raise Interrupted(exc, hint=repeat_command(args)) from None
    reason = Reason(plan.drive.ended) if plan.drive else Reason.FAILED
    wiring.clean_up(app)
    return _report(args, app, chosen, plan, reason)


def _report(
    args: argparse.Namespace, app: App, chosen: FileRun, plan: Plan, reason: Reason
) -> Reply:
    if reason is Reason.DONE:
        wiring.require_evidence(app, chosen)
    shown = {"ok": reason is Reason.DONE, **show_report(plan)}
    follow = suggest_after_drive(plan, reason, again=repeat_command(args))
    warnings, code = tuple(chosen.warnings), _EXIT_CODES.get(reason)
    return Reply(shown, report_page(plan), next=follow, warnings=warnings, code=code)


def _read_current_brief(args: argparse.Namespace, app: App) -> str:
    """Read the brief of the run that would be driven."""
    return read_plain_file(app.need_run(args.run).files.brief).decode()
