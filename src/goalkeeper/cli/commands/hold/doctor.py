"""`doctor`: what is installed in clients, tried through the very command lines they call."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import NO, Reply, Table
from goalkeeper.clients.install import trial
from goalkeeper.clients.install.parts import CLIENTS, scopes
from goalkeeper.clients.install.record import Record, RecordUnreadable
from goalkeeper.clients.install.trial import Tried
from goalkeeper.wire.value import Value


class Looked(Value):
    client: str
    scope: str
    runs: str
    trusted: str
    problems: tuple[str, ...]
    idle_ms: float
    held_ms: float


def configure(parser: Parser) -> None:
    parser.common(run=False)


def run(_args: argparse.Namespace, app: App) -> Reply:
    found = [
        _looked(app, client, scope, hooking.record(app, client, scope))
        for client in CLIENTS
        for scope in scopes(client)
        if hooking.record(app, client, scope).exists
    ]
    if not found:
        data = {"ok": True, "clients": []}
        return Reply(data, ("Installed in no client.",), next="goalkeeper install claude")
    # What concerns all of them is said once.
    problems = dict.fromkeys(problem for looked in found for problem in looked.problems)
    data = {"ok": not problems, "clients": [looked.as_dict() for looked in found]}
    head = ("CLIENT", "SCOPE", "RUNS", "TRUSTED", "IDLE STOP", "HELD STOP")
    table = Table(head, tuple(_row(each) for each in found))
    return Reply(data, (table, *problems), NO if problems else 0)


def _row(each: Looked) -> tuple[str, ...]:
    times = (f"{ms:.1f} ms" for ms in (each.idle_ms, each.held_ms))
    return (each.client, each.scope, each.runs, each.trusted, *times)


def _looked(app: App, client: str, scope: str, record: Record) -> Looked:
    problems = [*_switched_off(app)]
    tried: list[Tried] = []
    try:
        commands = trial.stop_commands(record.files())
        tried = [trial.tried(client, command, app.world.environ) for command in commands]
        problems += _told(client, scope, tried)
    except RecordUnreadable as exc:
        problems.append(f"{client}: {exc.message} {_again(client, scope)}")
    if _is_doubled(app, client, len(tried)):
        problems.append(_once(client, scope))
    trusted = _trusted(app, client)
    if trusted == "no":
        problems.append(f"{client}: it skips goalkeeper's hooks until you trust them: {_TRUST}")
    return Looked(
        client,
        scope,
        "yes" if tried and not any(each.problem for each in tried) else "no",
        trusted,
        tuple(problems),
        max((each.idle_ms for each in tried), default=0.0),
        max((each.held_ms for each in tried), default=0.0),
    )


_TRUST = "codex, then /hooks"


def _switched_off(app: App) -> Iterator[str]:
    """Hooks are tried without it: what was installed may be right all the same."""
    if app.world.environ.get(trial.HOOKS) == "off":
        yield f"{trial.HOOKS}=off is set here: clients started from here are not held; unset it"


def _told(client: str, scope: str, tried: list[Tried]) -> Iterator[str]:
    again = _again(client, scope)
    if not tried:
        yield f"{client}: its files no longer call goalkeeper; {again}"
    for each in tried:
        if each.problem:
            yield f"{client}: {each.problem}; is {each.command} still right? {again}"
        elif each.idle_ms > trial.SLOW_IDLE_MS:
            yield f"{client}: an idle stop takes {each.idle_ms:.0f} ms"


def _again(client: str, scope: str) -> str:
    return f"goalkeeper install {client} --scope {scope}"


def _is_doubled(app: App, client: str, here: int) -> bool:
    scopes_ = [s for s in scopes(client) if hooking.record(app, client, s).exists]
    return here > 1 or len(scopes_) > 1


def _once(client: str, scope: str) -> str:
    other = [each for each in scopes(client) if each != scope]
    return (
        f"{client}: called more than once for each stop; "
        f"goalkeeper uninstall {client} --scope {(other or [scope])[0]}"
    )


def _trusted(app: App, client: str) -> str:
    """Only Codex asks whether hooks may run; those that it does not list, it does not run."""
    if client != "codex":
        return "not asked for"
    program = app.which("codex")
    said = trial.codex_trust(program, app.world.cwd, app.world.environ) if program else None
    if said is None:
        return "unknown"
    return "yes" if said and all(each == "trusted" for each in said) else "no"
