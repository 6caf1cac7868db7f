"""`ulw`: hold a session of a client until its goal is proven, let it go, show it, prove it now."""

from __future__ import annotations

import argparse
import os
import time
from functools import partial

from goalkeeper import wiring
from goalkeeper.app.queries.holds import (
    HoldFacts,
    add_way_of_work,
    find_held_sessions,
    refuse_agent,
    show_begun,
    show_hold,
)
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import JSON, Option, Verb, switch
from goalkeeper.cli.pages.holds import holds_page
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.actors import CLIENT_SESSIONS, find_client_sessions
from goalkeeper.core.plan.model import ENGINE, ActorKind, Refused
from goalkeeper.core.projects.commands import find_runner
from goalkeeper.errors import GoalkeeperError, UsageError
from goalkeeper.system.procfs import read_start_time
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire import hold as wire
from goalkeeper.wire import switches
from goalkeeper.wire.hold import Hold

_CLIENT = Option("--client", "whose session; default: whose shell this is",
    choices=sorted(CLIENT_SESSIONS), default="")  # fmt: skip
_SESSION = Option("--session ID", "the session's id", default="")
VERBS = {
    "on": Verb("Hold a session: its agent may stop when the checks pass, or a limit is reached.",
        'goalkeeper ulw on --client claude --session "$CLAUDE_CODE_SESSION_ID" < task.md',
        JSON, _CLIENT, _SESSION, Option("--turn", argparse.SUPPRESS, default=""),
        Option("--process", argparse.SUPPRESS, default="")),
    "off": Verb("Let a session go, proven or not.", "goalkeeper ulw off", JSON, _CLIENT, _SESSION),
    "status": Verb("Which sessions of this repository are or were held, and how they stand.",
        "goalkeeper ulw status --json", JSON, _CLIENT, _SESSION),
    "prove": Verb("Run the checks of a session that is held now, and keep what they say.",
        "goalkeeper ulw prove", JSON, _CLIENT, _SESSION,
        Option("--since", argparse.SUPPRESS, type=float, default=0.0),
        switch("--record", argparse.SUPPRESS), switch("--hook", argparse.SUPPRESS)),
}  # fmt: skip


def _name_session(args: argparse.Namespace, app: App) -> tuple[str, str]:
    """Find the session that is named, else the one this is called from, else none."""
    here = find_client_sessions(app.world.environ)
    client = args.client or next(iter(here), "")
    session = args.session or here.get(client, "")
    if client and session and not wire.is_session_id(session):
        problem = f"'{session[:40]}' is not a session id: letters, digits, - and _"
        raise UsageError(problem=problem, hint="goalkeeper ulw status")
    if (args.client or args.session) and not (client and session):
        missing = "--session" if client else "--client"
        raise UsageError(problem=f"which session? add {missing}", hint="goalkeeper ulw status")
    return (client, session) if client and session else ("", "")


def _find_hold(args: argparse.Namespace, app: App) -> Hold:
    """Find the hold of that session, else the only one that is on."""
    client, session = _name_session(args, app)
    if client:
        found = wiring.open_holds(app).get(client, session)
        if found is None:
            problem = f"session {session} of {client} is not and was not held here"
            raise UsageError(problem=problem, hint="goalkeeper ulw status")
        return found
    on = [hold for hold in wiring.open_holds(app).all() if not hold.ended]
    if not on:
        raise UsageError(problem="no session is held here", hint="goalkeeper ulw status")
    if len(on) > 1:
        problem = f"which session? {len(on)} are held here"
        hint = "goalkeeper ulw status, then add --client and --session"
        raise UsageError(problem=problem, hint=hint)
    return on[0]


