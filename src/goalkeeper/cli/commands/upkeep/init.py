"""`init`: prepare a repository: its set-up and its tests are found, tried and written down.

A second call changes nothing.
"""

from __future__ import annotations

import argparse
import os
import secrets

from goalkeeper import config, wiring
from goalkeeper.bootstrap import APPROVAL_FILE, App, config_home
from goalkeeper.cli.clients import list_installed_agents
from goalkeeper.cli.options import JSON, switch
from goalkeeper.cli.projects import (
    PreparedProject,
    describe_preparation,
    is_prepared,
    make_teller,
    prepare_unprepared,
    refuse_preparing,
    show_preparation,
)
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Refused
from goalkeeper.core.projects.commands import describe_argv

OPTIONS = (
    switch("--yes", "do not ask, also on a terminal"),
    switch("--no-try", "write what was found, and run nothing of it"),
    switch("--again", "find and try it again; settings that you have edited stay as they are"),
    JSON,
)


def run(args: argparse.Namespace, app: App) -> Reply:
    if args.again or not is_prepared(app):
        if refused := refuse_preparing(app):
            return refusal(refused)
    else:
        settings = wiring.read_settings(app)  # somebody else may have written them
        key = _make_approval_key(app)  # who takes over state that is foreign here needs it
        with app.runs.holding():
            return _make_reply(app, settings, key)
    asks = not args.yes and app.world.stdin.isatty()
    tell = make_teller(app) if not args.json else lambda _: None
    made = prepare_unprepared(app, asks=asks, tries=not args.no_try, tell=tell)
    if made is None:
        return refusal(Refused("declined", "Nothing was written.", "goalkeeper init"))
    return _make_reply(app, made.settings, _make_approval_key(app), made)


def _make_reply(
    app: App, settings: config.Settings, key: str, made: PreparedProject | None = None
) -> Reply:
    agents = list_installed_agents(app)
    data = {
        "ok": True,
        "made": made is not None,
        "root": app.root,
        "config_path": app.state.config,
        "verify_commands": settings.verify,
        "agents": agents,
        "approval_key_path": key or None,
        **({**show_preparation(made.found), "trusted": made.is_trusted} if made else {}),
    }
    said = f"{'Wrote' if made else 'Kept'} {os.path.relpath(app.state.config, app.root)}."
    verify = "; ".join(map(describe_argv, settings.verify)) or "nothing; edit [verify]"
    page = [said, *(describe_preparation(made.found) if made else [f"  verified by: {verify}"])]
    page.append(f"  agents on PATH: {', '.join(agents) or 'none'}")
    follow = 'goalkeeper run "<what you want>"'
    if made and made.found.problems and not made.found.tried:
        follow = "mend what did not work, then goalkeeper init --again"
    elif made and not made.is_trusted:
        page.append("  set-up counts when a human has confirmed it: goalkeeper trust")
        follow = "goalkeeper trust"
    return Reply(data, tuple(page), next=follow)


def _make_approval_key(app: App) -> str:
    """Make the key with which a script acts as a human; say where it is, if it could be made."""
    place = config_home(app.world.environ)
    path = os.path.join(place, APPROVAL_FILE)
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path
    except OSError:
        return ""
    with os.fdopen(fd, "w") as file:
        file.write(secrets.token_hex(32) + "\n")
    return path
