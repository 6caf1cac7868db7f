"""What a crash left behind: mend it as the messages say, then look for losses and doubles."""

import json
import re
import shlex
from collections import Counter
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from goalkeeper.core import snapshot
from goalkeeper.core.plan.events import PlanCreated
from goalkeeper.storage.run import FileRun
from tests.fault.rig import Repo
from tests.fault.scenarios import Scenario

TALLY = "kill_tally"  # the property under which tests report their counts
MENDING = {"ledger_repaired"}  # what repair itself records
RUN_ID = re.compile(rb"\d{8}-\d{6}-[0-9a-f]{4}")

History = dict[str, list[str]]


class Undisturbed(NamedTuple):
    """What the ledgers say before the command, after it, and after its repeat."""

    before: History
    after: History
    repeated: History


def history(repo: Repo) -> History:
    """Kind and data of every event by place and age of the run, times and run ids left out."""
    ledgers = repo.ledgers()
    names = {path.parent.name.encode(): b"run%d" % n for n, path in enumerate(ledgers.values(), 1)}
    return {
        f"{place.split('/')[0]} {names[path.parent.name.encode()].decode()}": [
            f"{line['kind']} {json.dumps(line['data'], sort_keys=True)}"
            for line in map(json.loads, _renamed(path.read_bytes(), names).splitlines())
            if line["kind"] not in MENDING
        ]
        for place, path in ledgers.items()
    }


def _renamed(data: bytes, names: dict[bytes, bytes]) -> bytes:
    return RUN_ID.sub(lambda found: names.get(found[0], b"unknown run"), data)


def undisturbed(scenario: Scenario, root: Path) -> Undisturbed:
    repo = scenario.prepare(root)
    before = history(repo)
    repo.call(*scenario.command)
    after = history(repo)
    repo.call(*scenario.command)
    assert before != after, "the scenario's command changes nothing"
    return Undisturbed(before, after, history(repo))


class Verdict(Enum):
    ABSENT = "absent"
    WHOLE = "whole"
    UNFINISHED = "unfinished"  # recorded, but the run is not yet where it belongs


class Crashed:
    """A repository in which the scenario's command was killed."""

    def __init__(self, repo: Repo, scenario: Scenario, expected: Undisturbed) -> None:
        self.repo = repo
        self.tally: Counter[str] = Counter(killed=1)
        self._scenario = scenario
        self._expected = expected

    def check(self) -> None:
        """Mend as the messages say, and hold the state against what it must be."""
        for run in self._runs():
            self._mend(run.name)
        verdict = self._verdict(history(self.repo))
        self.tally[verdict.value] += 1
        self._follow_the_doctor()
        for run in self._runs():
            check_rebuild(self.repo, run)
        self._repeat(verdict)
        self._follow_the_doctor()

    def _runs(self) -> list[Path]:
        return sorted(self.repo.state.glob("runs/[0-9]*"))

    def _mend(self, run_id: str) -> None:
        verified = self.repo.call("ledger", "verify", "--run", run_id, "--json")
        if verified.code == 0:
            return
        code = verified.error["code"]
        assert (verified.code, code) in {(4, "ledger-torn"), (4, "projection-differs")}, verified
        status = self.repo.call("status", "--run", run_id, "--json")
        if code == "ledger-torn":
            assert status.error["code"] == "ledger-torn"
            self.tally["torn"] += 1
        else:
            assert status.code == 0, "lagging projections must not keep anyone from the plan"
            self.tally["lagging"] += 1
        self.repo.did("state", "repair", "--run", run_id)
        self.repo.did("ledger", "verify", "--run", run_id)

    def _verdict(self, found: History) -> Verdict:
        if found == self._expected.before:
            return Verdict.ABSENT
        if found == self._expected.after:
            return Verdict.WHOLE
        assert found in self._unfinished(), (found, self._expected)
        return Verdict.UNFINISHED

    def _unfinished(self) -> list[History]:
        """What a command that moves a run may leave: all is recorded, the move is to come."""
        before, after = self._expected.before, self._expected.after
        if self._scenario.name == "state-clear":
            return [{"runs run1": after["archive run1"]}]
        if self._scenario.name == "create-goals-archive":
            new = {"runs run2": after["runs run2"]}
            return [before | new, {"runs run1": after["archive run1"]} | new]
        return []

    def _follow_the_doctor(self) -> None:
        """Run every command that the doctor names, until it finds nothing."""
        for _ in range(3):
            findings = self.repo.call("state", "doctor", "--json").data["findings"]
            if not findings or not self._runs():  # see test_a_staged_run_is_discarded_…
                return
            for finding in findings:
                self.repo.did(*shlex.split(finding["mend"])[1:])
        raise AssertionError("the doctor comes to no end")

    def _repeat(self, verdict: Verdict) -> None:
        if verdict is Verdict.UNFINISHED:
            self._finish()
            return
        repeat = self.repo.call(*self._scenario.command)
        found = history(self.repo)
        if verdict is Verdict.ABSENT:
            assert found == self._expected.after, repeat
        else:
            assert repeat.code in self._scenario.repeat_codes, repeat
            assert found == self._expected.repeated, repeat

    def _finish(self) -> None:
        assert _kinds(history(self.repo)) == _kinds(self._expected.after)


def _kinds(told: History) -> History:
    """Without the words, which differ, and without the refusal to close a closed run."""
    kinds = {place: [event.split()[0] for event in events] for place, events in told.items()}
    return {place: [k for k in found if k != "command_refused"] for place, found in kinds.items()}


def check_rebuild(repo: Repo, folder: Path) -> None:
    """Projections follow from the ledger alone: lost, they come back with the same bytes."""
    run = repo.file_run(folder.name)
    goals = folder / "goals.json"
    before = _known(goals)
    assert (replayed(run), brief_of(run)) == projections(folder)
    for path in (goals, folder / "brief.md", Path(run.files.seen)):
        path.unlink()
    repo.did("state", "repair", "--run", folder.name)
    assert _known(goals).plan == before.plan
    assert (replayed(run), brief_of(run)) == projections(folder)
    repo.did("ledger", "verify", "--run", folder.name)


def projections(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "goals.json").read_bytes(), (folder / "brief.md").read_bytes()


def replayed(run: FileRun) -> bytes:
    """goals.json as it follows from the ledger, whatever is on the disk."""
    with run.open(0) as (_, ledger):
        return snapshot.dump(run.replay(ledger))


def brief_of(run: FileRun) -> bytes:
    created = next(iter(run.entries())).event
    assert isinstance(created, PlanCreated)
    return created.brief.encode()


def _known(goals: Path) -> snapshot.Snapshot:
    known = snapshot.load(goals.read_bytes())
    assert known is not None
    return known
