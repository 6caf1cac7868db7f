"""`ulw`: hold a session of a client until its goal is proven; let it go; look; prove now."""

from __future__ import annotations

import argparse
import os
import shutil
import time

from goalkeeper.app.holding import Proof, armed
from goalkeeper.bootstrap import App, open_app
from goalkeeper.cli import ultrawork
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import NO, Reply, Table, refusal
from goalkeeper.config import Argv, Settings
from goalkeeper.core.actors import CLIENT_SESSIONS
from goalkeeper.core.model import ENGINE, ActorKind, Plan, Refused
from goalkeeper.errors import GoalkeeperError, UsageError
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import Hold, Verdict

_OBJECTIVE_BYTES = 1 << 16


def configure(parser: Parser) -> None:
    on = parser.verb(
        "on",
        summary="Hold a session: its agent may stop when the checks pass, or a limit is reached.",
        example='goalkeeper ulw on --client claude --session "$CLAUDE_CODE_SESSION_ID" < task.md',
        run=False,
    )
    on.add_argument("--turn", default="", metavar="ID", help="the turn in which it was asked for")
    off = parser.verb(
        "off", summary="Let a session go, proven or not.", example="goalkeeper ulw off", run=False
    )
    status = parser.verb(
        "status",
        summary="Which sessions of this repository are or were held, and how they stand.",
        example="goalkeeper ulw status --json",
        run=False,
    )
    prove = parser.verb(
        "prove",
        summary="Run the checks of a session that is held now, and keep what they say.",
        example="goalkeeper ulw prove",
        run=False,
    )
    prove.add_argument("--since", type=float, default=0.0, metavar="SECONDS",
                       help="a verdict begun after this time (since 1970) will do")  # fmt: skip
    prove.add_argument("--mark", default="", metavar="MARK", help="how the files look, for hooks")
    for verb in (on, off, status, prove):
        verb.add_argument("--client", choices=sorted(CLIENT_SESSIONS), default="",
                          help="whose session; default: whose shell this is")  # fmt: skip
        verb.add_argument("--session", default="", metavar="ID", help="the session's id")


def run(args: argparse.Namespace, app: App) -> Reply:
    match args.verb:
        case "on":
            return _on(args, app)
        case "off":
            return _off(args, app)
        case "prove":
            return _prove(args, app)
        case _:
            return _status(args, app)


def _who(args: argparse.Namespace, app: App) -> tuple[str, str]:
    """The session that is named, else the one this is called from."""
    environ = app.world.environ
    here = ((c, environ[v]) for c, v in CLIENT_SESSIONS.items() if environ.get(v))
    client, session = next(here, ("", ""))
    if args.client or args.session:
        client, session = args.client or client, args.session
    if not client or not session:
        return "", ""
    if not wire.is_session_id(session):
        problem = f"'{session[:40]}' is not a session id: letters, digits, - and _"
        raise UsageError(problem=problem, hint="goalkeeper ulw status")
    return client, session


def _meant(args: argparse.Namespace, app: App) -> Hold:
    """The hold of that session, else the only one that is on."""
    client, session = _who(args, app)
    if client:
        found = app.holds.get(client, session)
        if found is None:
            problem = f"session {session} of {client} is not and was not held here"
            raise UsageError(problem=problem, hint="goalkeeper ulw status")
        return found
    on = [hold for hold in app.holds.all() if not hold.ended]
    if len(on) != 1:
        problem = f"which session? {len(on)} are held here"
        hint = "goalkeeper ulw status, then add --client and --session"
        raise UsageError(problem=problem, hint=hint)
    return on[0]


def _on(args: argparse.Namespace, app: App) -> Reply:
    client, session = _who(args, app)
    if not client:
        problem = "which session? This is called from none of a client's"
        hint = "say ulw in the client's prompt, or add --client and --session"
        raise UsageError(problem=problem, hint=hint)
    old = app.holds.get(client, session)
    if old and not old.ended and app.holds.is_watched(old):
        return _armed(old, app.runs.named(old.run).read(), "was on already")
    given = b"" if app.world.stdin.isatty() else app.world.stdin.read(_OBJECTIVE_BYTES)
    objective = given.decode(errors="replace").replace("\0", "").strip() or "Ultrawork"
    mine = app.replace(actor=app.actor.replace(session=f"{CLIENT_SESSIONS[client]}={session}"))
    settings = _settings(app)
    verify = settings.verify or _detected(app)
    made = ultrawork.plan_for(mine, objective, verify)
    if isinstance(made, Refused):
        return refusal(made)
    plan, own = made
    asked = Hold(
        client, session, os.urandom(4).hex(), time.time(), mine.worktree, plan.run_id, own,
        objective, verify, turn=args.turn,
    )  # fmt: skip
    hold = ultrawork.seen(app, armed(asked, old, settings.hold))
    with app.holds.holding(client, session):
        app.holds.put(hold)
    return _armed(hold, plan, "is on")


