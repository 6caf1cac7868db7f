"""The environment an agent is started with: the user's own, less what is not for it.

The user's logins, keys and settings stay, for the agent works in the user's name. What must go:
the marks of an agent that we ourselves run under, which would make a client believe that it
is part of another one's session; where git is, for the agent is elsewhere; and our secrets.
"""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.clients.client import Asked
from goalkeeper.wire import layout

_KEPT = frozenset({layout.RUN})
_DROPPED = frozenset(
    """
    AGENT AI_AGENT
    CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH
    CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SSE_PORT CLAUDE_EFFORT
    CLAUDE_ENV_FILE CLAUDE_PID CLAUDE_PROJECT_DIR CLAUDE_SESSION_ID
    CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS CODEX_CI CODEX_PERMISSION_PROFILE CODEX_SANDBOX
    CODEX_SANDBOX_NETWORK_DISABLED CODEX_SESSION_ID CODEX_THREAD_ID CODEX_TOOL_CALL_ID
    CODEX_VERSION
    GEMINI_CLI GEMINI_CLI_NO_RELAUNCH GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_PTY_INFO
    GEMINI_SESSION_ID
    OPENCODE OPENCODE_PID OPENCODE_RUN_ID OPENCODE_SESSION_ID
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_DIR GIT_INDEX_FILE GIT_NAMESPACE
    GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_WORK_TREE
    OLDPWD
    """.split()  # noqa: SIM905  a column of forty quoted names says no more
)
_DROPPED_FAMILIES = (
    "CLAUDE_CODE_MESSAGING_",
    "CLAUDE_PLUGIN_",
    "CODEX_MANAGED_",
    "CODEX_NETWORK_",
    "GEMINI_CLI_IDE_",
    "GOALKEEPER_",
)


def environment(client: str, asked: Asked, environ: Mapping[str, str]) -> dict[str, str]:
    return {
        **scrubbed(environ),
        # OpenCode goes where PWD points, and not where it is: that would be the user's checkout.
        "PWD": asked.worktree,
        "GOALKEEPER_AGENT": client,
        "GOALKEEPER_SESSION": asked.resume or asked.session,
    }


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if not _is_dropped(name)}


def _is_dropped(name: str) -> bool:
    return name not in _KEPT and (name in _DROPPED or name.startswith(_DROPPED_FAMILIES))
