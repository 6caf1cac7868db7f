"""Holding a session: begin, let go, prove. Hooks ask for it, and so may people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from goalkeeper.app.handle import handle
from goalkeeper.app.judging import Court, trial_of
from goalkeeper.app.plans import Maker, create_plan, read_brief
from goalkeeper.app.ports import Run
from goalkeeper.config import Argv
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.guards import Action, guard
from goalkeeper.core.plan.model import Goal, Plan, Refused
from goalkeeper.errors import GoalkeeperError, LedgerError, RunBoundElsewhere
from goalkeeper.hold.proof import Proof, verification
from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import Hold, Verdict
from goalkeeper.wire.value import Value

# What a proof finds out; all else may have changed while it ran.
_LEARNED = ("verdict", "asks", "ignored", "also_seen")


class Holds(Protocol):
    def get(self, client: str, session: str) -> Hold | None: ...

    def put(self, hold: Hold) -> None: ...

    def is_watched(self, hold: Hold) -> bool: ...

    def watched_by(self, client: str, session: str) -> str: ...

    def protect(self, hold: Hold, paths: tuple[str, ...]) -> None: ...

    def holding(self, client: str, session: str) -> AbstractContextManager[None]: ...

    def arming(self, client: str, session: str) -> AbstractContextManager[None]: ...

    def proving(self, client: str, session: str) -> AbstractContextManager[None]: ...


class Means(Value):
    """What it takes to hold sessions of a repository."""

    holds: Holds
    maker: Maker  # acts for the session that is held
    is_driven: Callable[[Run], bool]
    court: Callable[[Hold], Court]
    output: Callable[[Hold, str], str]  # what a check printed, by the digest of its evidence
    looked_at: Callable[[Hold], Hold]  # with what a look at its tree passes over, and adds
    mark: Callable[[Hold], str]  # how its tree looks; empty: it cannot be told
    ledger: Callable[[Hold], str]  # how the run's ledger looks
    now: Callable[[], float]


class Begun(Value):
    hold: Hold
    plan: Plan
    is_new: bool


def begin(means: Means, asked: Hold, brief: str) -> Begun | Refused:
    """Hold a session from zero on; one that is held stays as it is."""
    with means.holds.arming(asked.client, asked.session):
        old = means.holds.get(asked.client, asked.session)
        is_watched = bool(old and means.holds.is_watched(old))
        if old and is_watched and not old.ended:
            return Begun(old, _plan(means, old), is_new=False)
        elsewhere = means.holds.watched_by(asked.client, asked.session)
        if elsewhere and not is_watched:
            return _held_elsewhere(asked, elsewhere)
        made = _run_for(means, old, brief, asked.verify)
        return made if isinstance(made, Refused) else _begun(means, old, asked, made)


def _begun(means: Means, old: Hold | None, asked: Hold, made: tuple[Run, bool]) -> Begun:
    (run, own), maker = made, means.maker
    plan = handle(run, commands.StartNext(), actor=maker.actor, clock=maker.clock).plan
    known = old if old and old.run == run.run_id else None
    bare = known.bare if known else tuple(goal.id for goal in plan.required if _is_bare(goal))
    hold = means.looked_at(
        asked.replace(
            run=run.run_id,
            own=own or bool(known and known.own),
            bare=bare,
            verify=known.verify if known else asked.verify,  # what was frozen stays
        )
    )
    with means.holds.holding(hold.client, hold.session):
        means.holds.put(hold)
    return Begun(hold, plan, is_new=True)


def _is_bare(goal: Goal) -> bool:
    return not goal.contract and goal.frozen is None


def _held_elsewhere(asked: Hold, path: str) -> Refused:
    """Nobody is moved from one goal to another by being asked to be held."""
    said = f"session {asked.session} is held already, by {path}; its user ends that first"
    return Refused("held-elsewhere", said, 'say "stop ultrawork" in the session')


def _plan(means: Means, hold: Hold) -> Plan:
    return means.court(hold).run.read()


def _run_for(
    means: Means, old: Hold | None, brief: str, verify: Sequence[Argv]
) -> tuple[Run, bool] | Refused:
    """The session's run, and whether it was made for this."""
    chosen = _live_run(means.maker)
    if chosen and next_goal(chosen.read(), retry_failed=True, at=means.maker.clock()) is None:
        if not old or old.run != chosen.run_id or not old.own:
            said = f"Run {chosen.run_id} has no goal that an agent could work on"
            return Refused("nothing-to-do", said, "goalkeeper status, then goalkeeper unblock")
        _close(means.maker, chosen, "given up, and asked for anew")
        chosen = None
    if chosen is None:
        return _made(means.maker, brief, verify)
    if means.is_driven(chosen):
        said = f"Run {chosen.run_id} is being driven; its drive decides when it is done."
        return Refused("driven", said, "goalkeeper status")
    if any(_is_bare(goal) for goal in chosen.read().required):
        if not verify:
            return _nothing_to_prove_by()
        verification(verify, ())
    return chosen, False