def _armed(hold: Hold, plan: Plan, said: str) -> Reply:
    by = ultrawork.proven_by(hold, plan)
    notice = ultrawork.notice(hold, by, said)
    data = {
        "ok": True,
        "armed": True,
        "client": hold.client,
        "session": hold.session,
        "run_id": hold.run,
        "activation": hold.activation,
        "proven_by": by,
        "text": ultrawork.instructions(hold, plan, by),
        "notice": notice,
    }
    return Reply(data, (notice,), next="goalkeeper ulw status")


def _off(args: argparse.Namespace, app: App) -> Reply:
    hold = _meant(args, app)
    if not hold.ended:
        if app.actor.kind is ActorKind.AGENT:
            return refusal(ultrawork.only_humans(hold, app.actor))
        with app.holds.holding(hold.client, hold.session):
            hold = app.holds.get(hold.client, hold.session) or hold
            why = f"a human said so ({app.actor.how})"
            hold = hold.replace(ended=wire.OFF, ended_why=why, ended_at=time.time())
            app.holds.put(hold)
    closed = ultrawork.close(app, hold)
    data = {"ok": True, **_told(hold), "closed": closed}
    return Reply(data, (f"Session {hold.session} of {hold.client} is not held ({hold.ended}).",))


def _prove(args: argparse.Namespace, app: App) -> Reply:
    hold = _meant(args, app)
    with app.holds.proving(hold.client, hold.session):
        hold = app.holds.get(hold.client, hold.session) or hold
        known = hold.verdict
        if hold.ended or (known and args.since and known.began >= args.since):
            return _verdict(hold)
        proven = _proven(app, hold, began=time.time(), mark=args.mark)
        with app.holds.holding(hold.client, hold.session):
            now = app.holds.get(hold.client, hold.session)
            if now is None or now.activation != hold.activation or now.ended:
                return _verdict(proven)
            learned = {name: getattr(proven, name) for name in _LEARNED}
            hold = now.replace(**learned)
            app.holds.put(hold)
    return _verdict(hold)


_LEARNED = ("verdict", "contract", "asks", "ignored", "beside")


def _proven(app: App, hold: Hold, *, began: float, mark: str) -> Hold:
    """With a verdict; what stands in the way of one is one, too."""
    there = open_app(app.world.replace(cwd=hold.worktree)).replace(actor=ENGINE)
    try:
        chosen = there.runs.named(hold.run)
        court = there.court(chosen)
        proof = Proof(court, hold, there.excerpts(chosen))
        verdict = proof.verdict(began, mark)
        hold = ultrawork.guarded(there, ultrawork.seen(there, hold), court)
        return hold.replace(verdict=verdict, contract=proof.contract)
    except GoalkeeperError as exc:
        return hold.replace(verdict=Verdict(wire.UNKNOWN, "", began, text=exc.message))


def _verdict(hold: Hold) -> Reply:
    verdict = hold.verdict
    outcome = verdict.outcome if verdict else wire.UNKNOWN
    text = verdict.text if verdict else "Nothing was judged."
    data = {"ok": outcome == wire.PASSED, **_told(hold)}
    return Reply(data, (f"{outcome}: {text}",), 0 if outcome == wire.PASSED else NO)


def _status(args: argparse.Namespace, app: App) -> Reply:
    client, session = _who(args, app) if args.client or args.session else ("", "")
    found = [h for h in app.holds.all() if not client or (h.client, h.session) == (client, session)]
    found.sort(key=lambda hold: hold.armed_at, reverse=True)
    rows = tuple((h.client, h.session, *ultrawork.row(h)) for h in found)
    page = (
        (Table(("CLIENT", "SESSION", "STATE", "BLOCKS", "RUN", "SEEN"), rows),)
        if rows
        else ("No session was held here.",)
    )
    last = tuple(_details(hold) for hold in found[:1])
    return Reply({"ok": True, "holds": [_told(h) for h in found]}, (*page, *last))


def _details(hold: Hold) -> str:
    verdict = hold.verdict
    seen = f"{verdict.outcome}: {verdict.text}" if verdict else "nothing was judged yet"
    return f"\n{hold.client} {hold.session}: {seen}"


def _told(hold: Hold) -> dict[str, object]:
    verdict = hold.verdict
    return {
        "client": hold.client,
        "session": hold.session,
        "activation": hold.activation,
        "run_id": hold.run,
        "state": ultrawork.state(hold),
        "why": hold.ended_why or hold.waiting or None,
        "blocks": hold.blocks,
        "max_blocks": hold.max_blocks,
        "verdict": verdict.outcome if verdict else None,
        "tree": verdict.tree if verdict else None,
        "failing": list(verdict.failing) if verdict else [],
        "text": verdict.text if verdict else None,
    }


def _settings(app: App) -> Settings:
    from goalkeeper.storage.settings import read_settings  # noqa: PLC0415  TOML; not for status

    return read_settings(app.state.config) if os.path.exists(app.state.config) else Settings()


def _detected(app: App) -> tuple[Argv, ...]:
    from goalkeeper.app.detect import detect  # noqa: PLC0415  as above

    path = app.world.environ.get("PATH")
    return detect(app.worktree, lambda name: shutil.which(name, path=path)).verify
