"""`install`, `uninstall` and `doctor`: what is ours in a client, and whether it works."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import goalkeeper
from goalkeeper import wiring
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.options import JSON, Option, switch
from goalkeeper.cli.pages.disk import write_disk_line
from goalkeeper.cli.reply import Reply, Table
from goalkeeper.clients.install import trial
from goalkeeper.clients.install.files import InstallChange
from goalkeeper.clients.install.parts import (
    FRONT,
    SKILLS,
    ClientInstall,
    Setting,
    SettingsUnreadable,
    estimate_tokens,
    list_contents,
    plan_changes,
    read_skill,
)
from goalkeeper.clients.install.record import (
    InstalledFile,
    InstallRecord,
    NotInstalled,
    RecordUnreadable,
)
from goalkeeper.clients.install.trial import HookTrial
from goalkeeper.clients.table import find_install
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire import layout, switches
from goalkeeper.wire.canonical import sha256
from goalkeeper.wire.clients import CLIENTS
from goalkeeper.wire.value import Value

ChangedFile = InstallChange | InstalledFile
_LOCK_SECONDS = 10.0
_NOT_OURS = "is not the line that this goalkeeper installs, and was not tried"
_CLIENT = Option("client CLIENT", "%(choices)s", choices=CLIENTS)
_SCOPE = Option("--scope", "for all that you do (default), or for this project",
    choices=("user", "project"), default="user")  # fmt: skip
OPTIONS = {
    "install": (_CLIENT, _SCOPE, switch("--dry-run", "say what would change, no more"), JSON),
    "uninstall": (_CLIENT, _SCOPE, JSON),
    "doctor": (JSON,),
}


class Diagnosis(Value):
    """What was found of one client in one scope."""

    client: str
    scope: str
    runs: str
    trusted: str
    problems: tuple[str, ...]
    idle_ms: float
    held_ms: float


def run_install(args: argparse.Namespace, app: App) -> Reply:
    made = find_install(args.client).scopes[args.scope](_make_setting(app))
    _require_inside(args.scope, app, [file.path for file in made.files])
    wanted = plan_changes(made.files)  # unusable files are refused before anything is made
    if not args.dry_run:
        with _lock_installs(app):
            wanted = plan_changes(made.files)  # another process may have changed them meanwhile
            _find_record(app, args.client, args.scope).install(wanted)
    needed = [change for change in wanted if change.is_needed]
    said = _list_changed("Would write" if args.dry_run else "Wrote", needed)
    page: tuple[Table | str, ...] = tuple(said) or ("Already installed; nothing changed.",)
    follow = _repeat_command(args) if args.dry_run else made.next
    warnings = tuple(_warn_of_others(args, app))
    costs = tuple(_list_costs())
    if args.dry_run:
        rows = tuple((skill, name, str(tokens)) for skill, name, tokens in costs)
        page = (*page, Table(("SKILL", "WHAT IS READ", "TOKENS, ABOUT"), rows))
    skills = [{"skill": skill, "read": name, "tokens": tokens} for skill, name, tokens in costs]
    data = {**_show_changed(args, needed), "skills": skills}
    return Reply(data, page, next=follow, warnings=warnings)


def _list_costs() -> Iterator[tuple[str, str, int]]:
    """Estimate what skills cost a model: their descriptions always, a file when it is read."""
    for skill in SKILLS:
        files = read_skill(skill)
        _, description, _ = files["SKILL.md"].split(b"---\n", 2)
        for name, text in {"description": description, **files}.items():
            yield skill, name, estimate_tokens(text)


def _repeat_command(args: argparse.Namespace) -> str:
    scope = "" if args.scope == "user" else f" --scope {args.scope}"
    return f"goalkeeper install {args.client}{scope}"


def _warn_of_others(args: argparse.Namespace, app: App) -> Iterator[str]:
    for scope in find_install(args.client).scopes:
        if scope != args.scope and _find_record(app, args.client, scope).exists:
            yield (
                f"it is installed for the {scope}, too: its hooks run twice and count once; "
                f"goalkeeper uninstall {args.client} --scope {scope}"
            )


def run_uninstall(args: argparse.Namespace, app: App) -> Reply:
    done = _uninstall(args, app)
    page = tuple(_list_changed("Undid", done)) or ("There was nothing left.",)
    return Reply(_show_changed(args, done), page)


def _uninstall(args: argparse.Namespace, app: App) -> tuple[InstalledFile, ...]:
    record = _find_record(app, args.client, args.scope)
    if record.exists:
        with _lock_installs(app):
            if record.exists:  # another process may have been faster
                _require_inside(args.scope, app, [file.path for file in record.files()])
                return record.uninstall()
    raise NotInstalled(client=args.client, scope=args.scope)


def _require_inside(scope: str, app: App, paths: Sequence[str]) -> None:
    """Refuse to write to what a project's links lead to; those of the user's home are fine."""
    for path in paths if scope == "project" else ():
        if not inputs.is_inside(os.path.realpath(path), app.worktree):
            raise SettingsUnreadable(path=path, reason="a link leads out of the project")


def _show_changed(args: argparse.Namespace, changed: Sequence[ChangedFile]) -> dict[str, Any]:
    paths = [each.path for each in changed]
    return {"ok": True, "client": args.client, "scope": args.scope, "changed": paths}


def _list_changed(verb: str, changed: Sequence[ChangedFile]) -> Iterator[str]:
    """Name files of ours by their folder, and the user's one by one."""
    ours = [each.path for each in changed if not each.is_merged]
    if len(ours) > 1:
        yield f"{verb} {len(ours)} files below {os.path.commonpath(ours)}"
    elif ours:
        yield f"{verb} {ours[0]}"
    for each in changed:
        if each.is_merged:
            kept = isinstance(each, InstallChange) and each.before
            yield f"{verb} {each.path}" + (" (what was there is kept)" if kept else "")


