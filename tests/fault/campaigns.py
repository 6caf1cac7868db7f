"""A campaign whose processes can be killed at any moment, and what must hold in the end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any

from tests.e2e.campaigns import Campaigned, Session, Step, mend
from tests.e2e.drives import Act, Script
from tests.e2e.project import Files
from tests.e2e.world import Env
from tests.patience import patience

USAGE: Act = {"usage": {"input": 100, "output": 10, "cost": 0.25}}
DEADLINE_SECONDS = 60.0
DRIVER, PROOF, WORK, PARENT = "run --run", "campaign prove", "campaign work", "campaign run"
CHILDREN = (DRIVER, PROOF, WORK)
MOMENTS = 0.05, 1.5  # so many seconds pass between two kills
_POLL_SECONDS = 0.002  # whoever looks all the time takes the processor from those it waits for


def works(name: str, *before: Act) -> Script:
    """An agent that mends its part, and tells what it used."""
    return {"*": [*before, mend(f"parts/{name}.txt"), USAGE, {"say": "done"}]}


def parts(names: str, *, last_after: str = "none") -> list[Session]:
    """Sessions that each mend a part; the last may wait for others."""
    afters = ["none"] * (len(names) - 1) + [last_after]
    return [
        Session(f"part {name}", [Step(f"parts/{name}.txt")], after=after)
        for name, after in zip(names, afters, strict=True)
    ]


class KilledCampaign(Campaigned):
    """A campaign of small sessions, one for each part that is named."""

    def __init__(
        self,
        place: Path,
        names: str = "abc",
        *,
        sessions: Sequence[Session] = (),
        scripts: Sequence[Script] = (),
    ) -> None:
        super().__init__(place)
        self.place = place
        self.names = names
        planned = sessions or parts(names, last_after="Session 1" if len(names) > 1 else "none")
        given = scripts or [works(name) for name in names]
        self.campaign_id = self.plan_sessions(*planned, scripts=given)
        self._parent: subprocess.Popen[bytes] | None = None
        self._mine = self._read_mine()

    def plan_beside(self, names: str) -> "KilledCampaign":
        """Another campaign in the same repository."""
        other = copy(self)
        other.names, other.stories = names, self.place / f"stories-{names}"
        other.stories.mkdir()
        scripts = [works(name) for name in names]
        other.campaign_id = other.plan_sessions(*parts(names), scripts=scripts)
        self._mine = other._mine = self._read_mine()
        return other

    @property
    def branch(self) -> str:
        return f"goalkeeper/campaign-{self.campaign_id}"

    @property
    def origin(self) -> str:
        """The commit that the campaign began with."""
        commit: str = self.entries()[0]["data"]["base"]["commit"]
        return commit

    # What runs.

    def start_parent(self, env: Env | None = None) -> "subprocess.Popen[bytes]":
        """Start the parent; it goes on where the last one was killed."""
        words = self.words("--json", "--campaign", self.campaign_id)
        with (self.place / "parent.err").open("ab") as err:
            self._parent = subprocess.Popen(
                [sys.executable, "-m", "goalkeeper", *words], cwd=self.root, env=self.environ(env),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
            )  # fmt: skip
        return self._parent

    def finish(self, env: Env | None = None) -> int:
        """Run the campaign to its end, undisturbed; its exit code."""
        if not self.is_alive:
            self.start_parent(env)
        return self.wait_for_end()

    def wait_for_end(self, seconds: float = 0) -> int:
        """Wait until the parent that was started last has ended; its exit code."""
        assert self._parent
        return self._parent.wait(seconds or patience(DEADLINE_SECONDS))

    @property
    def is_alive(self) -> bool:
        return self._parent is not None and self._parent.poll() is None

    def list_running(self, *kinds: str) -> list[int]:
        """The processes that belong to this campaign; of these kinds, if some are named."""
        return [pid for pid, words in self.list_processes() if not kinds or words in kinds]

    # What is killed.

    def kill(self, *pids: int) -> int:
        """Kill these at once; how many of them lived."""
        killed = 0
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        if self._parent and self._parent.pid in pids:
            self._parent.wait()
        return killed

    def kill_all(self) -> int:
        """Kill all that runs, also what was begun meanwhile."""
        killed = 0
        while pids := self.list_running():
            killed += self.kill(*pids)
        return killed

    def kill_parent(self) -> int:
        return self.kill(self._parent.pid) if self._parent and self.is_alive else 0

    def kill_parent_at(self, line: int) -> bool:
        """Start the parent, and kill it when its ledger has so many lines; whether it lived."""
        self.start_parent()
        self.wait_while(lambda: self.count_lines() < line)
        return bool(self.kill_parent())

    def wait_while(self, true: Callable[[], bool]) -> bool:
        """Wait while it is true and the parent lives; whether it became false."""
        deadline = time.monotonic() + patience(DEADLINE_SECONDS)
        while true():
            assert time.monotonic() < deadline
            if not self.is_alive:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def catch(self, *kinds: str) -> list[int]:
        """Wait for processes of these kinds; none come any more when the parent has ended."""
        found: list[int] = []

        def is_missing() -> bool:
            found[:] = self.list_running(*kinds)
            return not found

        self.wait_while(is_missing)
        return found

    # What was written.

    @property
    def record(self) -> Path:
        """The ledger of the campaign."""
        return self.state / "campaigns" / self.campaign_id / "ledger.jsonl"

    def count_lines(self) -> int:
        return self.record.read_bytes().count(b"\n")

    def entries(self) -> list[Any]:
        return [json.loads(line) for line in self.record.read_bytes().splitlines()]

    def kinds(self) -> list[str]:
        return [entry["kind"] for entry in self.entries()]

    def list_landed_ids(self) -> list[str]:
        landed = [e["data"]["session_ids"] for e in self.entries() if e["kind"] == "batch_landed"]
        return [each for ids in landed for each in ids]

    def run_ledgers(self) -> list[Path]:
        return sorted(self.state.glob("runs/[0-9]*/ledger.jsonl"))

    def list_steps(self) -> list[str]:
        """The entries of all runs; that a driver goes on where another was killed is no step."""
        lines = [
            line
            for path in self.run_ledgers()
            for line in path.read_bytes().rpartition(b"\n")[0].splitlines()
        ]
        kinds = [str(json.loads(line)["kind"]) for line in lines]
        return [kind for kind in kinds if kind != "drive_resumed"]

    def list_run_ids(self) -> set[str]:
        """The runs of this campaign."""
        admitted = [e["data"] for e in self.entries() if e["kind"] == "session_admitted"]
        return {each["run_id"] for each in admitted}

    def commit_to_branch(self, files: Files) -> None:
        """Commit to the campaign's branch, as somebody who has a worktree of it."""
        place = self.place / "elsewhere"
        self.git("worktree", "add", "--quiet", str(place), self.branch)
        for name, text in files.items():
            (place / name).write_text(str(text))
        self.git("commit", "--quiet", "--all", "--message=mine", cwd=place)
        self.git("worktree", "remove", str(place))

    def tell(self) -> Any:  # noqa: ANN401  JSON
        return self.ok("campaign", "status", "--campaign", self.campaign_id)

    # What must hold.

    def find_violations(self) -> list[str]:
        """All that does not hold after a campaign that must have come to its end."""
        told = self.tell()
        states = {each["id"]: each["status"] for each in told["sessions"]}
        wanted = [f"S{number:02d}" for number in range(1, len(self.names) + 1)]
        found = []
        if told.get("ended") != "done":
            ended, detail = told.get("ended"), told.get("detail")
            found.append(f"it ended {ended}: {detail}; {told['sessions']}")
        if sorted(self.list_landed_ids()) != wanted or set(states.values()) != {"landed"}:
            found.append(f"landed: {self.list_landed_ids()}; {states}")
        if self.git("rev-parse", f"{self.branch}^{{tree}}").strip() != self._make_wanted_tree():
            found.append(f"another tree landed: {self.git('ls-tree', '-r', self.branch)}")
        titles = self.git("log", "--format=%s", f"{self.origin}..{self.branch}").splitlines()
        if sorted(titles) != [f"fix(step1): mend parts/{name}.txt for good" for name in self.names]:
            found.append(f"other commits landed: {titles}")
        return found + self.find_leftovers()

    def find_leftovers(self) -> list[str]:
        """What must hold however a campaign ended."""
        told, found = self.tell(), []
        spend = {"microdollars": told["microdollars"], "tokens": told["tokens"]}
        if spend != self._sum_reported():
            found.append(f"spend {spend}, reported {self._sum_reported()}")
        if left := self.list_survivors():
            found.append(f"still running: {left}")
        if left := self._list_worktrees(told):
            found.append(f"worktrees left: {left}")
        if strange := self._list_strange_refs():
            found.append(f"refs left: {strange}")
        if self._read_mine() != self._mine:
            found.append(f"the user's own changed: {self._read_mine()}, it was {self._mine}")
        return found

    def _sum_reported(self) -> dict[str, int]:
        """What all agents told that they used; each phase has a file of its own."""
        total: Counter[str] = Counter(microdollars=0, tokens=0)
        runs = self.list_run_ids()
        for path in self.state.glob("runs/[0-9]*/phases/*.out"):
            if path.parents[1].name not in runs:
                continue
            for line in path.read_text().splitlines():
                with suppress(ValueError):
                    said = json.loads(line)
                    if said["type"] == "result":
                        total["microdollars"] += round(said["cost"] * 1_000_000)
                        total["tokens"] += said["usage"]["input"] + said["usage"]["output"]
        return dict(total)

    def _list_worktrees(self, told: Any) -> list[str]:  # noqa: ANN401  JSON
        """The worktrees of sessions that landed, known to git or not."""
        over = {each["id"] for each in told["sessions"] if each["status"] == "landed"}
        admitted = [e["data"] for e in self.entries() if e["kind"] == "session_admitted"]
        landed = {each["run_id"] for each in admitted if each["session_id"] in over}
        places = [
            *self.git("worktree", "list", "--porcelain").splitlines(),
            *map(str, self.home.glob(".local/state/goalkeeper/worktrees/*/*/*")),
        ]
        return [each for each in places if any(run_id in each for run_id in landed)]

    def _list_strange_refs(self) -> list[str]:
        runs = tuple(f"goalkeeper/{path.parent.name}/" for path in self.run_ledgers())
        refs = self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        campaigns = {path.name for path in self.state.glob("campaigns/*")}
        known = {"main", *(f"goalkeeper/campaign-{each}" for each in campaigns)}
        return [ref for ref in refs if ref not in known and not ref.startswith(runs)]

    def _make_wanted_tree(self) -> str:
        """The tree of the user's branch with all parts mended."""
        environ = {**os.environ, "GIT_INDEX_FILE": str(self.place / "wanted.index")}

        def git(*words: str, text: str = "") -> str:
            done = subprocess.run(["git", *words], cwd=self.root, env=environ, input=text,
                                  text=True, capture_output=True, check=True)  # fmt: skip
            return done.stdout.strip()

        git("read-tree", self.origin)
        blob = git("hash-object", "-w", "--stdin", text="fixed\n")
        for name in self.names:
            git("update-index", "--cacheinfo", f"100644,{blob},parts/{name}.txt")
        return git("write-tree")

    def _read_mine(self) -> dict[str, str]:
        """The user's branch and checkout."""
        return {
            "head": self.git("rev-parse", "--symbolic-full-name", "HEAD"),
            "main": self.git("rev-parse", "main"),
            "status": self.git("status", "--porcelain"),
            "files": str(sorted((p.name, p.read_bytes()) for p in self.root.glob("parts/*"))),
        }


def kill_at_random(campaign: KilledCampaign, chance: random.Random, kills: int) -> Counter[str]:
    """Kill so often at random moments: the parent, a child, or all that runs."""
    tally: Counter[str] = Counter()
    done = 0
    while done < kills:
        if not campaign.is_alive:
            if "campaign_ended" in campaign.kinds()[-1:]:
                break
            campaign.start_parent()
        with suppress(subprocess.TimeoutExpired):
            campaign.wait_for_end(chance.uniform(*MOMENTS))
        whom = chance.choices(("parent", "child", "all"), (5, 4, 1))[0]
        if whom == "parent":
            killed = campaign.kill_parent()
        elif whom == "child":
            living = campaign.list_running(*CHILDREN)
            killed = campaign.kill(chance.choice(living)) if living else 0
        else:
            killed = campaign.kill_all()
        tally[f"killed {whom}"] += bool(killed)
        done += bool(killed)
    return tally
