"""Makes a plan, and closes the one it replaces."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.app.ports import Clock, Run, RunStore, Suffix
from goalkeeper.core.decide import create
from goalkeeper.core.plan import commands, ids
from goalkeeper.core.plan.brief import Brief, parse_brief
from goalkeeper.core.plan.events import StateCleared
from goalkeeper.core.plan.model import (
    STANDARD,
    STRICT,
    Actor,
    ActorKind,
    Base,
    GoalMode,
    GoalStatus,
    Plan,
    Refused,
)
from goalkeeper.core.plan.rights import refuse_actor, refuse_at_work
from goalkeeper.errors import BriefInvalid, DiskFailed, RunBoundElsewhere
from goalkeeper.wire.value import Value


class PlanDeps(Value):
    """Holds what it takes to make a plan."""

    runs: RunStore
    actor: Actor
    clock: Clock
    suffix: Suffix
    snapshot: Callable[[], Base | None] = lambda: None  # finds where work on the plan begins


class CreatedPlan(Value):
    run: Run
    goal_ids: tuple[str, ...]
    archived: str = ""
    warnings: tuple[str, ...] = ()


def create_plan(
    deps: PlanDeps,
    text: str,
    *,
    source: str,
    mode: GoalMode = GoalMode.AGGREGATE,
    archive: str | None = None,
    gate: str = STANDARD,
) -> CreatedPlan | Refused:
    """Make a run from a brief. It closes a live plan for the reason `archive`; None refuses."""
    brief = read_brief(text, source)
    with deps.runs.holding():
        old = find_live_run(deps)
        if refused := refuse_driven(deps.runs, deps.actor):
            return refused
        if old and archive is None:
            return _refuse_live(old)
        newest = next(reversed(deps.runs.ids()), "")
        command = commands.CreatePlan(
            ids.run_id(deps.clock(), deps.suffix(), newest=newest),
            normalize_brief(text),
            mode,
            brief.constraints,
            brief.goals,
            base=deps.snapshot(),
            gate=gate if gate == STRICT else "",
        )
        return _replace(deps, old, command, archive or "") if old else _create(deps, command)


def read_brief(text: str, source: str) -> Brief:
    brief = parse_brief(text)
    if isinstance(brief, Brief):
        return brief
    raise BriefInvalid(source=source, problems="; ".join(map(str, brief)))


def normalize_brief(brief: str) -> str:
    """Return the brief in the form in which its run keeps it."""
    return brief.removeprefix("\ufeff").replace("\r\n", "\n").strip() + "\n"


def is_unbegun(plan: Plan) -> bool:
    """Return whether a live plan is one sentence for which nobody has accepted a contract yet."""
    goal, *others = plan.goals
    is_bare = not (goal.contract or goal.drafted_contract or goal.frozen)
    return plan.is_live and not others and is_bare and goal.status is GoalStatus.PENDING


def find_live_run(deps: PlanDeps) -> Run | None:
    try:
        run = deps.runs.choose(named="", actor=deps.actor)
        return run if run and run.read().is_live else None
    except RunBoundElsewhere:
        return None  # another session's plan is not in the way


def refuse_driven(runs: RunStore, actor: Actor) -> Refused | None:
    """Refuse an agent that some plan has at work, whichever session or run it is."""
    if actor.kind is not ActorKind.AGENT:
        return None
    found = (refuse_at_work(runs.named(run_id).read(), actor) for run_id in runs.ids())
    return next(filter(None, found), None)


def _refuse_live(old: Run) -> Refused:
    return Refused(
        "plan-is-live",
        f"Run {old.run_id} still has open goals; a new plan would replace it.",
        "goalkeeper complete-goals, or create-goals --archive <reason> to close it first",
        {"run": old.run_id},
    )


def _create(
    deps: PlanDeps, command: commands.CreatePlan, closing: Callable[[], None] = lambda: None
) -> CreatedPlan:
    event = create(command, deps.actor)
    run = deps.runs.create(event, at=deps.clock(), actor=deps.actor, closing=closing)
    goal_ids = tuple(ids.goal_id(number) for number in range(1, len(command.goals) + 1))
    return CreatedPlan(run, goal_ids, warnings=tuple(run.warnings))


def _replace(
    deps: PlanDeps, old: Run, command: commands.CreatePlan, reason: str
) -> CreatedPlan | Refused:
    said = f"replaced by {command.run_id}" + (f": {reason}" if reason else "")
    command = command.replace(replaces=old.run_id, reason=reason)
    # The lock comes first, so that a process that must try again has made nothing.
    with old.writing() as turn:
        refused = refuse_actor(turn.plan, commands.CloseRun(said), deps.actor)
        if refused:
            return refused

        def closing() -> None:
            turn.append((StateCleared(said),), at=deps.clock(), actor=deps.actor)

        created = _create(deps, command, closing)
    archived, warnings = set_aside(deps.runs, old)
    return created.replace(archived=archived, warnings=(*created.warnings, *warnings))


def set_aside(runs: RunStore, closed: Run) -> tuple[str, tuple[str, ...]]:
    """Say where a closed run is now (empty if it was not moved), and what to warn of."""
    try:
        return runs.set_aside(closed.run_id), tuple(closed.warnings)
    except DiskFailed as exc:  # the run is closed, and that counts
        said = f"run {closed.run_id} is closed, but not in the archive ({exc.facts['reason']})"
        return "", (*closed.warnings, f"{said}; see goalkeeper state doctor")
