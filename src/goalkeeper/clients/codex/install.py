"""What Codex is given: hooks and skills. It runs hooks only after the user has trusted them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from threading import Timer
from typing import Any

from goalkeeper.clients.install import parts
from goalkeeper.clients.install.parts import ClientInstall, MergedFile, OwnFile, Parts, Setting
from goalkeeper.clients.install.trial import end_group

NAME = "codex"
_TRUST = "start codex, open /hooks and trust goalkeeper's hooks: until then codex skips them"
_ANSWER_SECONDS = 30
_LIST = 2
_US = {"name": "goalkeeper", "title": "goalkeeper", "version": "1"}


def install_for_user(setting: Setting) -> Parts:
    base = setting.place("CODEX_HOME", ".codex")
    return Parts(_make_files(base, setting.home, setting), _TRUST)


def install_for_project(setting: Setting) -> Parts:
    base = os.path.join(setting.root, ".codex")
    files = _make_files(base, setting.root, setting)
    return Parts(files, f"{_TRUST}; {parts.warn_of_commit('.codex/hooks.json')}")


def _make_files(base: str, above: str, setting: Setting) -> tuple[OwnFile | MergedFile, ...]:
    hooks = parts.merge_hooks(os.path.join(base, "hooks.json"), parts.make_groups(NAME, setting))
    return (
        hooks,
        *parts.place_files(os.path.join(above, ".agents"), parts.list_skills("goalkeeper-")),
    )


def ask_trust(program: str, cwd: str, environ: Mapping[str, str]) -> str:
    """Ask whether Codex trusts our hooks. It does not run the hooks that it does not list."""
    statuses = list_statuses(program, cwd, environ)
    if statuses is None:
        return "unknown"
    return "yes" if statuses and all(each == "trusted" for each in statuses) else "no"


def list_statuses(program: str, cwd: str, environ: Mapping[str, str]) -> list[str] | None:
    """Return what Codex says of each of our hooks, in its own words; None if it does not say."""
    try:
        with subprocess.Popen(
            [program, "app-server"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, encoding="utf-8", bufsize=1, start_new_session=True,
        ) as server:  # fmt: skip
            watchdog = Timer(_ANSWER_SECONDS, end_group, [server])
            watchdog.start()
            try:
                return _ask_server(server, cwd)
            finally:
                watchdog.cancel()
                end_group(server)
    except OSError:
        return None


def _ask_server(server: subprocess.Popen[str], cwd: str) -> list[str] | None:
    requests = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": _US}},
        {"method": "initialized"},
        {"id": _LIST, "method": "hooks/list", "params": {"cwds": [cwd]}},
    ]
    if server.stdin is None or server.stdout is None:
        return None
    server.stdin.writelines(json.dumps(each) + "\n" for each in requests)
    for line in server.stdout:
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict) and told.get("id") == _LIST:
            return read_statuses(told.get("result"))
    return None


def read_statuses(result: Any) -> list[str] | None:  # noqa: ANN401  JSON
    """Return None for an answer that we do not know; empty if Codex lists none of our hooks."""
    try:
        listed = [hook for place in result["data"] for hook in place["hooks"]]
        return [str(hook["trustStatus"]) for hook in listed if parts.FRONT in str(hook["command"])]
    except (KeyError, TypeError):
        return None


INSTALL = ClientInstall(
    NAME,
    {"user": install_for_user, "project": install_for_project},
    ask_trust=ask_trust,
    trust_hint="codex, then /hooks",
)
