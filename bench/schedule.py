"""How well a campaign fills its places: simulated campaigns against the lower bound.

A plan of random sessions is run by `next_steps` itself; only the clock and the agents are made up.
No schedule is shorter than its longest way, nor than the work divided by the places.
"""

from __future__ import annotations

import heapq
import random
import statistics
import time
from collections.abc import Iterator

from goalkeeper.core.campaign import events
from goalkeeper.core.campaign.fold import apply_event, begin_campaign
from goalkeeper.core.campaign.next_steps import (
    Admit,
    EndCampaign,
    LandBatch,
    ProveBatch,
    next_steps,
)
from goalkeeper.core.campaign.plan import Complexity, MasterPlan, PlannedSession, PlannedStep
from goalkeeper.core.campaign.ranking import estimate_work
from goalkeeper.core.campaign.state import Campaign, CampaignTerms
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.drive.state import Reason
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan.model import Base
from goalkeeper.wire.value import Value

SIZES = (10, 40, 200, 1000, 2000)
_LARGE = 1000
_BEGIN = "2026-01-01T00:00:00.000000Z"


class Simulated(Value):
    """A campaign that was simulated: how long it took, and what no schedule can beat."""

    sessions: int
    parallel: int
    makespan: float
    bound: float
    decisions: int
    seconds: float  # all decisions together
    slowest: float  # the slowest decision

    @property
    def ratio(self) -> float:
        return self.makespan / self.bound


def make_plan(number: int, chance: random.Random) -> tuple[MasterPlan, dict[str, float]]:
    """Make a random plan, and how long each session takes: about what its steps tell."""
    sessions: list[PlannedSession] = []
    seconds: dict[str, float] = {}
    for index in range(1, number + 1):
        name = f"S{index:02d}"
        known = [each.id for each in sessions[-20:]]
        needed = chance.sample(known, min(len(known), chance.choice((0, 0, 1, 1, 2))))
        steps = tuple(PlannedStep(each, f"step {each}") for each in range(1, chance.randint(2, 6)))
        complexity = chance.choice(tuple(Complexity))
        folder = f"src/part{chance.randrange(max(4, number // 2))}"  # some overlap
        touch = (f"{folder}/**", f"docs/{name}.md")
        sessions.append(PlannedSession(
            name, f"session {index}", steps, depends_on=tuple(needed), touch=touch,
            complexity=complexity,
        ))  # fmt: skip
        seconds[name] = estimate_work(sessions[-1]) * 60 * chance.uniform(0.6, 1.4)
    return MasterPlan("", "simulated", "1.7", sessions=tuple(sessions)), seconds


def simulate(plan: MasterPlan, seconds: dict[str, float], parallel: int) -> Simulated:
    """Run a campaign whose sessions always succeed and land at once."""
    base = Base("0" * 40, "0" * 40)
    campaign = begin_campaign(events.CampaignMade("x", plan, "", "b", base), _BEGIN)
    began = events.CampaignBegan(CampaignTerms("simulated", parallel=parallel))
    campaign = apply_event(campaign, began, _BEGIN)
    now, ends, spent, slowest, decisions = 0.0, list[tuple[float, str]](), 0.0, 0.0, 0
    while True:
        at = add_seconds(_BEGIN, now)
        started = time.process_time()  # what others do on the machine does not count
        steps = next_steps(campaign, at)
        took = time.process_time() - started
        spent, slowest, decisions = spent + took, max(slowest, took), decisions + 1
        if any(isinstance(step, EndCampaign) for step in steps) or not (steps or ends):
            break
        for event in _answer(campaign, steps, base):
            campaign = apply_event(campaign, event, at)
            if isinstance(event, events.SessionAdmitted):
                heapq.heappush(ends, (now + seconds[event.session_id], event.session_id))
        if not steps:
            now, name = heapq.heappop(ends)
            ended = events.SessionEnded(name, Reason.DONE, "", Spend(), 1, work=base)
            campaign = apply_event(campaign, ended, add_seconds(_BEGIN, now))
    bound = max(_find_longest(plan, seconds), sum(seconds.values()) / parallel)
    return Simulated(len(plan.sessions), parallel, now, bound, decisions, spent, slowest)


def _answer(
    campaign: Campaign, steps: tuple[object, ...], base: Base
) -> Iterator[events.CampaignEvent]:
    for step in steps:
        match step:
            case Admit(name):
                yield events.SessionAdmitted(name, f"run-{name}", base)
            case ProveBatch(names):
                yield events.BatchProven(names, base, base)
            case LandBatch() if campaign.proven:
                yield events.BatchLanded(campaign.proven.session_ids, base)
            case _:
                yield events.WholeProven(base)


def _find_longest(plan: MasterPlan, seconds: dict[str, float]) -> float:
    ends: dict[str, float] = {}
    for session in plan.sessions:
        before = max((ends[each] for each in session.depends_on), default=0.0)
        ends[session.id] = before + seconds[session.id]
    return max(ends.values())


def measure() -> list[Simulated]:
    """Simulate campaigns of all sizes, with several numbers of places; large ones once each."""
    return [
        simulate(*make_plan(size, random.Random(f"{size}-{number}")), parallel)
        for size in SIZES
        for parallel in (2, 4, 8, 16)
        for number in range(5 if size < _LARGE else 1)
    ]


def schedule() -> str:
    """Return the table: how much longer than the bound campaigns take, and what deciding costs."""
    found = measure()
    lines = [
        "| sessions | simulated | median of the bound | worst | decisions/s | slowest, ms of CPU |",
        "| --: | --: | --: | --: | --: | --: |",
    ]
    for size in SIZES:
        some = [each for each in found if each.sessions == size]
        ratios = [each.ratio for each in some]
        rate = sum(each.decisions for each in some) / sum(each.seconds for each in some)
        slowest = max(each.slowest for each in some) * 1000
        median, worst = statistics.median(ratios), max(ratios)
        lines.append(
            f"| {size} | {len(some)} | {median:.3f} | {worst:.3f} | {rate:,.0f} | {slowest:.1f} |"
        )
    median = statistics.median(each.ratio for each in found)
    return "\n".join([*lines, "", f"Median of all: {median:.3f} of the bound."])


if __name__ == "__main__":
    print(schedule())
