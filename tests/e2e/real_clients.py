"""Real clients in a home of their own, each with a model on loopback that follows a script."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bench.lean import lean_python
from tests.clients import QUIET

KEY = "sk-test-dummy"


class Client(NamedTuple):
    """How a client runs a command of the shell for its model."""

    name: str
    tool: str
    argument: str
    more: Mapping[str, str]
    model: str = ""  # to be named; empty: as its settings say

    def shell(self, command: str) -> dict[str, object]:
        return {"tool": self.tool, "input": {self.argument: command, **self.more}}


CLIENTS = {
    "claude": Client("claude", "Bash", "command", {"description": "work"}, "claude-sonnet-5-5"),
    "codex": Client("codex", "exec_command", "cmd", {}),
    "gemini": Client("gemini", "run_shell_command", "command", {"description": "work"}),
    "opencode": Client("opencode", "bash", "command", {"description": "work"}),
}


def surroundings(name: str, url: str, home: Path, program: Path) -> dict[str, str]:
    """The environment of a user of this client; what the client keeps lies below the home."""
    temporary = home / "tmp"
    temporary.mkdir(parents=True)
    plain = {
        "PATH": f"{program.parent}:{lean_python()}:{os.environ['PATH']}",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }
    return plain | QUIET[name] | _OWN[name](url, home)


def _claude(url: str, _home: Path) -> dict[str, str]:
    return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}


def _codex(url: str, home: Path) -> dict[str, str]:
    config = home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(
        f"""
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[features]
plugins = false
"""
    )
    return {"SCRIPTED_KEY": KEY}


def _gemini(url: str, home: Path) -> dict[str, str]:
    settings = home / ".gemini/settings.json"
    settings.parent.mkdir()
    settings.write_text(
        json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "general": {"enableAutoUpdate": False},
                "privacy": {"usageStatisticsEnabled": False},
                "telemetry": {"enabled": False},
            }
        )
    )
    return {
        "GEMINI_API_KEY": KEY,
        "GEMINI_MODEL": "gemini-2.5-pro",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _opencode(url: str, _home: Path) -> dict[str, str]:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 200000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "{env:SCRIPTED_KEY}"},
        "models": {"scripted": model},
    }
    config = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
    }
    return {"SCRIPTED_KEY": KEY, "OPENCODE_CONFIG_CONTENT": json.dumps(config)}


_OWN = {"claude": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode}
