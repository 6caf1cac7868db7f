"""`init`: prepare a repository. A second call changes nothing."""

from __future__ import annotations

import argparse
import os
import secrets
from functools import partial

from goalkeeper import config, wiring
from goalkeeper.app.detect import agents_on_path, detect
from goalkeeper.bootstrap import APPROVAL_FILE, App, config_home
from goalkeeper.cli.inputs import is_confirmed
from goalkeeper.cli.options import JSON, switch
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.plan.model import Refused
from goalkeeper.storage.disk import disk_errors

OPTIONS = (switch("--yes", "do not ask, also on a terminal"), JSON)


def run(args: argparse.Namespace, app: App) -> Reply:
    if os.path.exists(app.state.config):
        settings = wiring.read_settings(app)  # somebody else may have written them
        key = _make_approval_key(app)  # who takes over state that is foreign here needs it
        with app.runs.holding():
            return _make_reply(app, settings, key, made=False)
    found = detect(app.root)
    asked = f"{config.dump_settings(found)}\nWrite this to .goalkeeper/config.toml?"
    is_asked = not args.yes and app.world.stdin.isatty()
    if is_asked and not is_confirmed(app.world, asked, default=True):
        return refusal(Refused("declined", "Nothing was written.", "goalkeeper init"))
    with app.runs.holding(), disk_errors("write", app.state.config):
        app.world.disk.replace(app.state.config, config.dump_settings(found).encode())
    return _make_reply(app, found, _make_approval_key(app), made=True)


def _make_reply(app: App, settings: config.Settings, key: str, *, made: bool) -> Reply:
    agents = agents_on_path(partial(wiring.find_program, app))
    data = {
        "ok": True,
        "made": made,
        "root": app.root,
        "config_path": app.state.config,
        "verify_commands": settings.verify,
        "agents": agents,
        "approval_key_path": key or None,
    }
    said = f"{'Wrote' if made else 'Kept'} {os.path.relpath(app.state.config, app.root)}."
    verify = "; ".join(" ".join(argv) for argv in settings.verify) or "nothing; edit [verify]"
    found = f"  agents on PATH: {', '.join(agents) or 'none'}"
    page = (said, f"  verified by: {verify}", found)
    return Reply(data, page, next='goalkeeper create-goals --brief "<brief>"')


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
