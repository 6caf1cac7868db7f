"""Making a plan from a brief; shared by the commands that do."""

from __future__ import annotations

from goalkeeper.app.plans import CreatedPlan, PlanDeps, create_plan
from goalkeeper.bootstrap import App
from goalkeeper.core.plan.model import Base, GoalMode, Refused
from goalkeeper.errors import OutsideError
from goalkeeper.wire.value import Value
from goalkeeper.wiring.judging import open_witness


class Planned(Value):
    created: CreatedPlan
    doubt: OutsideError | None  # why no base could be recorded


def make_plan(
    app: App, brief: str, *, source: str, mode: GoalMode, archive: str | None, gate: str
) -> Planned | Refused:
    doubts: list[OutsideError] = []
    maker = PlanDeps(app.runs, app.actor, app.clock, app.world.suffix, lambda: _base(app, doubts))
    created = create_plan(maker, brief, source=source, mode=mode, archive=archive, gate=gate)
    if isinstance(created, Refused):
        return created
    return Planned(created, doubts[0] if doubts else None)


def make_provable_plan(app: App, brief: str, *, source: str, gate: str) -> CreatedPlan | Refused:
    """Nothing is made when it cannot be told where work begins."""
    world = app.world
    maker = PlanDeps(
        app.runs, app.actor, app.clock, world.suffix, lambda: open_witness(app).snapshot()
    )
    return create_plan(maker, brief, source=source, gate=gate)


def _base(app: App, doubts: list[OutsideError]) -> Base | None:
    """Where work on the plan begins: the working tree as it is. A plan can be made without."""
    try:
        return open_witness(app).snapshot()
    except OutsideError as exc:
        doubts.append(exc)
        return None
