"""The environment that an agent is started with: the user's own, less what is not for it.

The user's logins, keys and settings stay, because the agent works in the user's name. Three things
go: the marks of an agent that we ourselves run under, because they make a client believe that it is
part of another one's session; where git is, because the agent works elsewhere; and our secrets.
"""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.clients.client import Asked
from goalkeeper.wire import layout
from goalkeeper.wire.clients import CLIENTS

_PRIVATE = [name for row in CLIENTS.values() for name in row.private.split()]
_DROPPED = frozenset(_PRIVATE) | {
    "AGENT", "AI_AGENT", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR",
    "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_WORK_TREE",
    "OLDPWD",
}  # fmt: skip
_DROPPED_FAMILIES = (
    "GOALKEEPER_", *(name.removesuffix("*") for name in _PRIVATE if name.endswith("*"))
)  # fmt: skip


def make_environment(client: str, asked: Asked, environ: Mapping[str, str]) -> dict[str, str]:
    return {
        **scrub_environment(environ),
        # Some go where PWD points, and not where they are: that would be the user's checkout.
        "PWD": asked.worktree,
        "GOALKEEPER_AGENT": client,
        "GOALKEEPER_SESSION": asked.resume or asked.session,
    }


def scrub_environment(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if not _is_dropped(name)}


def _is_dropped(name: str) -> bool:
    is_dropped = name in _DROPPED or name.startswith(_DROPPED_FAMILIES)
    return is_dropped and name != layout.RUN
