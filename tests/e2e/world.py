"""A repository of its own, and the command in it: in this process, or as one of its own."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Hashable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from goalkeeper.app.ports import Clock
from goalkeeper.bootstrap import now
from goalkeeper.witness.isolation import explain_no_sandbox
from tests.in_process import run_in_process
from tests.prepared import prepare
from tests.trusting import trust_settings

COMMAND = Path(sys.executable).parent / "goalkeeper"
PLAIN_PATH = "/usr/bin:/bin"

# The brief of the seed, word for word.
THREE_STORIES = """\
Shared brief constraints / context go here (optional preamble).

@goal: Parse the intake CSVs
Ingest reviewer CSVs from the watch dir, validate headers, and reject
malformed rows with a per-row reason. Objectives can span multiple lines
and contain `code`, "quotes", or commands — no escaping needed.

@goal: Normalize records
Map raw rows onto the canonical schema and dedupe by record id.

@goal: Export the audit report
Emit an audit-ready report covering every accepted and rejected row.
"""

Word = str | bytes | Path
Env = Mapping[str, str | bytes]


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        """The one JSON document on stdout; anything more or less is an error."""
        return json.loads(self.out)

    @property
    def reason(self) -> str:
        """The code of the refusal or error in the JSON document."""
        assert self.json["ok"] is False
        reason: str = self.json["error"]["code"]
        return reason

    @property
    def hint(self) -> str:
        hint: str = self.json["error"]["hint"]
        return hint


class World:
    clock: Clock = staticmethod(now)
    trusts = True  # whoever sits here has written config.toml

    def __init__(self, place: Path, *, git: bool = True, key: tuple[Hashable, ...] = ()) -> None:
        """Make the folders; `key` says what `build` puts into a repository of this class."""
        self.root = place / "repository"
        self.home = place / "home"
        self.root.mkdir(parents=True)
        self.home.mkdir()
        self.state = self.root / ".goalkeeper"
        if git:
            prepare(self.root, (type(self), *key), self.build)

    def trust_settings(self) -> None:
        """Confirm the settings that the test wrote, as their author would."""
        if self.trusts:
            trust_settings(self.root, {"HOME": str(self.home)})

    def build(self) -> None:
        self.git("init", "--quiet", "--initial-branch=main", "--template=")

    def run(
        self,
        *args: Word,
        env: Env | None = None,
        input: bytes = b"",  # noqa: A002  as subprocess names it
        cwd: Path | None = None,
    ) -> Answer:
        """Run the command in this process."""
        done = run_in_process(
            args, cwd=cwd or self.root, environ=self.environ(env), input=input, clock=self.clock
        )
        return Answer(done.code, done.out.decode(), done.err.decode())

    def run_process(
        self,
        *args: Word,
        env: Env | None = None,
        input: bytes = b"",  # noqa: A002  as subprocess names it
        cwd: Path | None = None,
    ) -> Answer:
        """Run the installed command as a process, for what only a process shows."""
        done = subprocess.run(
            [COMMAND, *args],
            cwd=cwd or self.root,
            env=self.environ(env),
            input=input,
            capture_output=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def ok(self, *args: Word, env: Env | None = None, cwd: Path | None = None) -> Any:  # noqa: ANN401  JSON
        """What a command answers with --json when it must succeed."""
        answer = self.run(*args, "--json", env=env, cwd=cwd)
        assert (answer.code, answer.err) == (0, ""), answer
        assert answer.json["ok"] is True
        return answer.json

    def refused(self, *args: Word, env: Env | None = None) -> str:
        """Why a command says no: exit code 1, one document, nothing on stderr."""
        answer = self.run(*args, "--json", env=env)
        assert (answer.code, answer.err) == (1, ""), answer
        return answer.reason

    def on_terminal(
        self, *args: Word, keys: bytes = b"", env: Env | None = None, errors_too: bool = False
    ) -> Answer:
        """The command with a real terminal for input and output, and `keys` typed ahead."""
        outer, inner = pty.openpty()
        os.write(outer, keys)
        errors = self.home.parent / "stderr"
        with errors.open("wb") as err:
            process = subprocess.Popen(
                [COMMAND, *args],
                cwd=self.root,
                env=self.environ({"TERM": "xterm-256color", **(env or {})}),
                stdin=inner,
                stdout=inner,
                stderr=inner if errors_too else err,
                start_new_session=True,
            )
        os.close(inner)
        shown = _all_of(outer)
        os.close(outer)
        return Answer(process.wait(), shown.decode().replace("\r\n", "\n"), errors.read_text())

    def environ(self, more: Env | None = None) -> dict[str, str | bytes]:
        """Nothing of the developer's: no agent, no session, no locale."""
        self.trust_settings()
        plain = {"PATH": PLAIN_PATH, "HOME": str(self.home), "LANG": "C.UTF-8", "TZ": "UTC"}
        return {**plain, **(more or {})}

    def git(self, *args: Word, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.root, check=True, capture_output=True, text=True
        )
        return done.stdout

    def plan(self, brief: str = THREE_STORIES, *more: str, env: Env | None = None) -> str:
        """A new plan; its run id."""
        run_id: str = self.ok(
            "create-goals", "--gate", "standard", "--brief", brief, *more, env=env
        )["run_id"]
        return run_id

    def plan_without_base(self, brief: str = THREE_STORIES) -> Answer:
        """A new plan where git cannot say where work begins; the answer, which warns of it."""
        answer = self.run("create-goals", "--brief", brief, "--json")
        assert (answer.code, len(answer.json["warnings"])) == (0, 1), answer
        return answer

    def start(self) -> str:
        """Start the next goal; its id."""
        goal_id: str = self.ok("complete-goals")["goal_id"]
        return goal_id

    def checkpoint(self, goal_id: str, status: str, evidence: str = "seen") -> Any:  # noqa: ANN401  JSON
        return self.ok(
            "checkpoint", "--goal-id", goal_id, "--status", status, "--evidence", evidence
        )

    def blocked(self, *, human: bool = False) -> str:
        """Start the next goal and block it; its id."""
        goal_id = self.start()
        self.checkpoint(goal_id, "blocked", "no access")
        if human:
            classify = ("classify-blocker", "--classification", "human_blocked")
            self.ok(*classify, "--goal-id", goal_id, "--evidence", "needs the production key")
        return goal_id

    def goals(self) -> dict[str, Any]:
        """The goals by id, in the order of the plan."""
        return {goal["id"]: goal for goal in self.ok("status")["goals"]}

    def statuses(self) -> dict[str, str]:
        return {goal_id: goal["status"] for goal_id, goal in self.goals().items()}

    def events(self, kind: str = "") -> list[Any]:
        """What the ledger file says happened, read without the command."""
        (ledger,) = self.state.glob("runs/*/ledger.jsonl")
        events = [json.loads(line) for line in ledger.read_text().splitlines()]
        return [event for event in events if kind in {"", event["kind"]}]

    def bytes_of_state(self) -> dict[str, str]:
        """A digest of every file of the state; locks, which name their last holder, apart."""
        return {
            path.relative_to(self.root).as_posix(): sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.state.rglob("*"))
            if path.is_file() and path.name not in {"lock", ".lock"}
        }


def remember_sandbox(home: Path) -> None:
    """Try the sandbox once in this process, not in each that will have this home."""
    explain_no_sandbox({"PATH": PLAIN_PATH, "HOME": str(home)})


def _all_of(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that nobody holds the other side any more
            return shown
        shown += more


def plan_in(place: Path) -> World:
    """Make a repository with the seed's three-story plan, nothing started."""
    world = World(place)
    world.plan()
    return world


def tree(place: Path) -> dict[str, bytes]:
    """Every file of a repository, git's own left out."""
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(place).parts
    }
