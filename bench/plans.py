"""Repositories with a plan of some goals and a ledger of some length, made quickly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from goalkeeper.core.decide import create
from goalkeeper.core.fold import apply, begin
from goalkeeper.core.plan import commands, events
from goalkeeper.core.plan.model import Actor, ActorKind, GoalMode, NewGoal
from goalkeeper.core.snapshot import Snapshot
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.ledger import GENESIS, seal_events
from goalkeeper.storage.places import State
from goalkeeper.storage.run import FileRun
from goalkeeper.storage.runs import Runs
from goalkeeper.wire import layout

AT = "2026-01-01T00:00:00.000000Z"
AGENT = Actor(ActorKind.AGENT, "bench")
RUN_ID = "20260101-000000-0001"
_CHUNK = 5000


def plan_created(goals: int) -> events.PlanCreated:
    new = tuple(NewGoal(f"Goal number {n}", f"Do the work of goal {n}.") for n in range(goals))
    command = commands.CreatePlan(RUN_ID, "a brief\n", GoalMode.AGGREGATE, "", new)
    return create(command, AGENT)


def make(root: Path, *, goals: int, ledger_events: int) -> FileRun:
    """A run whose goals have been started, failed and retried, judged and refused many times."""
    (root / ".git").mkdir(parents=True)
    runs = Runs(State(str(root), layout.state_home(os.environ)), Disk(), timeout_seconds=10)
    created = plan_created(goals)
    with runs.holding():
        run = runs.create(created, at=AT, actor=AGENT)
    plan = begin(created, AT)
    _, position = seal_events((created,), at=AT, actor=AGENT, after=GENESIS)
    history = _history(goals, ledger_events - 1)
    with run.open(os.O_RDWR | os.O_APPEND) as (fd, _):
        while chunk := [event for event, _ in zip(history, range(_CHUNK), strict=False)]:
            lines = []
            for event in chunk:
                line, position = seal_events((event,), at=AT, actor=AGENT, after=position)
                lines.append(line)
                plan = apply(plan, event, AT)
            os.write(fd, b"".join(lines))
        run.project(fd, Snapshot(plan, position))
    return run


def _history(goals: int, length: int) -> Iterator[events.Event]:
    """Mostly records of work, and one change of the plan in ten."""
    for n in range(length):
        goal_id = f"G{n // 20 % (goals - 1) + 1:03d}"  # the last one stays pending
        if n % 20 == 0:
            yield events.GoalStarted(goal_id)
        elif n % 20 == 10:
            failed = commands.CheckpointStatus.FAILED
            yield events.GoalCheckpointed(goal_id, failed, f"attempt {n} failed")
        elif n % 5 == 0:
            yield events.CommandRefused("Checkpoint", "gate-not-available", goal_id)
        else:
            yield events.Unknown(
                "criterion_judged", {"goal_id": goal_id, "criterion": "C1", "n": n}
            )
