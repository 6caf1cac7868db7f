"""Making a plan, and closing the one it replaces."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.app.ports import Clock, Run, Runs, Suffix
from goalkeeper.core.decide import create
from goalkeeper.core.plan import commands, ids
from goalkeeper.core.plan.brief import Brief, parse_brief
from goalkeeper.core.plan.events import StateCleared
from goalkeeper.core.plan.gate import STANDARD, STRICT
from goalkeeper.core.plan.model import Actor, Base, GoalMode, Refused
from goalkeeper.errors import BriefInvalid, DiskFailed, RunBoundElsewhere
from goalkeeper.wire.value import Value


class Maker(Value):
    """Who makes a plan, and with what."""

    runs: Runs
    actor: Actor
    clock: Clock
    suffix: Suffix
    snapshot: Callable[[], Base | None] = lambda: None  # where work on the plan begins


class Created(Value):
    run: Run
    goal_ids: tuple[str, ...]
    archived: str = ""
    warnings: tuple[str, ...] = ()


def create_plan(
    maker: Maker,
    text: str,
    *,
    source: str,
    mode: GoalMode = GoalMode.AGGREGATE,
    archive: str | None = None,
    gate: str = STANDARD,
) -> Created | Refused:
    """A new run from a brief. `archive` is the reason to close a live plan, None: refuse then."""
    brief = read_brief(text, source)
    with maker.runs.holding():
        old = _live_run(maker)
        if old and archive is None:
            return _refused(old)
        newest = next(reversed(maker.runs.ids()), "")
        command = commands.CreatePlan(
            ids.run_id(maker.clock(), maker.suffix(), newest=newest),
            as_kept(text),
            mode,
            brief.constraints,
            brief.goals,
            base=maker.snapshot(),
            gate=gate if gate == STRICT else "",
        )
        return _replace(maker, old, command, archive or "") if old else _create(maker, command)


def read_brief(text: str, source: str) -> Brief:
    brief = parse_brief(text)
    if isinstance(brief, Brief):
        return brief
    raise BriefInvalid(source=source, problems="; ".join(map(str, brief)))


def as_kept(brief: str) -> str:
    """How a run keeps the brief that it was made from."""
    return brief.removeprefix("\ufeff").replace("\r\n", "\n").strip() + "\n"


def _live_run(maker: Maker) -> Run | None:
    try:
        run = maker.runs.choose(named="", actor=maker.actor)
        return run if run and run.read().is_live else None
    except RunBoundElsewhere:
        return None  # another session's plan is not in the way


def _refused(old: Run) -> Refused:
    return Refused(
        "plan-is-live",
        f"Run {old.run_id} still has open goals; a new plan would replace it.",
        "goalkeeper complete-goals, or create-goals --archive <reason> to close it first",
        {"run": old.run_id},
    )


def _create(
    maker: Maker, command: commands.CreatePlan, closing: Callable[[], None] = lambda: None
) -> Created:
    event = create(command, maker.actor)
    run = maker.runs.create(event, at=maker.clock(), actor=maker.actor, closing=closing)
    goal_ids = tuple(ids.goal_id(number) for number in range(1, len(command.goals) + 1))
    return Created(run, goal_ids, warnings=tuple(run.warnings))


def _replace(maker: Maker, old: Run, command: commands.CreatePlan, reason: str) -> Created:
    said = f"replaced by {command.run_id}" + (f": {reason}" if reason else "")
    command = command.replace(replaces=old.run_id, reason=reason)
    with old.writing() as turn:  # before anything is made: who must try again has made nothing

        def closing() -> None:
            turn.append((StateCleared(said),), at=maker.clock(), actor=maker.actor)

        created = _create(maker, command, closing)
    archived, warnings = set_aside(maker.runs, old)
    return created.replace(archived=archived, warnings=(*created.warnings, *warnings))


def set_aside(runs: Runs, closed: Run) -> tuple[str, tuple[str, ...]]:
    """Where a closed run is now (empty: where it was), and what to warn of."""
    try:
        return runs.set_aside(closed.run_id), tuple(closed.warnings)
    except DiskFailed as exc:  # it is closed, and that counts
        said = f"run {closed.run_id} is closed, but not in the archive ({exc.facts['reason']})"
        return "", (*closed.warnings, f"{said}; see goalkeeper state doctor")
