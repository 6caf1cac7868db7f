"""What `ulw` does and says around a hold: its run, its words, its end."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.app.handle import handle
from goalkeeper.app.holding import verification
from goalkeeper.app.judging import Court, contract_of, trial_of
from goalkeeper.app.plans import Maker, create_plan, read_brief, set_aside
from goalkeeper.bootstrap import App
from goalkeeper.config import Argv
from goalkeeper.core import commands
from goalkeeper.core.guards import Action, guard
from goalkeeper.core.model import Actor, GoalMode, GoalStatus, Plan, Refused
from goalkeeper.errors import LedgerError, RunBoundElsewhere
from goalkeeper.storage.lock import is_held
from goalkeeper.storage.run import FileRun
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import SENTINEL, Hold

_SHOWN = 8


def plan_for(app: App, objective: str, verify: Sequence[Argv]) -> tuple[Plan, bool] | Refused:
    """The plan of the session's run, and whether it was made for this."""
    chosen = _live_run(app)
    if chosen is None:
        return _made(app, objective, verify)
    if is_held(chosen.files.drive_lock):
        said = f"Run {chosen.run_id} is being driven; its drive decides when it is done."
        return Refused("driven", said, "goalkeeper status")
    return _started(app, chosen), False


def _live_run(app: App) -> FileRun | None:
    try:
        chosen = app.run(None)
    except RunBoundElsewhere:
        return None  # another session's is not in the way
    return chosen if chosen and chosen.read().is_live else None


def _made(app: App, objective: str, verify: Sequence[Argv]) -> tuple[Plan, bool] | Refused:
    brief = read_brief(objective, "The prompt")
    if not verify and not all(goal.contract for goal in brief.goals):
        said = "there is nothing to prove it by: no contract, and no command that tests the project"
        hint = f"name commands under [verify] in {layout.STATE_DIR}/{layout.CONFIG}"
        return Refused("nothing-to-prove-by", said, hint)
    verification(verify, ())  # now, not when a stop waits for it
    world = app.world
    maker = Maker(app.runs, app.actor, app.clock, world.suffix, lambda: app.witness("").snapshot())
    created = create_plan(
        maker, objective, source="The prompt", mode=GoalMode.AGGREGATE, archive=None
    )
    if isinstance(created, Refused):
        return created
    return _started(app, app.runs.named(created.run.run_id)), True


def _started(app: App, chosen: FileRun) -> Plan:
    return handle(chosen, commands.StartNext(), actor=app.actor, clock=app.clock).plan


def close(app: App, hold: Hold) -> bool:
    """End the run that was made for a hold which ended unproven; whether there was one."""
    if not hold.own or hold.ended not in (wire.OFF, wire.CLEARED):
        return False
    try:
        chosen = app.runs.named(hold.run)
        if not chosen.read().is_live:
            return False
        with app.runs.holding():
            command = commands.CloseRun(f"ultrawork ended: {hold.ended_why}")
            handle(chosen, command, actor=app.actor, clock=app.clock)
            set_aside(app.runs, chosen)
    except LedgerError:
        return False  # it is left as it is, for `state doctor` to see
    return True


def proven_by(hold: Hold, plan: Plan) -> list[str]:
    """In words: every criterion that is open, or the commands where there is no contract."""
    found = []
    for goal in plan.required:
        contract = contract_of(goal)
        if contract:
            found += [f"{goal.id} {c.id}: {c.text}" for c in contract.criteria]
        elif hold.own:
            found += [f"{goal.id}: {' '.join(argv)}" for argv in hold.verify]
    return found


def notice(hold: Hold, by: Sequence[str], said: str) -> str:
    """For the user: what holds the session, and how to leave."""
    more = f" (and {len(by) - _SHOWN} more)" if len(by) > _SHOWN else ""
    shown = "; ".join(by[:_SHOWN]) + more
    proven = f"It ends when proven by: {shown}." if by else f"Run {hold.run} has no contract yet."
    return (
        f"{SENTINEL} Ultrawork {said}. {proven} At most {hold.max_blocks} blocks and "
        f'{hold.minutes:g} minutes. Say "stop ultrawork" to leave.'
    )


def instructions(hold: Hold, plan: Plan, by: Sequence[str]) -> str:
    """For the model, as facts about this session. No empty line: see hooks/words.py."""
    listed = "\n".join(f"   - {each}" for each in by[:_SHOWN]) or "   - the active goal's contract"
    listed += f"\n   and {len(by) - _SHOWN} more: goalkeeper status" if len(by) > _SHOWN else ""
    return (
        f"{SENTINEL} The user has turned on ultrawork for this session (run {plan.run_id}).\n"
        "A stop is let through when these hold in a clean checkout of the files as they are, "
        "with the tests and tool settings as they were at the beginning:\n"
        f"{listed}\n"
        "How work goes in ultrawork:\n"
        "1. Explore first: two to five subagents in parallel, each with one narrow question; "
        "keep their answers short.\n"
        "2. Pick a slice of one to three atomic changes, and for each the check that will "
        "show it.\n"
        "3. Make the change; keep notes and checklists in step with it.\n"
        "4. Run the checks; mend what fails; repeat until they pass. What failed before is "
        "named as such.\n"
        "5. Stop only when all of it holds; otherwise the next slice.\n"
        "What is said is not taken as proof, and changed tests are not taken as passing. "
        f"goalkeeper ulw prove runs the checks now. If only a human can go on: goalkeeper blocked "
        f'--run {hold.run} --as needs-human --evidence "<why>".'
    )


def only_humans(hold: Hold, actor: Actor) -> Refused:
    said = (
        f"Ultrawork is ended by its user; this call counts as {actor.kind} ({actor.how}). "
        'The user says "stop ultrawork" in the session, or calls this in a terminal'
    )
    hint = f'goalkeeper blocked --run {hold.run} --as needs-human --evidence "<why>"'
    return Refused("hold-is-the-users", said, hint)


def seen(app: App, hold: Hold) -> Hold:
    """With what hooks need to know of the tree, as it is now."""
    from goalkeeper.witness.unwatched import ignored_folders, log_of_head  # noqa: PLC0415

    trees = app.witness("").trees
    return hold.replace(ignored=ignored_folders(trees), beside=log_of_head(trees))


def guarded(app: App, hold: Hold, court: Court) -> Hold:
    """With what its agent may not do, as the plan is now."""
    plan = court.run.read()
    frozen = [goal for goal in plan.with_status(GoalStatus.ACTIVE) if goal.frozen]
    if frozen:
        trial = trial_of(court, plan, frozen[0], cached=True, final=False)
        app.holds.protect(hold, court.witness.protected(trial))
    return hold.replace(asks=guard(plan, Action.ASK) is None)


def state(hold: Hold) -> str:
    if hold.ended:
        return f"{hold.ended} ({hold.ended_why})" if hold.ended == wire.TRIPPED else hold.ended
    return "waiting" if hold.waiting else "held"


def row(hold: Hold) -> tuple[str, ...]:
    verdict = hold.verdict
    seen_ = f"{verdict.outcome} {verdict.tree[:12]}".strip() if verdict else "-"
    return state(hold), f"{hold.blocks}/{hold.max_blocks}", hold.run, seen_
