"""Where a real client is driven: a home of its own, a worktree, and a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from goalkeeper.clients.client import Activity, Asked, Launch
from goalkeeper.clients.table import find_client
from goalkeeper.core.drive.phases import Record
from goalkeeper.wire.value import Value
from tests.clients import QUIET

KEY = "made-up-key"


class Ran(Value):
    out: bytes
    err: bytes
    exit_code: int | None  # None: it was ended by us
    activities: tuple[Activity, ...]
    record: Record


class Stage:
    def __init__(self, name: str, program: Path, place: Path, url: str) -> None:
        self.client = find_client(name)
        self.place = place
        self.worktree = place / "worktree"
        self.home = place / "home"
        for folder in (self.worktree, self.home, place / "tmp"):
            folder.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", self.worktree], check=True)
        self.environ = {
            "PATH": os.pathsep.join([str(program.parent), *_host_path()]),
            "HOME": str(self.home),
            "TMPDIR": str(place / "tmp"),
            "LANG": "C.UTF-8",
            **QUIET[name],
            **_SETTINGS[name](self.home, url),
        }

    def subscribe(self) -> None:
        """Log Claude Code in with an account instead of a key."""
        self.environ["CLAUDE_CODE_OAUTH_TOKEN"] = self.environ.pop("ANTHROPIC_API_KEY")

    def asked(self, *, resume: str = "", model: str = "", microdollars: int = 0) -> Asked:
        model = model or _MODELS.get(self.client.name, "")
        return Asked(str(self.worktree), str(uuid4()), resume, model, microdollars)

    def run(self, asked: Asked, prompt: bytes, *, seconds: float = 60) -> Ran:
        """To its end; or to ours, after so long."""
        given = self.place / "prompt"
        given.write_bytes(prompt)
        launch = self.client.launch(asked, self.environ)
        out, err = self.place / "out", self.place / "err"
        child = _started(launch, asked, given, out, err)
        code = _exit_code(child, seconds)
        reader = self.client.make_reader()
        heard = [reader.read_line(line) for line in out.read_bytes().split(b"\n")]
        record = reader.make_record(exit_code=code, errors=err.read_bytes()[-65536:])
        activities = tuple(activity for activity in heard if activity)
        return Ran(out.read_bytes(), err.read_bytes(), code, activities, record)


def _started(
    launch: Launch, asked: Asked, given: Path, out: Path, err: Path
) -> subprocess.Popen[bytes]:
    with (
        open(given, "rb") as prompt,
        open(out, "wb") as printed,
        open(err, "wb") as errors,
    ):
        return subprocess.Popen(
            launch.argv,
            cwd=asked.worktree,
            env=launch.env,
            stdin=prompt,
            stdout=printed,
            stderr=errors,
            start_new_session=True,
        )


def _exit_code(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _host_path() -> list[str]:
    """Where node, git and a shell are, and nothing of the developer's."""
    found = [shutil.which(name) for name in ("node", "git", "sh")]
    return list(dict.fromkeys(os.path.dirname(place) for place in found if place))


# What each client must be told to speak to the scripted model and to nobody else.


def _claude(home: Path, url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_MAX_RETRIES": "1",
    }


def _codex(home: Path, url: str) -> Mapping[str, str]:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        f"""
        model_provider = "scripted"
        check_for_update_on_startup = false
        [model_providers.scripted]
        name = "scripted"
        base_url = "{url}/v1"
        env_key = "SCRIPTED_KEY"
        wire_api = "responses"
        request_max_retries = 0
        stream_max_retries = 1
        [analytics]
        enabled = false
        [features]
        plugins = false
        """
    )
    return {"SCRIPTED_KEY": KEY}


def _gemini(home: Path, url: str) -> Mapping[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url}


def _opencode(home: Path, url: str) -> Mapping[str, str]:
    model = {"name": "m", "tool_call": True, "limit": {"context": 200_000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "{env:SCRIPTED_KEY}"},
        "models": {"m": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "small_model": "scripted/m",
        "provider": {"scripted": provider},
    }
    return {"SCRIPTED_KEY": KEY, "OPENCODE_CONFIG_CONTENT": json.dumps(settings)}


_SETTINGS: Mapping[str, Callable[[Path, str], Mapping[str, str]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}
# Claude Code has a default that it can price; the others are told a name that they know.
_MODELS = {"codex": "gpt-5.5", "gemini": "gemini-2.5-pro", "opencode": "scripted/m"}
