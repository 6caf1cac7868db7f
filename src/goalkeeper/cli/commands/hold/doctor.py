"""`doctor` tries what is installed in clients through the very command lines they call."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from goalkeeper.bootstrap import App
from goalkeeper.cli import hooking
from goalkeeper.cli.reply import NO, Reply, Table
from goalkeeper.clients.install import trial
from goalkeeper.clients.install.parts import ClientInstall
from goalkeeper.clients.install.record import RecordUnreadable
from goalkeeper.clients.install.trial import HookTrial
from goalkeeper.clients.table import find_install
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.value import Value


class Diagnosis(Value):
    """What was found of one client in one scope."""

    client: str
    scope: str
    runs: str
    trusted: str
    problems: tuple[str, ...]
    idle_ms: float
    held_ms: float


def run(_args: argparse.Namespace, app: App) -> Reply:
    found = [
        _diagnose(app, install, scope)
        for install in map(find_install, CLIENTS)
        for scope in _list_scopes(app, install)
    ]
    if not found:
        data = {"ok": True, "clients": []}
        first = next(iter(CLIENTS))
        return Reply(data, ("Installed in no client.",), next=f"goalkeeper install {first}")
    # What concerns all of them is said once.
    problems = dict.fromkeys(problem for each in found for problem in each.problems)
    data = {"ok": not problems, "clients": [each.as_dict() for each in found]}
    head = ("CLIENT", "SCOPE", "RUNS", "TRUSTED", "IDLE STOP", "HELD STOP")
    table = Table(head, tuple(_make_row(each) for each in found))
    return Reply(data, (table, *problems), NO if problems else 0)


def _list_scopes(app: App, install: ClientInstall) -> list[str]:
    """Those in which goalkeeper is installed for the client."""
    return [s for s in install.scopes if hooking.find_record(app, install.client, s).exists]


def _make_row(each: Diagnosis) -> tuple[str, ...]:
    times = (f"{ms:.1f} ms" for ms in (each.idle_ms, each.held_ms))
    return (each.client, each.scope, each.runs, each.trusted, *times)


def _diagnose(app: App, install: ClientInstall, scope: str) -> Diagnosis:
    client = install.client
    again = f"goalkeeper install {client} --scope {scope}"
    problems = [*_find_switch(app)]
    trials: list[HookTrial] = []
    try:
        files = hooking.find_record(app, client, scope).files()
        commands = trial.find_stop_commands(install, files)
        trials = [trial.try_command(install, command, app.world.environ) for command in commands]
        problems += _find_problems(client, trials, again)
    except RecordUnreadable as exc:
        problems.append(f"{client}: {exc.message} {again}")
    if len(trials) > 1 or len(_list_scopes(app, install)) > 1:
        problems.append(_say_doubled(install, scope))
    trusted = _ask_trust(app, install)
    if trusted == "no":
        hint = install.trust_hint
        problems.append(f"{client}: it skips goalkeeper's hooks until you trust them: {hint}")
    return Diagnosis(
        client,
        scope,
        "yes" if trials and not any(each.problem for each in trials) else "no",
        trusted,
        tuple(problems),
        max((each.idle_ms for each in trials), default=0.0),
        max((each.held_ms for each in trials), default=0.0),
    )


def _find_switch(app: App) -> Iterator[str]:
    """Hooks are tried without it: what was installed may be right all the same."""
    if app.world.environ.get(trial.HOOKS) == "off":
        yield f"{trial.HOOKS}=off is set here: clients started from here are not held; unset it"


def _find_problems(client: str, trials: list[HookTrial], again: str) -> Iterator[str]:
    if not trials:
        yield f"{client}: its files no longer call goalkeeper; {again}"
    for each in trials:
        if each.problem:
            yield f"{client}: {each.problem}; is {each.command} still right? {again}"
        elif each.idle_ms > trial.SLOW_IDLE_MS:
            yield f"{client}: an idle stop takes {each.idle_ms:.0f} ms"


def _say_doubled(install: ClientInstall, scope: str) -> str:
    others = [each for each in install.scopes if each != scope]
    return (
        f"{install.client}: called more than once for each stop; "
        f"goalkeeper uninstall {install.client} --scope {(others or [scope])[0]}"
    )


def _ask_trust(app: App, install: ClientInstall) -> str:
    """Few clients ask their users whether hooks may run."""
    if install.ask_trust is None:
        return "not asked for"
    program = app.which(install.client)
    if program is None:
        return "unknown"
    return install.ask_trust(program, app.world.cwd, app.world.environ)
