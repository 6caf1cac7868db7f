"""The table of clients says what must be known before it is known which client calls.

A new client is one row here and one folder `goalkeeper/clients/<name>` (CONTRIBUTING.md says how).
What is needed only once a client is known stands in its folder, not here. Hooks load this module at
every event, so it holds nothing but names.
"""

from __future__ import annotations

from goalkeeper.wire.value import Value


class ClientSettings(Value):
    """The files by which a client's hooks are set, or turned off."""

    folder: str = ""  # it lies below the home
    variable: str = ""  # a user can name another folder by this variable
    below: str = ""  # the files lie in this folder of that other one
    files: tuple[str, ...] = ()  # they lie in the folder
    own: tuple[str, ...] = ()  # of these the client itself writes some while it works
    in_project: tuple[str, ...] = ()
    switch: str = ""  # a key, from outside to inside, and the value that turns all hooks off


class ClientRow(Value):
    is_agent: bool  # whether goalkeeper can start it; its hooks are served in any case
    # Its payloads hold these fields, or name this event. Words between bars are alternatives.
    payload: str
    # These variables tell its children which session they belong to. The first is in use.
    sessions: tuple[str, ...]
    # Besides those of its session it sets these variables for its processes, and people do not set
    # them in their shells. Editors set some of its private ones for terminals of people.
    markers: str = ""
    # These variables make another client believe that it is part of this session; * is any rest.
    private: str = ""
    settings: ClientSettings = ClientSettings()


# Later clients copy the fields of earlier ones and add their own, so where several rows fit a
# payload, the last one counts. The first row has no marks, because others copy its payloads.
CLIENTS: dict[str, ClientRow] = {
    "claude": ClientRow(
        is_agent=True,
        payload="",
        sessions=("CLAUDE_CODE_SESSION_ID",),
        markers="CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH "
        "CLAUDE_CODE_SESSION_ATTENDED CLAUDE_PID",
        private="CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH "
        "CLAUDE_CODE_MESSAGING_* CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID "
        "CLAUDE_CODE_SSE_PORT CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PID CLAUDE_PLUGIN_* "
        "CLAUDE_PROJECT_DIR CLAUDE_SESSION_ID",
        settings=ClientSettings(
            ".claude",
            "CLAUDE_CONFIG_DIR",
            files=("settings.json", "skills/goalkeeper/hooks/hooks.json"),
            in_project=(".claude/settings.json", ".claude/settings.local.json"),
            switch="disableAllHooks true",
        ),
    ),
    "codex": ClientRow(
        is_agent=True,
        payload="turn_id model",
        sessions=("CODEX_THREAD_ID", "CODEX_SESSION_ID"),
        markers="CODEX_CI CODEX_MANAGED_BY_BUN CODEX_MANAGED_BY_NPM CODEX_MANAGED_PACKAGE_ROOT "
        "CODEX_PERMISSION_PROFILE CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_TOOL_CALL_ID",
        private="CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS CODEX_CI CODEX_MANAGED_* CODEX_NETWORK_* "
        "CODEX_PERMISSION_PROFILE CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_SESSION_ID "
        "CODEX_THREAD_ID CODEX_TOOL_CALL_ID CODEX_VERSION",
        settings=ClientSettings(
            ".codex",
            "CODEX_HOME",
            files=("config.toml", "hooks.json"),
            own=("config.toml",),
            in_project=(".codex/config.toml", ".codex/hooks.json"),
            switch="features hooks false",
        ),
    ),
    "gemini": ClientRow(
        is_agent=True,
        payload="BeforeAgent | AfterAgent | BeforeTool",
        sessions=("GEMINI_SESSION_ID",),
        markers="GEMINI_CLI GEMINI_CWD GEMINI_PROJECT_DIR GEMINI_PTY_INFO",
        private="GEMINI_CLI GEMINI_CLI_IDE_* GEMINI_CLI_NO_RELAUNCH GEMINI_CWD GEMINI_PROJECT_DIR "
        "GEMINI_PTY_INFO GEMINI_SESSION_ID",
        settings=ClientSettings(
            ".gemini",
            "GEMINI_CLI_HOME",
            below=".gemini",
            files=(
                "settings.json",
                "extensions/goalkeeper/hooks/hooks.json",
                "extensions/extension-enablement.json",
            ),
            in_project=(".gemini/settings.json",),
            switch="hooksConfig enabled false",
        ),
    ),
    "opencode": ClientRow(
        is_agent=True,
        payload="sessionID",
        sessions=("OPENCODE_SESSION_ID",),
        markers="OPENCODE OPENCODE_PID OPENCODE_RUN_ID",
        private="OPENCODE OPENCODE_PID OPENCODE_RUN_ID OPENCODE_SESSION_ID",
        settings=ClientSettings(
            ".config/opencode",
            "XDG_CONFIG_HOME",
            below="opencode",
            files=("plugins/goalkeeper.js", "opencode.json", "opencode.jsonc"),
            in_project=(".opencode/plugins/goalkeeper.js", "opencode.json", "opencode.jsonc"),
        ),
    ),
    "copilot": ClientRow(
        is_agent=False,
        payload="sessionId | timestamp Stop | timestamp UserPromptSubmit",
        sessions=("COPILOT_SESSION_ID",),
        markers="COPILOT_CLI",
        settings=ClientSettings(
            ".copilot",
            "COPILOT_HOME",
            files=("config.json", "hooks/goalkeeper.json"),
            in_project=(".github/hooks/goalkeeper.json",),
            switch="disableAllHooks true",
        ),
    ),
    "cursor": ClientRow(
        is_agent=False,
        payload="cursor_version | conversation_id",
        sessions=("CURSOR_SESSION_ID",),
        markers="CURSOR_AGENT",
        settings=ClientSettings(
            ".cursor", files=("hooks.json",), in_project=(".cursor/hooks.json",)
        ),
    ),
}
AGENTS = tuple(name for name, row in CLIENTS.items() if row.is_agent)
