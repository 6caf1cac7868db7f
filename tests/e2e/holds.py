"""Sessions of clients in a repository, each event through the command line that was installed.

What a client reads decides what is run: `goalkeeper install` writes it, and nothing here knows
how the line looks. Payloads are those that were recorded from the clients, or are documented.
"""

import fcntl
import json
import os
import select
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from goalkeeper.wire.hold import dump, load
from tests.e2e.world import COMMAND, PLAIN_PATH, World, remember_sandbox
from tests.fault.rig import wait_until
from tests.in_process import run_in_process
from tests.patience import patience

CLIENTS = ("claude", "codex", "gemini", "opencode", "copilot", "cursor")
CHECK = "echo looking at answer.txt\ngrep -q good answer.txt\n"
TEST = "def test_it():\n    assert True\n"
DEADLINE_SECONDS = 60.0
_TICK_NS = 100_000_000

# Where each client looks, below the home.
_FILES = {
    "claude": ".claude/skills/goalkeeper/hooks/hooks.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/extensions/goalkeeper/hooks/hooks.json",
    "copilot": ".copilot/hooks/goalkeeper.json",
    "cursor": ".cursor/hooks.json",
}
_SHIM = ".config/opencode/plugins/goalkeeper.js"
_SETTINGS = ".claude/settings.json"
_OPENCODE_KINDS = {
    "chat.message": "prompt",
    "session.idle": "stop",
    "session.error": "failure",
    "session.compacting": "compact",
    "tool.execute.before": "tool",
}

# What each client calls a prompt, a stop, the use of a tool.
PROMPT = dict(zip(CLIENTS, ("UserPromptSubmit", "UserPromptSubmit", "BeforeAgent", "chat.message",
                            "UserPromptSubmit", "beforeSubmitPrompt"), strict=True))  # fmt: skip
STOP = dict(zip(CLIENTS, ("Stop", "Stop", "AfterAgent", "session.idle", "Stop", "stop"),
                strict=True))  # fmt: skip
TOOL = dict(zip(CLIENTS, ("PreToolUse", "PreToolUse", "BeforeTool", "tool.execute.before",
                          "PreToolUse", "preToolUse"), strict=True))  # fmt: skip


class Said(NamedTuple):
    """What a hook printed; its exit code is 0 and stderr empty, always."""

    out: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        """The one JSON document; what a client takes for nothing is an empty one."""
        return json.loads(self.out or "{}")

    @property
    def block(self) -> str:
        """Why the agent has to go on; empty: it may stop."""
        told = self.json
        if told.get("decision") in {"block", "deny"}:
            reason: str = told["reason"]
            return reason
        return str(told.get("followup_message") or told.get("block") or "")

    @property
    def notice(self) -> str:
        return str(self.json.get("systemMessage") or self.json.get("notice") or "")

    @property
    def context(self) -> str:
        specific = self.json.get("hookSpecificOutput", {}).get("additionalContext")
        return str(specific or self.json.get("additionalContext") or self.json.get("context") or "")

    @property
    def denied(self) -> str:
        told = self.json
        specific = told.get("hookSpecificOutput", {})
        for where in (specific, told):
            if where.get("permissionDecision") == "deny":
                return str(where["permissionDecisionReason"])
        is_cursors = told.get("permission") == "deny"
        return str(told["agent_message"] if is_cursors else told.get("deny") or self.block)


@cache
def installed() -> Mapping[tuple[str, str], str]:
    """The command line for each event of each client, out of the files that the clients read."""
    with TemporaryDirectory() as place:
        env = {"HOME": place, "PATH": PLAIN_PATH}
        for client in CLIENTS:
            done = run_in_process(("install", client), cwd=Path(place), environ=env)
            assert done.code == 0, done
        found = {}
        for client, path in _FILES.items():
            for event, entries in json.loads(Path(place, path).read_bytes())["hooks"].items():
                (entry,) = entries
                (hook,) = entry.get("hooks", [entry])
                found[client, event] = hook.get("command") or hook["bash"]
        line = json.loads(Path(place, _SETTINGS).read_bytes())["statusLine"]
        found["claude", "Status"] = line["command"]
        shim = Path(place, _SHIM).read_text()
        (hook,) = [line for line in shim.splitlines() if line.startswith("const HOOK = ")]
        for event, kind in _OPENCODE_KINDS.items():
            line = json.loads(hook.removeprefix("const HOOK = "))
            found["opencode", event] = line.replace("@KIND@", kind)
        return found


