"""Who acts is decided only here, and it is recorded how it was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from goalkeeper.core.plan.model import Actor, ActorKind
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.clients import CLIENTS

APPROVAL = "GOALKEEPER_APPROVAL"

# Variables that drives and clients set for the processes they start begin with these names.
_MARKERS = (
    "GOALKEEPER_AGENT",
    layout.SPAWNED,
    *(name for row in CLIENTS.values() for name in row.markers),
)
_USERS_OWN = tuple(name for row in CLIENTS.values() for name in row.users_own)

# With this variable each client tells the processes it starts which session they belong to.
CLIENT_SESSIONS = {client: row.sessions[0] for client, row in CLIENTS.items()}
_SESSIONS = (*(name for row in CLIENTS.values() for name in row.sessions), "GOALKEEPER_SESSION")


def decide_actor(environ: Mapping[str, str], *, on_terminal: bool, approval_key: str) -> Actor:
    """Decide who acts. An agent's markers count most; then a terminal or the approval key."""
    session = session_of(environ)
    marker = next((name for name in sorted(environ) if _marks_agent(name)), "")
    if marker:
        return Actor(ActorKind.AGENT, f"environment: {marker}", session)
    if on_terminal:
        return Actor(ActorKind.HUMAN, "terminal", session)
    if approval_key and environ.get(APPROVAL) == approval_key:
        return Actor(ActorKind.HUMAN, f"approval key {digest(approval_key)[:8]}", session)
    return Actor(ActorKind.AGENT, "no terminal", session)


def session_of(environ: Mapping[str, str]) -> str:
    """Return the client session that calls, as `NAME=value` of the variable that says so."""
    name = next((name for name in _SESSIONS if environ.get(name)), "")
    return f"{name}={environ[name].encode(errors='backslashreplace').decode()}" if name else ""


def find_client_sessions(environ: Mapping[str, str]) -> dict[str, str]:
    """Find the clients that this process runs in, and the session of each."""
    found = {
        client: next(filter(None, map(environ.get, row.sessions)), "")
        for client, row in CLIENTS.items()
    }
    return {client: session for client, session in found.items() if session}


def is_marked(names: Iterable[str]) -> bool:
    """Return whether variables with these names are those of an agent."""
    return any(map(_marks_agent, names))


def _marks_agent(name: str) -> bool:
    return name.startswith(_MARKERS) and not name.startswith(_USERS_OWN)
