"""What install, uninstall and doctor have in common."""

from __future__ import annotations

import os
import sys

import goalkeeper
from goalkeeper.agents.install.installing import Record
from goalkeeper.agents.install.parts import CLIENTS, FRONT, Setting
from goalkeeper.bootstrap import App, state_home
from goalkeeper.cli.parsing import Parser
from goalkeeper.wire.canonical import sha256

SCOPES = ("user", "project")


def options(parser: Parser) -> None:
    parser.add_argument("client", choices=CLIENTS, metavar="CLIENT", help=", ".join(CLIENTS))
    said = "for all that you do (default), or for this project"
    parser.add_argument("--scope", choices=SCOPES, default="user", help=said)


def setting(app: App) -> Setting:
    """This goalkeeper, on this machine: clients are to call it and no other."""
    package = os.path.dirname(os.path.abspath(goalkeeper.__file__))
    return Setting(
        home=app.world.environ.get("HOME") or "/",
        root=app.worktree,
        environ=app.world.environ,
        python=sys.executable,
        front=os.path.join(os.path.dirname(package), FRONT),
        version=goalkeeper.__version__,
    )


def record(app: App, client: str, scope: str) -> Record:
    where = "" if scope == "user" else "-" + sha256(os.fsencode(app.worktree))[:12]
    name = f"{client}-{scope}{where}"
    return Record(os.path.join(state_home(app.world.environ), "installed", name))
