"""What install, uninstall and doctor have in common."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import goalkeeper
from goalkeeper.bootstrap import App, state_home
from goalkeeper.clients.install.parts import FRONT, Setting
from goalkeeper.clients.install.record import InstallRecord
from goalkeeper.storage.disk import disk_errors
from goalkeeper.storage.lock import hold_lock
from goalkeeper.wire.canonical import sha256

_LOCK = "install.lock"
_LOCK_SECONDS = 10.0


def make_setting(app: App) -> Setting:
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


def find_record(app: App, client: str, scope: str) -> InstallRecord:
    where = "" if scope == "user" else "-" + sha256(os.fsencode(app.worktree))[:12]
    name = f"{client}-{scope}{where}"
    return InstallRecord(os.path.join(state_home(app.world.environ), "installed", name))


@contextmanager
def lock_installs(app: App) -> Iterator[None]:
    """Keep other processes from installing meanwhile.

    One lock serves all clients and scopes, because a home may be a project, too. It does not lie
    among the records: these go with the last client, and a lock never goes.
    """
    home = state_home(app.world.environ)
    with disk_errors("make", home):
        os.makedirs(home, exist_ok=True)
    path = os.path.join(home, _LOCK)
    with hold_lock(path, shared=False, timeout_seconds=_LOCK_SECONDS):
        yield


def summarize_files(verb: str, ours: Sequence[str]) -> Iterator[str]:
    """Files of ours by their folder."""
    if len(ours) > 1:
        yield f"{verb} {len(ours)} files below {os.path.commonpath(ours)}"
    elif ours:
        yield f"{verb} {ours[0]}"
