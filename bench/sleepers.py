"""`python -m bench.sleepers`: how much longer a campaign takes than its agents.

Its agents only sleep and write a file, so all other time is ours. No schedule is shorter than the
longest way of sleeps that wait for each other, nor than all sleeps divided by the places. Run it
from the repository: the campaign comes from tests/e2e.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

from bench.schedule import simulate
from goalkeeper.core.campaign.plan import MasterPlan, PlannedSession, PlannedStep
from goalkeeper.wire.value import Value
from tests.e2e.campaigns import Campaigned, Session, Step, mend

_SESSIONS = 40
_PARALLEL = 4
_DEPENDENT = 0.35  # so many of the sessions wait for another one
_LEAST_SHARE = 0.9  # of the ideal
_SHORTEST, _LONGEST = 20.0, 60.0  # seconds that the agent of a session sleeps
_TWO_STEPS = 40.0  # a session that takes longer has two steps, so that its length can be guessed
# What a session does after an event of its run, until the next one of these.
_DOING = {
    "session_admitted": "its run is made, its process starts",
    "plan_created": "its process starts, and its pre-flight",
    "drive_began": "contracts and worktrees",
    "goal_started": "contracts and worktrees",
    "phase_began": "the agent's process, its commit",
    "phase_ended": "judging",
    "goal_judged": "judging",
    "goal_completed": "receipts",
    "drive_ended": "the end of its process, and the parent's pause",
}


class Sleeper(Value):
    """A session: how long its agent sleeps for each step, and which session comes before it."""

    number: int
    naps: tuple[float, ...]
    after: int = 0  # 0: none

    @property
    def id(self) -> str:
        return f"S{self.number:02d}"

    @property
    def seconds(self) -> float:
        return sum(self.naps)

    @property
    def paths(self) -> list[str]:
        return [f"parts/{self.id}-{each}.txt" for each in range(1, len(self.naps) + 1)]


class Found(Value):
    """What a campaign came to."""

    seconds: float
    ideal: float
    simulated: float  # the same order of sessions, if nothing took time but the sleeps
    processor: float  # seconds that all processes of the campaign computed
    places: dict[str, float]  # seconds that the places were used for something, all places together

    @property
    def share(self) -> float:
        return self.ideal / self.seconds


def choose_sleepers(number: int, scale: float, chance: random.Random) -> list[Sleeper]:
    """Choose sessions of one or two steps; some of them wait for an earlier one."""
    sleepers = []
    for each in range(1, number + 1):
        seconds = chance.uniform(_SHORTEST, _LONGEST)
        steps = 2 if seconds > _TWO_STEPS else 1
        naps = (round(seconds * scale / steps, 2),) * steps
        known = range(max(1, each - 20), each)
        after = chance.choice(known) if known and chance.random() < _DEPENDENT else 0
        sleepers.append(Sleeper(each, naps, after))
    return sleepers


def measure(place: Path, sleepers: Sequence[Sleeper], parallel: int) -> Found:
    """Run the campaign, and read from its ledgers what the time went to."""
    files = {path: "broken\n" for each in sleepers for path in each.paths}
    campaign = Campaigned(place, files)
    campaign.plan_sessions(*map(_write_session, sleepers), scripts=[*map(_write_story, sleepers)])
    words = ["campaign", "run", "--agent", "rehearsal", "--script", str(campaign.stories)]
    before = getrusage(RUSAGE_CHILDREN)
    answer = campaign.run_process(*words, "--parallel", str(parallel), "--json")
    after = getrusage(RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if answer.code:
        raise SystemExit(answer.err)
    events = [*_read_ledger(next(campaign.state.glob("campaigns/2*")))]
    began = next(at for at, kind, _ in events if kind == "campaign_began")
    seconds = events[-1][0] - began
    plan, naps = _plan_simulation(sleepers)
    simulated = simulate(plan, naps, parallel)
    places = _divide_time(campaign.state, events, sum(naps.values()))
    idle = seconds * parallel - sum(places.values())
    last = max(at for at, kind, _ in events if kind == "batch_landed")
    proof = (events[-1][0] - last) * parallel
    places |= {
        "the last proof of everything": proof,
        "no session could begin: others must land first, or none is left": idle - proof,
    }
    return Found(seconds, simulated.bound, simulated.makespan, processor, places)


def _write_session(sleeper: Sleeper) -> Session:
    steps = [Step(path) for path in sleeper.paths]
    after = f"Session {sleeper.after}" if sleeper.after else "none"
    return Session(f"sleeper {sleeper.number}", steps, after=after)


def _write_story(sleeper: Sleeper) -> dict[str, list[Any]]:
    return {
        f"G{number:03d}": [{"sleep": nap}, mend(path)]
        for number, (nap, path) in enumerate(zip(sleeper.naps, sleeper.paths, strict=True), 1)
    }


def _plan_simulation(sleepers: Iterable[Sleeper]) -> tuple[MasterPlan, dict[str, float]]:
    sessions = tuple(
        PlannedSession(
            each.id, each.id, tuple(PlannedStep(n, f"step {n}") for n in range(len(each.naps))),
            depends_on=(f"S{each.after:02d}",) if each.after else (), touch=tuple(each.paths),
        )
        for each in sleepers
    )  # fmt: skip
    return MasterPlan("", "sleepers", "1.7", sessions=sessions), {s.id: s.seconds for s in sleepers}


def _read_ledger(folder: Path) -> Iterator[tuple[float, str, Any]]:
    for line in (folder / "ledger.jsonl").read_text().splitlines():
        event = json.loads(line)
        yield datetime.fromisoformat(event["at"]).timestamp(), event["kind"], event["data"]


def _divide_time(
    state: Path, events: Sequence[tuple[float, str, Any]], asleep: float
) -> dict[str, float]:
    """Divide the time that sessions had a place by what they did there."""
    found = defaultdict[str, float](float)
    admitted: dict[str, tuple[float, str]] = {}
    for at, kind, data in events:
        if kind == "session_admitted":
            admitted[data["session_id"]] = (at, data["run_id"])
        if kind == "session_ended":
            begin, run_id = admitted[data["session_id"]]
            run = [(when, what) for when, what, _ in _read_ledger(state / "runs" / run_id)]
            steps = [(begin, "session_admitted"), *run, (at, "")]
            mine = [each for each in steps if each[1] in _DOING and begin <= each[0] <= at]
            for (when, what), (until, _) in pairwise([*mine, (at, "")]):
                found[_DOING[what]] += until - when
    found["the agent's process, its commit"] -= asleep
    found["asleep"] = asleep
    return found


def describe(found: Found, sleepers: Sequence[Sleeper], parallel: int) -> str:
    """Return the table."""
    whole, number = found.seconds * parallel, len(sleepers)
    head = (
        f"{number} sessions, {parallel} places: {found.seconds:.1f} s, ideal {found.ideal:.1f} s: "
        f"{found.share:.1%} of ideal (aim {_LEAST_SHARE:.0%}; "
        f"{found.ideal / found.simulated:.1%} if nothing but the sleeps took time). "
        f"{found.processor / number:.2f} s of a core for each session."
    )
    lines = [
        head,
        "",
        "| what the places did | of their time | s for each session |",
        "| --- | --: | --: |",
    ]
    lines += [
        f"| {what} | {seconds / whole:.1%} | {seconds / number:.2f} |"
        for what, seconds in sorted(found.places.items(), key=lambda each: -each[1])
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sleepers", description=__doc__)
    parser.add_argument("--sessions", type=int, default=_SESSIONS)
    parser.add_argument("--parallel", type=int, default=_PARALLEL)
    parser.add_argument("--scale", type=float, default=1.0, help="of the sleeps")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    sleepers = choose_sleepers(args.sessions, args.scale, random.Random(args.seed))
    with tempfile.TemporaryDirectory(prefix="goalkeeper-sleepers-") as folder:
        found = measure(Path(folder), sleepers, args.parallel)
    print(describe(found, sleepers, args.parallel))
    return 0 if found.share >= _LEAST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
