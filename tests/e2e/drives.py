"""Rehearsals driven by `goalkeeper run`, and what they came to."""

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from goalkeeper.clients.spawn import list_marked
from tests.doubles import MISHAPS
from tests.e2e.project import BROKEN, IS_FIXED, Contract, Files, Project, contract, criterion, story
from tests.e2e.world import COMMAND, Env

Act = Mapping[str, object]
Acts = Sequence[Act]
Script = Mapping[str, Acts | Mapping[str, Acts]]

# The sandbox is the witness's affair, and nobody has time to wait.
USUAL = {"--isolation": "checkout", "--backoff": "0"}
_HEAD = re.compile(r"^# Run (\S+): ([a-z-]+)(?:: (.*))?$", re.MULTILINE)
_NEXT = re.compile(r"^  next: (.*)$", re.MULTILINE)


def _place(pair: tuple[str, str]) -> int:
    order = ("--depth", "--max-iterations", "--max-time", "--max-cost", "--max-tokens",
             "--phase-time", "--stall-time", "--max-pause", "--backoff", "--isolation")  # fmt: skip
    return order.index(pair[0])


def write(path: str, text: str) -> Act:
    return {"write": {"path": path, "text": text}}


def git(*words: str) -> Act:
    return {"git": {"args": words}}


def shell(text: str) -> Act:
    return {"run": {"argv": ["sh", "-c", text]}}


def honest(kind: str, evidence: str) -> Act:
    return {"signal": {"kind": kind, "evidence": evidence}}


def contains(text: str) -> Act:
    """The agent crashes when its prompt does not say so."""
    return {"expect_prompt": {"contains": text}}


FIX = write("product.txt", "fixed\n")
SPOIL = write("product.txt", "spoiled\n")
NOTE = write("notes.txt", "fixed\n")
COMMIT: Act = {"commit": {"message": "my own work"}}
SAYS_DONE: Act = {"say": "All done."}


def signal_driver(name: str) -> Act:
    """The agent sends this to whoever started the shell around it, which is goalkeeper."""
    return shell(f"kill -{name} $(cut -d ' ' -f 4 /proc/$(cut -d ' ' -f 4 /proc/$PPID/stat)/stat)")


INTERRUPT = signal_driver("INT")

PLAN, REVIEW = ".goalkeeper/cache/plan.md", ".goalkeeper/cache/review.md"
PLANS = write(PLAN, "1. product.txt: say fixed, so that C1 holds\n")
REVIEWS = write(REVIEW, "product.txt:1 could say more\n")
FINDS_NOTHING = write(REVIEW, "I read product.txt.\n\nNo findings\n")
IS_NOTED = {"command": ["grep", "-q", "fixed", "notes.txt"]}
NOTED = contract(criterion("C1", IS_NOTED))
BOTH = contract(criterion("C1", IS_FIXED), criterion("C2", IS_NOTED))


class End(NamedTuple):
    """How a drive ended, as people are told."""

    code: int
    out: str
    err: str

    @property
    def reason(self) -> str:
        return self._head(2)

    @property
    def detail(self) -> str:
        return self._head(3)

    @property
    def next(self) -> str:
        (found,) = _NEXT.findall(self.out + self.err)
        return str(found)

    def _head(self, part: int) -> str:
        found = _HEAD.search(self.out)
        assert found, self
        return found[part] or ""