def _make_setting(app: App) -> Setting:
    """Describe this goalkeeper, on this machine: clients are to call it and no other."""
    package = os.path.dirname(os.path.abspath(goalkeeper.__file__))
    return Setting(
        home=app.world.environ.get("HOME") or "/",
        root=app.worktree,
        environ=app.world.environ,
        python=sys.executable,
        front=os.path.join(os.path.dirname(package), FRONT),
        version=goalkeeper.__version__,
    )


def _find_record(app: App, client: str, scope: str) -> InstallRecord:
    where = "" if scope == "user" else "-" + sha256(os.fsencode(app.worktree))[:12]
    name = f"{client}-{scope}{where}"
    return InstallRecord(os.path.join(layout.state_home(app.world.environ), "installed", name))


def _lock_installs(app: App) -> AbstractContextManager[None]:
    """Keep other processes from installing meanwhile.

    One lock serves all clients and scopes, because a home may be a project, too. It does not lie
    among the records: these go with the last client, and a lock never goes.
    """
    return wiring.hold_user_lock(app, "install", timeout_seconds=_LOCK_SECONDS)


def run_doctor(_args: argparse.Namespace, app: App) -> Reply:
    found = [
        _diagnose(app, install, scope)
        for install in map(find_install, CLIENTS)
        for scope in _list_scopes(app, install)
    ]
    disk = wiring.measure_disk(app)
    if not found:
        data = {"ok": True, "clients": [], "disk": disk}
        page = ("Installed in no client.", write_disk_line(disk))
        return Reply(data, page, next=f"goalkeeper install {next(iter(CLIENTS))}")
    # What concerns all clients is said once.
    problems = dict.fromkeys(problem for each in found for problem in each.problems)
    clients = [each.as_dict() for each in found]
    data = {"ok": not problems, "clients": clients, "disk": disk}
    head = ("CLIENT", "SCOPE", "RUNS", "TRUSTED", "IDLE STOP", "HELD STOP")
    table = Table(head, tuple(_make_row(each) for each in found))
    return Reply(data, (table, *problems, write_disk_line(disk)))


def _list_scopes(app: App, install: ClientInstall) -> list[str]:
    """List the scopes in which goalkeeper is installed for the client."""
    return [s for s in install.scopes if _find_record(app, install.client, s).exists]


def _make_row(each: Diagnosis) -> tuple[str, ...]:
    times = (f"{ms:.1f} ms" for ms in (each.idle_ms, each.held_ms))
    return (each.client, each.scope, each.runs, each.trusted, *times)


def _diagnose(app: App, install: ClientInstall, scope: str) -> Diagnosis:
    client = install.client
    again = f"goalkeeper install {client} --scope {scope}"
    problems = []
    if app.world.environ.get(trial.HOOKS) == "off":  # what was installed may be right all the same
        said = "clients started from here are not held; unset it"
        problems.append(f"{trial.HOOKS}=off is set here: {said}")
    trials: list[HookTrial] = []
    try:
        files = _find_record(app, client, scope).files()
        commands = [*trial.find_stop_commands(install, trial.read_files(files))]
        ours = list_contents(install.scopes[scope](_make_setting(app)).files)
        own = {*trial.find_stop_commands(install, ours)}
        # Others write to these files: a line that names our file is not tried unless it is ours.
        trials = [trial.try_command(install, c, app.world.environ) for c in commands if c in own]
        strange = [command for command in commands if command not in own]
        problems += [f"{client}: {command} {_NOT_OURS}; {again}" for command in strange]
        problems += _find_problems(client, trials, again) if trials or not strange else []
    except RecordUnreadable as exc:
        problems.append(f"{client}: {exc.message} {again}")
    off = switches.find_switched_off(client, app.world.environ, app.worktree, (), read_plain_file)
    if off:
        problems.append(f"{client}: {off}, so none of its hooks run; take that out")
    if len(trials) > 1 or len(_list_scopes(app, install)) > 1:
        problems.append(_say_doubled(install, scope))
    trusted = _ask_trust(app, install)
    if trusted == "no":
        hint = install.trust_hint
        problems.append(f"{client}: it skips goalkeeper's hooks until you trust them: {hint}")
    return Diagnosis(
        client,
        scope,
        "yes" if trials and not off and not any(each.problem for each in trials) else "no",
        trusted,
        tuple(problems),
        max((each.idle_ms for each in trials), default=0.0),
        max((each.held_ms for each in trials), default=0.0),
    )


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
    """Ask the client whether hooks may run. Few clients ask their users that."""
    if install.ask_trust is None:
        return "not asked for"
    program = wiring.find_program(app, install.client)
    if program is None:
        return "unknown"
    return install.ask_trust(program, app.world.cwd, app.world.environ)
