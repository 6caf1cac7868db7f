"""`doctor`: what is installed in clients, tried through the very command lines they call."""

from __future__ import annotations

import argparse
import shutil

from goalkeeper.agents.install import trial
from goalkeeper.agents.install.installing import Record
from goalkeeper.agents.install.parts import CLIENTS, scopes
from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import NO, Reply, Table
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
    problems = [problem for looked in found for problem in looked.problems]
    data = {"ok": not problems, "clients": [looked.as_dict() for looked in found]}
    rows = tuple(
        (
            each.client,
            each.scope,
            each.runs,
            each.trusted,
            f"{each.idle_ms:.1f} ms",
            f"{each.held_ms:.1f} ms",
        )
        for each in found
    )
    head = ("CLIENT", "SCOPE", "RUNS", "TRUSTED", "IDLE STOP", "HELD STOP")
    return Reply(data, (Table(head, rows), *problems), NO if problems else 0)


def _looked(app: App, client: str, scope: str, record: Record) -> Looked:
    commands = list(trial.stop_commands(record.files()))
    tried = [trial.tried(client, command, app.world.environ) for command in commands]
    problems = []
    again = f"goalkeeper install {client} --scope {scope}"
    if not tried:
        problems.append(f"{client}: its files no longer call goalkeeper; {again}")
    for each in tried:
        if not each.runs:
            said = f"{client}: a stop that should be held was answered {each.answer or 'nothing'!r}"
            problems.append(f"{said}; is {each.command} still right? {again}")
        elif each.idle_ms > trial.SLOW_IDLE_MS:
            problems.append(f"{client}: an idle stop takes {each.idle_ms:.0f} ms")
    if _is_doubled(app, client, len(tried)):
        other = [each for each in scopes(client) if each != scope]
        problems.append(
            f"{client}: called more than once for each stop; "
            f"goalkeeper uninstall {client} --scope {(other or [scope])[0]}"
        )
    trusted = _trusted(app, client, problems)
    return Looked(
        client,
        scope,
        "yes" if tried and all(each.runs for each in tried) else "no",
        trusted,
        tuple(problems),
        max((each.idle_ms for each in tried), default=0.0),
        max((each.held_ms for each in tried), default=0.0),
    )


def _is_doubled(app: App, client: str, here: int) -> bool:
    scopes_ = [s for s in scopes(client) if hooking.record(app, client, s).exists]
    return here > 1 or len(scopes_) > 1


def _trusted(app: App, client: str, problems: list[str]) -> str:
    """Only Codex asks whether hooks may run."""
    if client != "codex":
        return "not asked for"
    program = shutil.which("codex", path=app.world.environ.get("PATH"))
    said = trial.codex_trust(program, app.world.cwd, app.world.environ) if program else None
    if said is None:
        return "unknown"
    if all(each == "trusted" for each in said):
        return "yes"
    problems.append("codex: it skips goalkeeper's hooks until you trust them: codex, then /hooks")
    return "no"