class Driven(Project):
    """A repository that an agent is driven in; the script lies outside of it."""

    gate = "standard"

    def __init__(self, place: Path, files: Files = BROKEN) -> None:
        super().__init__(place, files)
        self.script = place / "script.json"
        self._given: list[str] = []  # of the last drive

    def build(self) -> None:
        super().build()
        self.ask(contract())

    @property
    def brief(self) -> Path:
        return self.root / "brief.md"

    def ask(self, *contracts: Contract | None) -> None:
        """For a goal of each contract, in a brief that is part of the base."""
        stories = [story(f"Part {n}", given) for n, given in enumerate(contracts, 1)]
        self.brief.write_text("\n".join(stories))
        self.commit("what is wanted")

    def words(self, script: Script, *more: str) -> tuple[str, ...]:
        self.script.write_text(json.dumps({"acts": MISHAPS, **script}))
        usual = [word for pair in USUAL.items() if pair[0] not in more for word in pair]
        named = ("--agent", "rehearsal", "--script", str(self.script))
        self._given = [*usual, *(word for word in more if word != "--json")]
        return ("run", "--gate", self.gate, "--brief-file", self.brief.name, *named, *usual, *more)

    def drive(self, script: Script, *more: str, env: Env | None = None) -> End:
        return End(*self.run(*self.words(script, *more), env=env))

    @property
    def again(self) -> str:
        """The command to go on with: the last one again, its options as the help lists them."""
        named = f"--brief-file {self.brief.name} --agent rehearsal --script {self.script}"
        named += " --gate standard"
        given = sorted(zip(self._given[::2], self._given[1::2], strict=True), key=_place)
        return " ".join(["goalkeeper run", named, *(word for pair in given for word in pair)])

    def driving(self, script: Script, *more: str) -> "subprocess.Popen[str]":
        """One that is under way."""
        return subprocess.Popen(
            [COMMAND, *self.words(script, *more)],
            cwd=self.root,
            env=self.environ(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def waits(self) -> Act:
        """An agent with this act works until `let_go`."""
        if not self._gate.exists():
            os.mkfifo(self._gate)
        return shell(f"cat {self._gate}")

    def at_work(self) -> int:
        """Returns when the agent waits."""
        return os.open(self._gate, os.O_WRONLY)

    def let_go(self, waiting: int) -> None:
        os.close(waiting)

    @property
    def _gate(self) -> Path:
        return self.home.parent / "gate"

    # What is recorded, read without the command

    def statuses(self) -> dict[str, str]:
        (goals,) = self.state.glob("runs/*/goals.json")
        return {goal["id"]: goal["status"] for goal in json.loads(goals.read_bytes())["goals"]}

    def data(self, kind: str) -> list[Any]:
        return [event["data"] for event in self.events(kind)]

    def endings(self) -> list[str]:
        """Of all phases, in order."""
        return [ended["record"]["ending"] for ended in self.data("phase_ended")]

    def moments(self) -> list[str]:
        """Of all phases, in order: goal, iteration, phase, attempt."""
        parts = ("goal_id", "iteration", "phase", "attempt")
        return ["/".join(str(ended[part]) for part in parts) for ended in self.data("phase_ended")]

    def decisions(self) -> list[str]:
        return [judged["decision"] for judged in self.data("goal_judged")]

    def findings(self) -> list[set[str]]:
        """The rules that were broken, of each judgement."""
        judged = [each["judgement"].get("findings", ()) for each in self.data("goal_judged")]
        return [{finding["rule"] for finding in found} for found in judged]

    def prompts(self, moment: str) -> list[str]:
        """In order, when a moment came more than once."""
        found = self.state.glob(f"runs/*/phases/{moment.replace('/', '-')}-*.md")
        return [
            file.read_text() for file in sorted(found, key=lambda file: file.stat().st_mtime_ns)
        ]

    def prompt(self, moment: str) -> str:
        (only,) = self.prompts(moment)
        return only

    def left_running(self) -> list[int]:
        """Processes of agents."""
        return [
            pid
            for began in self.data("phase_began")
            for pid in list_marked(began["running"]["marker"])
        ]

    # Where it was worked

    def worktree(self, goal: str = "G001") -> Path:
        made = [each["worktree"] for each in self.data("worktree_made")]
        return Path(next(each["path"] for each in made if each["goal_id"] == goal))

    def branch(self, goal: str = "G001") -> str:
        asked = ("for-each-ref", "--format=%(refname:short)", f"refs/heads/goalkeeper/*/{goal}")
        return self.git(*asked).strip()

    def kept(self, path: str = "product.txt", goal: str = "G001") -> str:
        """What the goal's branch has in a file."""
        return self.git("show", f"{self.branch(goal)}:{path}")

    def mine(self, path: str = "product.txt") -> str:
        """What the user has in a file."""
        return (self.root / path).read_text()
