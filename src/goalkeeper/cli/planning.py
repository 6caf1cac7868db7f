"""Makes a plan from a brief, for all commands that do so."""

from __future__ import annotations

import argparse

from goalkeeper import wiring
from goalkeeper.app.plans import CreatedPlan, PlanDeps, create_plan, is_unbegun, normalize_brief
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.core.plan.model import Base, GoalMode, Refused
from goalkeeper.errors import NoPlan, OutsideError, UsageError
from goalkeeper.storage.run import FileRun
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.value import Value

SENTENCE = "the sentence"  # what messages call a brief that was given as words


class MadePlan(Value):
    created: CreatedPlan
    doubt: OutsideError | None  # it says why no base could be recorded


def choose_gate(named: str, app: App) -> str:
    """Choose the gate that was named, else that of the settings."""
    return named or wiring.read_defaults(app).gate


def make_plan(
    app: App, brief: str, *, source: str, mode: GoalMode, archive: str | None, gate: str
) -> MadePlan | Refused:
    """Make a plan even if it is not known where work begins."""
    doubts: list[OutsideError] = []

    def find_base() -> Base | None:
        try:
            return wiring.take_snapshot(app)
        except OutsideError as exc:
            doubts.append(exc)
            return None

    deps = PlanDeps(app.runs, app.actor, app.clock, app.world.suffix, find_base)
    created = create_plan(deps, brief, source=source, mode=mode, archive=archive, gate=gate)
    if isinstance(created, Refused):
        return created
    return MadePlan(created, doubts[0] if doubts else None)


def make_provable_plan(
    app: App, brief: str, *, source: str, gate: str, archive: str | None = None
) -> FileRun | Refused:
    """Make a plan, but none if it is not known where work begins."""
    deps = wiring.open_plan_deps(app)
    made = create_plan(deps, brief, source=source, gate=gate, archive=archive)
    return made if isinstance(made, Refused) else app.need_run(made.run.run_id)


def read_wish(args: argparse.Namespace, app: App) -> tuple[str, str]:
    """Read what the user wants, and what messages call it; both are empty if nothing is given."""
    if args.sentence and args.brief_file:
        problem = "a sentence and --brief-file are two briefs"
        raise UsageError(problem=problem, hint="give one of them")
    if args.brief_file:
        return inputs.brief_file(app, args.brief_file), args.brief_file
    return (args.sentence, SENTENCE) if args.sentence else ("", "")


def find_run_to_drive(
    app: App, named: str | None, brief: str, source: str | None
) -> FileRun | Refused | None:
    """Find the run to go on with; None says that the brief of `source` has to become one."""
    chosen = app.run(named)
    if not source:
        if chosen is None:
            hint = 'goalkeeper run "what you want", or goalkeeper run --brief-file brief.md'
            raise NoPlan(root=app.root, hint=hint)
        return chosen
    if chosen is None:
        return None
    plan = chosen.read()
    if plan.closed:
        return None
    kept = app.redactor.clean_brief(normalize_brief(brief))
    if read_plain_file(chosen.files.brief) == kept.encode():
        return chosen  # it may be complete, because nobody pays twice for the same
    if not plan.is_live or is_unbegun(plan):
        return None
    said = f"Run {chosen.run_id} is live, and its brief is not what {source} says now."
    given = "--brief <sentence>" if source == SENTENCE else f"--brief-file {source}"
    hint = f"goalkeeper run, to go on; or goalkeeper create-goals {given} --archive, then run"
    return Refused("brief-changed", said, hint)


def make_run_to_drive(app: App, brief: str, source: str, *, gate: str) -> FileRun | Refused:
    """Make a run; it takes the place of one sentence that nobody has begun to work on."""
    old = app.run(None)
    archive = "another wish" if old and is_unbegun(old.read()) else None
    return make_provable_plan(app, brief, source=source, gate=gate, archive=archive)