def _live_run(maker: Maker) -> Run | None:
    try:
        chosen = maker.runs.choose(named="", actor=maker.actor)
    except RunBoundElsewhere:
        return None  # another session's is not in the way
    return chosen if chosen and chosen.read().is_live else None


def _made(maker: Maker, brief: str, verify: Sequence[Argv]) -> tuple[Run, bool] | Refused:
    goals = read_brief(brief, "The prompt").goals
    if not verify and not all(goal.contract for goal in goals):
        return _nothing_to_prove_by()
    verification(verify, ())  # now, not when a stop waits for it
    created = create_plan(maker, brief, source="The prompt")
    return created if isinstance(created, Refused) else (created.run, True)


def _nothing_to_prove_by() -> Refused:
    said = "there is nothing to prove it by: no contract, and no command that tests the project"
    hint = f"name commands under [verify] in {layout.STATE_DIR}/{layout.CONFIG}"
    return Refused("nothing-to-prove-by", said, hint)


def let_go(means: Means, hold: Hold, why: str) -> tuple[Hold, bool]:
    """Over, if it was not; and the run that was made for it is closed. Whether it was."""
    with means.holds.arming(hold.client, hold.session):
        with means.holds.holding(hold.client, hold.session):
            hold = means.holds.get(hold.client, hold.session) or hold
            if not hold.ended:
                hold = hold.over(wire.OFF, why, means.now())
                means.holds.put(hold)
        return hold, _closed(means, hold)


def _closed(means: Means, hold: Hold) -> bool:
    if not hold.own or hold.ended not in (wire.OFF, wire.CLEARED):
        return False
    run, maker = means.court(hold).run, means.maker
    try:
        if not run.read().is_live:
            return False
        return _close(maker, run, f"ultrawork ended: {hold.ended_why}")
    except LedgerError:
        return False  # it is left as it is, for `state doctor` to see


def _close(maker: Maker, run: Run, why: str) -> bool:
    """Not moved to the archive: a proof may be at work in it."""
    return handle(run, commands.CloseRun(why), actor=maker.actor, clock=maker.clock).changed


class Wanted(Value):
    """What a proof is asked for."""

    since: float = 0.0  # a verdict that was begun after that will do; 0: none will
    records: bool = False  # complete what is proven


def prove(means: Means, hold: Hold, wanted: Wanted) -> Hold:
    """With a verdict about the files as they are."""
    with means.holds.proving(hold.client, hold.session):
        hold = means.holds.get(hold.client, hold.session) or hold
        looked = means.looked_at(hold)
        mark = means.mark(looked)
        if hold.ended or _will_do(hold.verdict, wanted, mark, means.ledger(looked)):
            return hold
        proven = _proven(means, looked, mark, records=wanted.records)
        with means.holds.holding(hold.client, hold.session):
            now = means.holds.get(hold.client, hold.session)
            if now is None or now.run != hold.run or now.ended:
                return proven
            hold = now.replace(**{name: getattr(proven, name) for name in _LEARNED})
            means.holds.put(hold)
    return hold


def _will_do(known: Verdict | None, wanted: Wanted, mark: str, ledger: str) -> bool:
    if known is None or known.outcome == wire.UNKNOWN:
        return False
    if wanted.records and known.outcome == wire.PASSED and not known.recorded:
        return False
    alike = bool(mark) and (known.mark, known.ledger) == (mark, ledger)
    return (alike and wanted.since > 0) or 0 < wanted.since <= known.began


def _proven(means: Means, hold: Hold, mark: str, *, records: bool) -> Hold:
    """What stands in the way of a verdict is one, too.

    The mark is taken before the snapshot; if it is another afterwards, there is none.
    """
    began = means.now()
    try:
        court = means.court(hold)
        proof = Proof(court, hold, lambda digest: means.output(hold, digest), records=records)
        verdict = proof.verdict(began)
        hold = _guarded(means, hold, court)
        mark = mark if means.mark(hold) == mark else ""
        return hold.replace(verdict=verdict.replace(mark=mark, ledger=means.ledger(hold)))
    except GoalkeeperError as exc:
        return hold.replace(verdict=Verdict(wire.UNKNOWN, "", began, text=exc.message))


def _guarded(means: Means, hold: Hold, court: Court) -> Hold:
    """With what its agent may not do, as the plan is now."""
    plan = court.run.read()
    paths: set[str] = set()
    for goal in plan.asked:
        if goal.frozen:
            trial = trial_of(court, plan, goal, cached=True, final=False)
            paths.update(court.witness.protected(trial))
    means.holds.protect(hold, tuple(sorted(paths)))
    return hold.replace(asks=guard(plan, Action.ASK) is None)
