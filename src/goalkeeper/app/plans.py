"""Making a plan, and starting its goals."""

from __future__ import annotations

from goalkeeper.app.handle import handle
from goalkeeper.app.ports import Clock, Run, Runs, Suffix
from goalkeeper.core import commands, ids
from goalkeeper.core.brief import Brief, parse_brief
from goalkeeper.core.decide import decide
from goalkeeper.core.events import PlanCreated
from goalkeeper.core.model import Actor, GoalMode, Refused
from goalkeeper.errors import BriefInvalid, RunBoundElsewhere
from goalkeeper.wire.value import Value


class Created(Value):
    run: Run
    goal_ids: tuple[str, ...]
    archived: str = ""


def create_plan(
    runs: Runs,
    text: str,
    *,
    source: str,
    mode: GoalMode,
    archive: str | None,
    actor: Actor,
    clock: Clock,
    suffix: Suffix,
) -> Created | Refused:
    """A new run from a brief. `archive` is the reason to close a live plan, None: refuse then."""
    brief = parse_brief(text)
    if not isinstance(brief, Brief):
        raise BriefInvalid(source=source, problems="; ".join(map(str, brief)))
    with runs.holding():
        old = _live_run(runs, actor)
        if old and archive is None:
            return _refused(old)
        at = clock()
        run_id = ids.run_id(at, suffix(), newest=next(reversed(runs.ids()), ""))
        command = commands.CreatePlan(
            run_id,
            text.removeprefix("\ufeff").replace("\r\n", "\n").strip() + "\n",
            mode,
            brief.constraints,
            brief.goals,
            old.run_id if old else "",
            archive or "",
        )
        run, goal_ids = _record(runs, command, at=at, actor=actor)
        archived = ""
        if old:
            # The new run already says what it replaces; a crash before this line loses nothing.
            words = f"replaced by {run_id}" + (f": {archive}" if archive else "")
            handle(old, commands.CloseRun(words), actor=actor, clock=clock)
            archived = runs.set_aside(old.run_id)
        return Created(run, goal_ids, archived)


def _live_run(runs: Runs, actor: Actor) -> Run | None:
    try:
        run = runs.choose(named="", actor=actor)
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


def _record(
    runs: Runs, command: commands.CreatePlan, *, at: str, actor: Actor
) -> tuple[Run, tuple[str, ...]]:
    decided = decide(None, command, at=at, actor=actor)
    if isinstance(decided, Refused) or not isinstance(decided.events[0], PlanCreated):
        raise AssertionError(decided)
    return runs.create(decided.events[0], at=at, actor=actor), decided.goal_ids
