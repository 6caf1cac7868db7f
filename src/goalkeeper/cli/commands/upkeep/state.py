"""`state`: inspect, repair and archive the state directory."""

from __future__ import annotations

import argparse
from contextlib import suppress

from goalkeeper import wiring
from goalkeeper.app.handle import CommandResult, handle
from goalkeeper.app.plans import set_aside
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.acting import act
from goalkeeper.cli.options import JSON, RUN, Option, Verb, switch
from goalkeeper.cli.reply import Reply, refusal
from goalkeeper.core.decide import CLOSED
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import ActorKind
from goalkeeper.errors import (
    EvidenceGone,
    GoalkeeperError,
    LedgerError,
    StateForeign,
    UsageError,
)
from goalkeeper.storage import upkeep
from goalkeeper.storage.run import FileRun

_HANDOFF = "handoff"
_BACK = "goalkeeper complete-goals, to take it up again"
VERBS = {
    "doctor": Verb("Say what is wrong and which command mends it.", "goalkeeper state doctor",
        JSON),
    "repair": Verb("Quarantine a torn tail, rebuild projections, note dead lock holders.",
        "goalkeeper state repair", RUN, JSON),
    "clear": Verb("Close one run and move it to the archive, whatever its condition.",
        "goalkeeper state clear --force --mode ultragoal", RUN, JSON,
        switch("--force", "yes, set this run aside"),
        Option("--mode", "what to clear", choices=("ultragoal",), required=True)),
    "handoff": Verb("Hand the run back to planning or clarification.",
        "goalkeeper state handoff --to planning", RUN, JSON,
        Option("--to", "to whom", choices=("planning", "clarification"), required=True)),
    "write": Verb("Mark the run ready for hand-off.",
        "goalkeeper state write --input '{\"current_phase\":\"handoff\"}'", RUN, JSON,
        Option("--input JSON|PATH", "the phase to record", required=True)),
}  # fmt: skip


def run_doctor(_args: argparse.Namespace, app: App) -> Reply:
    try:
        found = upkeep.find_problems(app.runs)
        found += [lost for run_id in app.runs.ids() for lost in _find_lost_evidence(app, run_id)]
    except StateForeign as exc:
        found = [upkeep.StateProblem(exc.code, exc.message, exc.hint)]
    data = {"ok": not found, "root": app.root, "findings": found}
    if not found:
        return Reply(data, (f"The state in {app.state.dir} is sound.",))
    lines = [line for f in found for line in (f"{f.code}: {f.message}", f"  mend: {f.mend}")]
    return Reply(data, tuple(lines))


def _find_lost_evidence(app: App, run_id: str) -> list[upkeep.StateProblem]:
    """Find a proof whose evidence is gone. What is wrong with a ledger is found before."""
    with suppress(GoalkeeperError):
        try:
            wiring.require_evidence(app, app.runs.named(run_id))
        except EvidenceGone as exc:
            return [upkeep.StateProblem(exc.code, exc.message, exc.hint)]
    return []


def run_repair(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.run(args.run)
    actions = upkeep.discard_staged(app.runs)
    if chosen:
        actions = upkeep.repair_run(chosen, actions, at=app.clock(), actor=app.actor)
    data = {"ok": True, "run_id": chosen.run_id if chosen else None, "actions": actions}
    page = tuple(actions) or ("Nothing needed mending.",)
    return Reply(data, page, warnings=tuple(chosen.warnings) if chosen else ())


def run_clear(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    if not args.force:
        hint = f"goalkeeper state clear --force --mode {args.mode} --run {chosen.run_id}"
        raise UsageError(problem="clearing sets the run aside; say --force", hint=hint)
    with app.runs.holding():
        closed = _record_closing(chosen, args.mode, app)
        if closed and closed.refused and closed.refused.reason != CLOSED:
            return refusal(closed.refused)
        recorded = closed is not None
        if recorded:
            archived, warnings = set_aside(app.runs, chosen)
        else:
            archived, warnings = app.runs.set_aside(chosen.run_id), ()
    data = {"ok": True, "run_id": chosen.run_id, "archived": archived, "recorded": recorded}
    kept = f" and kept in {archived}" if archived else ""
    broken = () if recorded else ("Nothing was recorded: its ledger is broken.",)
    return Reply(data, (f"Run {chosen.run_id} is closed{kept}.", *broken), warnings=warnings)


def _record_closing(chosen: FileRun, mode: str, app: App) -> CommandResult | None:
    """Record that the run is closed. Nothing is added to a broken ledger."""
    try:
        command = commands.CloseRun(f"cleared (mode {mode})")
        return handle(chosen, command, actor=app.actor, clock=app.clock)
    except LedgerError:
        if app.actor.kind is ActorKind.AGENT:  # nobody knows any more whose plan it is
            raise
        return None


def run_write(args: argparse.Namespace, app: App) -> Reply:
    given = inputs.json_object(app, args.input, "--input")
    if given != {"current_phase": _HANDOFF}:
        problem = '--input takes {"current_phase":"handoff"} and nothing else'
        raise UsageError(problem=problem, hint="goalkeeper state write --help")
    return _hand_off(_HANDOFF, args, app)


def run_handoff(args: argparse.Namespace, app: App) -> Reply:
    return _hand_off(args.to, args, app)


def _hand_off(to: str, args: argparse.Namespace, app: App) -> Reply:
    reply = Reply({"handoff": to}, (f"The run is handed off ({to}).",), next=_BACK)
    return act(args, app, commands.RecordHandoff(to), lambda _: reply)
