"""Who acts: decided here and nowhere else, and how it was decided is recorded."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.plan.model import Actor, ActorKind
from goalkeeper.wire.canonical import digest

APPROVAL = "GOALKEEPER_APPROVAL"

# Set by clients for the processes they start; a prefix stands for a family of names.
_MARKERS = ("GOALKEEPER_AGENT", "CLAUDECODE", "CLAUDE_CODE_", "CODEX_", "GEMINI_", "OPENCODE")

# Names of those families that people export in their own shells.
_OWN_SETTINGS = (
    "CLAUDE_CODE_USE_",
    "CODEX_HOME",
    "CODEX_API_KEY",
    "GEMINI_API_KEY",
    "GEMINI_MODEL",
    "GEMINI_CLI_TRUST_WORKSPACE",
    "OPENCODE_CONFIG",
    "OPENCODE_DISABLE_",
)

# By what variable each client tells the processes it starts which session they belong to.
CLIENT_SESSIONS = {
    "claude": "CLAUDE_CODE_SESSION_ID",
    "codex": "CODEX_THREAD_ID",
    "gemini": "GEMINI_SESSION_ID",
    "opencode": "OPENCODE_SESSION_ID",
    "copilot": "COPILOT_SESSION_ID",
    "cursor": "CURSOR_SESSION_ID",
}
_SESSIONS = (*CLIENT_SESSIONS.values(), "CODEX_SESSION_ID", "GOALKEEPER_SESSION")


def actor(environ: Mapping[str, str], *, on_terminal: bool, approval_key: str) -> Actor:
    """An agent's markers beat everything; a terminal or the approval key makes a human."""
    session = session_of(environ)
    marker = next((name for name in sorted(environ) if marks_agent(name)), "")
    if marker:
        return Actor(ActorKind.AGENT, f"environment: {marker}", session)
    if on_terminal:
        return Actor(ActorKind.HUMAN, "terminal", session)
    if approval_key and environ.get(APPROVAL) == approval_key:
        return Actor(ActorKind.HUMAN, f"approval key {digest(approval_key)[:8]}", session)
    return Actor(ActorKind.AGENT, "no terminal", session)


def session_of(environ: Mapping[str, str]) -> str:
    """The client session that calls, as `NAME=value` of the variable that says so."""
    name = next((name for name in _SESSIONS if environ.get(name)), "")
    return f"{name}={environ[name].encode(errors='backslashreplace').decode()}" if name else ""


def marks_agent(name: str) -> bool:
    return name.startswith(_MARKERS) and not name.startswith(_OWN_SETTINGS)
