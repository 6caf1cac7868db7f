"""What a client waits for at every prompt and every stop, ours and others'."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench import peer_hooks
from bench.timing import measure, median, p95, table
from goalkeeper.wire.hold import parse_watch

SH = "sh -c :"
PYTHON = "python3 -I -S -c pass"
_SESSION = "bench"
_STOP = "goalkeeper: stop, idle"
_PROMPT = "goalkeeper: prompt, idle"
_PROMPT_1MB = "goalkeeper: prompt of 1 MB, idle"
_HELD = "goalkeeper: stop, held, from a stored verdict"
_OURS = {_STOP: "Stop", _PROMPT: "UserPromptSubmit", _PROMPT_1MB: "UserPromptSubmit", _HELD: "Stop"}
_OMC = {"oh-my-claudecode: prompt": "UserPromptSubmit", "oh-my-claudecode: stop": "Stop"}
_RALPH = "ralph-wiggum's way (bash, jq): stop"


def hooks(work: Path, goalkeeper: str, *, rounds: int) -> str:
    bench = _Bench(work / "hooks", goalkeeper)
    cases = bench.cases()
    seconds = measure(
        cases,
        rounds=rounds,
        cwd={name: bench.cwd(name) for name in cases},
        env={name: bench.environ(name) for name in cases},
        before={_HELD: bench.hold_again},
        stdin={name: bench.given(name) for name in cases},
    )
    shell, python = median(seconds[SH]), median(seconds[PYTHON])
    against = {
        _STOP: ("2.5×", shell), _PROMPT: ("5×", shell), _PROMPT_1MB: ("10×", shell),
        _HELD: ("2.5×", python),
    }  # fmt: skip
    rows = [
        [
            name,
            f"{1000 * median(took):.2f}",
            f"{1000 * p95(took):.2f}",
            _ratio(median(took), *against[name], SH if against[name][1] is shell else PYTHON)
            if name in against
            else _slower(name, seconds),
        ]
        for name, took in seconds.items()
    ]
    return table(["hook", "median ms", "p95 ms", ""], rows)


def _ratio(took: float, limit: str, floor: float, name: str) -> str:
    return f"{took / floor:.2f}× of `{name}`, limit {limit}"


def _slower(name: str, seconds: dict[str, list[float]]) -> str:
    ours = _PROMPT if "prompt" in name else _STOP
    if name in (SH, PYTHON):
        return ""
    return f"ours is {median(seconds[name]) / median(seconds[ours]):.0f}× faster"


class _Bench:
    """A repository, goalkeeper installed for Claude Code, and two homes: in one a session is held.

    So what is idle stays idle while the other is measured in turns with it.
    """

    def __init__(self, place: Path, goalkeeper: str) -> None:
        self._place = place
        self._goalkeeper = goalkeeper
        self.repository = place / "repository"
        self.repository.mkdir(parents=True)
        self._commit()
        self._homes = {name: place / name for name in ("idle", "held")}
        for home in self._homes.values():
            home.mkdir()
            self._run([goalkeeper, "install", "claude"], home)
        told = self._homes["idle"] / ".claude/skills/goalkeeper/hooks/hooks.json"
        self._commands = {
            event: groups[0]["hooks"][0]["command"]
            for event, groups in json.loads(told.read_bytes())["hooks"].items()
        }
        self._write("prompt", "UserPromptSubmit", prompt="Please fix the tests.")
        self._write("big", "UserPromptSubmit", prompt="Please fix the tests. " * 48000)
        self._write("stop", "Stop", stop_hook_active=False, last_assistant_message="done")
        self._ralph = peer_hooks.ralph(place / "ralph")
        self._hold()

    def _commit(self) -> None:
        (self.repository / "Makefile").write_text("test:\n\tfalse\n")
        for number in range(200):
            (self.repository / f"file{number}.py").write_text(f"NUMBER = {number}\n")
        who = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
            subprocess.run(["git", *who, *words], cwd=self.repository, check=True)

    def _write(self, name: str, event: str, **more: object) -> None:
        payload = {
            "session_id": _SESSION, "hook_event_name": event, "cwd": str(self.repository),
            "transcript_path": str(self._place / "ralph" / "transcript.jsonl"), "prompt_id": "p",
            "permission_mode": "default", **more,
        }  # fmt: skip
        (self._place / f"{name}.json").write_text(json.dumps(payload))

    def _run(self, argv: Sequence[str], home: Path, given: str = "") -> str:
        return subprocess.run(
            argv, cwd=self.repository, env=self._environ(home), input=given, check=True,
            stdout=subprocess.PIPE, text=True,
        ).stdout  # fmt: skip

    def _environ(self, home: Path) -> dict[str, str]:
        return {"HOME": str(home), "PATH": os.environ["PATH"]}

    def _hold(self) -> None:
        """Held, with a verdict about the files as they are, and one stop that was not let go."""
        home = self._homes["held"]
        session = ["--client", "claude", "--session", _SESSION]
        self._run([self._goalkeeper, "ulw", "on", *session], home, "Fix the tests.")
        hook, stop = ["sh", "-c", self._commands["Stop"]], self.given(_STOP).read_text()
        if '"block"' not in self._run(hook, home, stop):
            raise RuntimeError("a stop that is to be measured was not held")
        watch = home / f".local/state/goalkeeper/watch/claude-{_SESSION}"
        hold = Path(parse_watch(watch.read_text())[1])
        self._kept = {path: path.read_bytes() for path in (hold, watch)}

    def hold_again(self) -> None:
        """Every stop counts; the measured one is always the second."""
        for path, data in self._kept.items():
            path.write_bytes(data)

    def given(self, name: str) -> Path:
        if name in (SH, PYTHON):
            return Path(os.devnull)
        if name == _PROMPT_1MB:
            return self._place / "big.json"
        return self._place / ("prompt.json" if "prompt" in name else "stop.json")

    def environ(self, name: str) -> dict[str, str]:
        return self._environ(self._homes["held" if name == _HELD else "idle"])

    def cwd(self, name: str) -> Path:
        return self._place / "ralph" if name == _RALPH else self.repository

    def cases(self) -> dict[str, Sequence[str]]:
        found: dict[str, Sequence[str]] = {SH: ["sh", "-c", ":"]}
        for name, event in _OURS.items():
            found[name] = ["sh", "-c", self._commands[event]]
        peers = {name: peer_hooks.omc(event) for name, event in _OMC.items()}
        peers[_RALPH] = self._ralph
        found |= {name: ["sh", "-c", command] for name, command in peers.items() if command}
        python = shutil.which("python3", path="/usr/bin:/bin") or "python3"
        return {**found, PYTHON: [python, "-I", "-S", "-c", "pass"]}
