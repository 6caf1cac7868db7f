"""Who acts is decided only here, and it is recorded how it was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from goalkeeper.core.plan.model import NO_TERMINAL, Actor, ActorKind
from goalkeeper.wire import layout
from goalkeeper.wire.canonical import digest
from goalkeeper.wire.clients import CLIENTS

APPROVAL = "GOALKEEPER_APPROVAL"

# Drives and clients set these variables for the processes they start. It is a list, and no
# beginning of names counts: people export settings and tokens whose names begin like these.
MARKERS = frozenset(
    (
        "GOALKEEPER_AGENT",
        layout.SPAWNED,
        *(name for row in CLIENTS.values() for name in (*row.sessions, *row.markers.split())),
    )
)

# With this variable each client tells the processes it starts which session they belong to.
CLIENT_SESSIONS = {client: row.sessions[0] for client, row in CLIENTS.items()}
_SESSIONS = (*(name for row in CLIENTS.values() for name in row.sessions), "GOALKEEPER_SESSION")


def decide_actor(environ: Mapping[str, str], *, on_terminal: bool, approval_key: str) -> Actor:
    """Decide who acts. An agent's markers count most; then a terminal or the approval key."""
    session = session_of(environ)
    marker = find_marker(environ)
    if marker:
        return Actor(ActorKind.AGENT, f"environment: {marker}", session)
    if on_terminal:
        return Actor(ActorKind.HUMAN, "terminal", session)
    if approval_key and environ.get(APPROVAL) == approval_key:
        return Actor(ActorKind.HUMAN, f"approval key {digest(approval_key)[:8]}", session)
    return Actor(ActorKind.AGENT, NO_TERMINAL, session)


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


def find_clients_around(environ: Mapping[str, str]) -> dict[str, str]:
    """Find the clients that this process runs in, and a variable that shows each of them."""
    return {
        client: names[0]
        for client, row in CLIENTS.items()
        if (names := [*filter(environ.get, (*row.sessions, *row.markers.split()))])
    }


def find_marker(names: Iterable[str]) -> str:
    """Find a variable among these that only an agent's client or a drive sets."""
    return min(MARKERS.intersection(names), default="")


def explain_actor(actor: Actor) -> str:
    """Say as whose a call counts and why, for refusals of what is another's."""
    return f"this call counts as {actor.kind} ({actor.how})"
