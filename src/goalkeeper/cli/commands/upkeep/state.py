"""`state`: look after the state directory."""

from __future__ import annotations

import argparse

from goalkeeper.app.handle import handle
from goalkeeper.app.plans import set_aside
from goalkeeper.bootstrap import App
from goalkeeper.cli import inputs
from goalkeeper.cli.acting import act
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import NO, Reply
from goalkeeper.core.plan import commands
from goalkeeper.errors import LedgerError, UsageError
from goalkeeper.storage import upkeep
from goalkeeper.storage.run import FileRun

MODES = ("ultragoal",)
_HANDOFF = "handoff"
_BACK = "goalkeeper complete-goals, to take it up again"


def configure(parser: Parser) -> None:
    parser.verb(
        "doctor",
        summary="Say what is wrong and which command mends it.",
        example="goalkeeper state doctor",
        run=False,
    )
    parser.verb(
        "repair",
        summary="Quarantine a torn tail, rebuild projections, note dead lock holders.",
        example="goalkeeper state repair",
    )
    clear = parser.verb(
        "clear",
        summary="Close one run and move it to the archive, whatever its condition.",
        example="goalkeeper state clear --force --mode ultragoal",
    )
    clear.add_argument("--force", action="store_true", help="yes, set this run aside")
    clear.add_argument("--mode", required=True, choices=MODES, help="what to clear")
    handoff = parser.verb(
        "handoff",
        summary="Hand the run back to planning or clarification.",
        example="goalkeeper state handoff --to planning",
    )
    handoff.add_argument(
        "--to", required=True, choices=("planning", "clarification"), help="to whom"
    )
    write = parser.verb(
        "write",
        summary="Mark the run ready for hand-off.",
        example='goalkeeper state write --input \'{"current_phase":"handoff"}\'',
    )
    write.add_argument("--input", required=True, metavar="JSON|PATH", help="the phase to record")


def run(args: argparse.Namespace, app: App) -> Reply:
    match args.verb:
        case "doctor":
            return _doctor(app)
        case "repair":
            return _repair(args, app)
        case "clear":
            return _clear(args, app)
        case "handoff":
            return _hand_off(args.to, args, app)
        case _:
            return _write(args, app)


def _doctor(app: App) -> Reply:
    found = upkeep.find_problems(app.runs)
    data = {"ok": not found, "root": app.root, "findings": found}
    if not found:
        return Reply(data, (f"The state in {app.state.dir} is sound.",))
    lines = [line for f in found for line in (f"{f.code}: {f.message}", f"  mend: {f.mend}")]
    return Reply(data, tuple(lines), NO)


def _repair(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.run(args.run)
    actions = upkeep.discard_staged(app.runs)
    if chosen:
        actions = upkeep.repair_run(chosen, actions, at=app.clock(), actor=app.actor)
    data = {"ok": True, "run_id": chosen.run_id if chosen else None, "actions": actions}
    page = tuple(actions) or ("Nothing needed mending.",)
    return Reply(data, page, warnings=tuple(chosen.warnings) if chosen else ())


def _clear(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    if not args.force:
        hint = f"goalkeeper state clear --force --mode {args.mode} --run {chosen.run_id}"
        raise UsageError(problem="clearing sets the run aside; say --force", hint=hint)
    with app.runs.holding():
        recorded = _record_closing(chosen, args.mode, app)
        if recorded:
            archived, warnings = set_aside(app.runs, chosen)
        else:
            archived, warnings = app.runs.set_aside(chosen.run_id), ()
    data = {"ok": True, "run_id": chosen.run_id, "archived": archived, "recorded": recorded}
    kept = f" and kept in {archived}" if archived else ""
    broken = () if recorded else ("Nothing was recorded: its ledger is broken.",)
    return Reply(data, (f"Run {chosen.run_id} is closed{kept}.", *broken), warnings=warnings)


def _record_closing(chosen: FileRun, mode: str, app: App) -> bool:
    """Record it; a broken ledger is set aside as it is, and nothing is added to it."""
    try:
        command = commands.CloseRun(f"cleared (mode {mode})")
        handle(chosen, command, actor=app.actor, clock=app.clock)
    except LedgerError:
        return False
    return True


def _write(args: argparse.Namespace, app: App) -> Reply:
    given = inputs.json_object(app, args.input, "--input")
    if given != {"current_phase": _HANDOFF}:
        problem = '--input takes {"current_phase":"handoff"} and nothing else'
        raise UsageError(problem=problem, hint="goalkeeper state write --help")
    return _hand_off(_HANDOFF, args, app)


def _hand_off(to: str, args: argparse.Namespace, app: App) -> Reply:
    reply = Reply({"handoff": to}, (f"The run is handed off ({to}).",), next=_BACK)
    return act(args, app, commands.RecordHandoff(to), lambda _: reply)