def run_on(args: argparse.Namespace, app: App) -> Reply:
    client, session = _name_session(args, app)
    if not client:
        problem = "which session? This shell is not a client's"
        hint = "say ulw in the client's prompt, or add --client and --session"
        raise UsageError(problem=problem, hint=hint)
    wiring.open_holds(app).sweep(time.time())
    brief = ("" if app.world.stdin.isatty() else inputs.prompt(app)) or "Ultrawork"
    settings = wiring.read_settings(app)
    verify = settings.verify or wiring.detect_here(app, app.worktree).first_verify

    def read_text(name: str) -> str:
        return read_plain_file(os.path.join(app.worktree, name)).decode(errors="replace")

    asked = Hold(
        client, session, os.urandom(4).hex(), time.time(), args.turn, app.worktree,
        run="", own=False, bare=(), ledger="", objective=brief[: wire.OBJECTIVE_CHARACTERS],
        verify=verify, runners=tuple(find_runner(argv, read_text) for argv in verify),
        limits=settings.hold, process=args.process,
        hooked=switches.list_hooked(client, app.world.environ, app.worktree, read_plain_file),
    )  # fmt: skip
    mine = app.replace(actor=app.actor.replace(session=f"{CLIENT_SESSIONS[client]}={session}"))
    begun = wiring.begin_hold(mine, asked, brief)
    if isinstance(begun, Refused):
        return refusal(add_way_of_work(begun))
    shown = show_begun(begun.hold, begun.plan, is_new=begun.is_new)
    shown["asked_for"] = asked.objective
    return Reply(shown, (shown["notice"],), next="goalkeeper ulw status")


def run_off(args: argparse.Namespace, app: App) -> Reply:
    hold = _find_hold(args, app)
    if not hold.ended and app.actor.kind is ActorKind.AGENT:
        return refusal(refuse_agent(hold, app.actor))
    hold, closed = wiring.end_hold(app, hold, f"a human said so ({app.actor.how})")
    page = (f"Session {hold.session} of {hold.client} is not held any more ({hold.ended}).",)
    return Reply({"ok": True, **show_hold(hold, HoldFacts()), "closed": closed}, page)


def run_prove(args: argparse.Namespace, app: App) -> Reply:
    """Prove the goal. Somebody who only tries it sees no more of held-out checks than others."""
    hold = _find_hold(args, app)
    judge = app.replace(actor=ENGINE) if args.hook else app
    hold = wiring.prove_hold(judge, hold, since=args.since, records=args.record)
    verdict = hold.verdict
    outcome = verdict.outcome if verdict else wire.UNKNOWN
    page = (f"{outcome}: {verdict.text if verdict else 'Nothing was judged.'}",)
    passed = outcome == wire.PASSED
    return Reply({"ok": passed, **show_hold(hold, HoldFacts())}, page)


def run_status(args: argparse.Namespace, app: App) -> Reply:
    client, session = _name_session(args, app) if args.client or args.session else ("", "")
    find_facts = partial(_find_facts, app)
    found = find_held_sessions(wiring.open_holds(app), client, session, find_facts)
    return Reply(found.document, holds_page(found))


def _find_facts(app: App, hold: Hold) -> HoldFacts:
    environ, off = app.world.environ, hold.hooks_off
    if not hold.ended and not off:
        read = read_plain_file
        off = switches.find_switched_off(hold.client, environ, hold.worktree, hold.hooked, read)
    return HoldFacts(
        is_watched=wiring.open_holds(app).is_watched(hold),
        is_proven=hold.ended != wire.PROVEN or _has_proof(app, hold.run),
        is_gone=hold.process == wire.LEFT or _has_ended(hold.process),
        hooks_off=off,
    )


def _has_proof(app: App, run_id: str) -> bool:
    """Return whether the run is complete in its ledger, with the evidence of every criterion."""
    try:
        run = app.runs.named(run_id)
        wiring.require_evidence(app, run)
        return run.read().is_complete
    except GoalkeeperError:  # the run or its evidence is broken, or gone
        return False


def _has_ended(process: str) -> bool:
    pid, _, started = process.partition(" ")
    return bool(started) and read_start_time(int(pid)) != started