class Held(World):
    """A repository whose check fails, and the sessions of clients in it."""

    def __init__(
        self,
        place: Path,
        hold: str = "cooldown = 0",
        *,
        verify: str = '[["sh", "check.sh"]]',
        files: Mapping[str, str] | None = None,
    ) -> None:
        given = {"check.sh": CHECK, "answer.txt": "bad\n", "tests/test_it.py": TEST}
        self.files = {**given, **(files or {})}
        self.hold_settings, self.verify_commands = hold, verify
        super().__init__(place, key=(hold, verify, *sorted(self.files.items())))
        self.watches = self.home / ".local/state/goalkeeper/watch"
        self.log = self.home / ".local/state/goalkeeper/hooks.log"
        remember_sandbox(self.home)
        self._living: list[int] = []
        self._stops = 0

    def build(self) -> None:
        super().build()
        self.configure(self.hold_settings, self.verify_commands)
        for name, text in self.files.items():
            self.write(name, text)
        self.commit()

    def configure(self, hold: str, verify: str = '[["sh", "check.sh"]]') -> None:
        text = f"version = 1\n[verify]\ncommands = {verify}\n[hold]\n{hold}\n"
        self.write(".goalkeeper/config.toml", text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "base")

    def prompt(self, text: str, client: str = "claude", session: str = "s1", **told: Any) -> Said:  # noqa: ANN401  as a client gives it
        return self.hook(client, PROMPT[client], session, prompt=text, **told)

    def stop(self, client: str = "claude", session: str = "s1", **told: Any) -> Said:  # noqa: ANN401  as above
        """A stop that is like no other, as far as the client tells them apart."""
        self._stops += 1
        different = {_DIFFERS[client]: f"stop {self._stops}"} if client in _DIFFERS else {}
        return self.hook(client, STOP[client], session, **{**different, **told})

    def tool(self, name: str, given: Mapping[str, str], client: str = "claude") -> Said:
        return self.hook(client, TOOL[client], tool_name=name, tool_input=given)

    def arm(self, client: str = "claude", session: str = "s1") -> None:
        """Hold a session, and let the proof that begins with it end."""
        self.prompt("ulw mend the answer", client, session)
        self.settle()
        assert self.hold(client, session)["blocks"] == 0
        assert self.is_watched(client, session)

    def mend(self) -> None:
        """Do what the check wants."""
        self.write("answer.txt", "good\n")

    def work(self, *, number: int) -> None:
        """Change the tree, and mend nothing."""
        self.write("notes.txt", f"attempt {number}\n")

    def rest(self) -> None:
        """Wait until the times of the files are old enough to tell them from later ones."""
        places = (self.root, self.root / "tests")
        newest = max(path.stat().st_ctime_ns for place in places for path in place.iterdir())
        wait_until(lambda: time.time_ns() > newest + _TICK_NS, "a tick of the clock")

    def hold(self, client: str = "claude", session: str = "s1") -> Any:  # noqa: ANN401  JSON
        """What is on disk about a session; its counts and limits beside the rest."""
        told = json.loads(self.hold_file(client, session).read_bytes())["hold"]
        return {**told, **told["counts"], **told["limits"]}

    def hold_file(self, client: str = "claude", session: str = "s1") -> Path:
        return self.state / "hold" / f"{client}-{session}.json"

    def rewrite(self, client: str = "claude", session: str = "s1", **changes: Any) -> None:  # noqa: ANN401  as on disk
        """Change what is on disk, as only who has the key can."""
        path = self.hold_file(client, session)
        key = (self.watches.parent / "hold.key").read_bytes()
        hold = load(path.read_bytes(), key)
        for part in ("counts", "limits"):
            old = getattr(hold, part)
            new = {name: changes.pop(name) for name in old.as_dict().keys() & changes.keys()}
            hold = hold.replace(**{part: old.replace(**new)})
        path.write_bytes(dump(hold.replace(**changes), key))

    def is_watched(self, client: str = "claude", session: str = "s1") -> bool:
        return (self.watches / f"{client}-{session}").exists()

    def hook(
        self,
        client: str,
        event: str,
        session: str = "s1",
        *,
        env: Mapping[str, str] | None = None,
        line: str = "",
        **told: object,
    ) -> Said:
        """One event of a client; what is told stands in the payload."""
        payload = {**self.payload(client, event, session), **told}
        return self.send(client, event, json.dumps(payload).encode(), session, env=env, line=line)

    def send(
        self,
        client: str,
        event: str,
        payload: bytes,
        session: str = "s1",
        *,
        env: Mapping[str, str] | None = None,
        line: str = "",
    ) -> Said:
        """These bytes to the client's command for that event."""
        process = self.begin(client, event, session, env=env, line=line)
        return heard(process, payload)

    def begin(
        self,
        client: str,
        event: str,
        session: str = "s1",
        *,
        env: Mapping[str, str] | None = None,
        line: str = "",
        stdout: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        """The command, waiting for its payload; `line` in place of the installed one."""
        self.trust_settings()
        living, held = os.pipe()
        self._living.append(living)
        process = subprocess.Popen(
            ["sh", "-c", line or installed()[client, event]],
            cwd=self.root,
            env={**self.surroundings(client, session), **(env or {})},
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=(held,),  # whatever is left running has it open, too
        )
        os.close(held)
        return process

    def surroundings(self, client: str, session: str) -> dict[str, str]:
        """What a client's hooks find in their environment."""
        plain = {"HOME": str(self.home), "PATH": PLAIN_PATH}
        if client == "claude":
            return {**plain, "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session}
        return {**plain, "GEMINI_SESSION_ID": session} if client == "gemini" else plain

    def settle(self) -> None:
        """Wait for all that hooks have left running."""
        for living in self._living:
            ended, _, _ = select.select([living], [], [], patience(DEADLINE_SECONDS))
            assert ended, "something runs on and on"
            os.close(living)
        self._living.clear()

    def payload(self, client: str, event: str, session: str) -> dict[str, object]:
        here = {"hook_event_name": event, "cwd": str(self.root)}
        told = _PAYLOADS[client] | (_AT_STOP[client] if event == STOP[client] else {})
        return {_SESSION.get(client, "session_id"): session, **here, **told}

    @contextmanager
    def locking(self, client: str = "claude", session: str = "s1") -> Iterator[None]:
        """Somebody else has the lock meanwhile."""
        with open(self.watches / f".{client}-{session}.lock", "rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def in_a_shell(self, command: str, environ: Mapping[str, str]) -> str:
        """What is printed there, on whichever stream."""
        path = f"{COMMAND.parent}:{PLAIN_PATH}"
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.root, env={**environ, "PATH": path}, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        return done.stdout

    def keep(self) -> None:
        """What `restore` goes back to."""
        self.settle()
        kept = self.root.parent / "kept"
        shutil.copytree(self.root, kept / "repository", ignore=shutil.ignore_patterns(".git"))
        shutil.copytree(self.watches, kept / "watch")

    def restore(self) -> None:
        """Back to what was kept. What nobody touched is left as it is, to its very time."""
        self.settle()
        kept = self.root.parent / "kept"
        _mirror(kept / "repository", self.root)
        _mirror(kept / "watch", self.watches)
        self.log.unlink(missing_ok=True)


def _mirror(kept: Path, place: Path) -> None:
    place.mkdir(exist_ok=True)
    for found in place.iterdir():
        original = kept / found.name
        if found.name != ".git" and _kind(found) != _kind(original):
            shutil.rmtree(found) if _kind(found) == stat.S_IFDIR else found.unlink()
    for original in kept.iterdir():
        found = place / original.name
        if original.is_dir():
            _mirror(original, found)
        elif not found.exists() or found.read_bytes() != original.read_bytes():
            shutil.copy2(original, found)


def _kind(path: Path) -> int:
    return stat.S_IFMT(path.lstat().st_mode) if os.path.lexists(path) else 0


def heard(process: subprocess.Popen[bytes], payload: bytes | None = None) -> Said:
    """What it answers; it never fails, and never says anything on stderr."""
    out, err = process.communicate(payload, patience(DEADLINE_SECONDS))
    assert (process.returncode, err) == (0, b""), (process.returncode, out, err)
    return Said(out.decode())


_SESSION = {"cursor": "conversation_id", "opencode": "sessionID"}
_PAYLOADS: dict[str, dict[str, object]] = {
    "claude": {"transcript_path": "/t", "permission_mode": "default"},
    "codex": {
        "turn_id": "t1", "transcript_path": None, "model": "m", "permission_mode": "default",
    },
    "gemini": {"transcript_path": "/t", "timestamp": "2026-11-15T00:06:59.186Z"},
    "opencode": {"messageID": "msg_1"},
    "copilot": {"transcript_path": "/t", "timestamp": "2026-11-15T00:06:59.186Z"},
    "cursor": {
        "generation_id": "g1", "model": "m", "cursor_version": "3.1.0", "workspace_roots": [],
        "user_email": None, "transcript_path": None,
    },
}  # fmt: skip
_DIFFERS = {
    "claude": "last_assistant_message",
    "codex": "last_assistant_message",
    "gemini": "prompt_response",
    "cursor": "generation_id",
    "opencode": "messageID",
}
_AT_STOP: dict[str, dict[str, object]] = {
    "claude": {
        "stop_hook_active": False, "last_assistant_message": "hm", "background_tasks": [],
        "session_crons": [],
    },
    "codex": {"stop_hook_active": False, "last_assistant_message": None},
    "gemini": {"prompt": "go on", "prompt_response": "hm", "stop_hook_active": False},
    "opencode": {},
    "copilot": {"stop_reason": "end_turn", "stop_hook_active": False},
    "cursor": {"status": "completed", "loop_count": 0},
}  # fmt: skip
