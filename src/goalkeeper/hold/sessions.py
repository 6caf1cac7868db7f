"""Begins, ends and proves holds of sessions. Hooks ask for it, and people may."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from goalkeeper.app.contracts import JudgeContext, find_frozen, make_verification
from goalkeeper.app.handle import handle
from goalkeeper.app.judging import make_trial
from goalkeeper.app.plans import PlanDeps, create_plan, find_live_run, read_brief
from goalkeeper.app.ports import Run
from goalkeeper.config import Argv
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.graph import next_goal
from goalkeeper.core.plan.guards import Interruption, refuse_interruption
from goalkeeper.core.plan.model import Goal, Plan, Refused
from goalkeeper.errors import GoalkeeperError, LedgerError
from goalkeeper.git.trees import Trees
from goalkeeper.hold.proof import HoldProof
from goalkeeper.hold.store import Holds
from goalkeeper.storage.lock import is_held
from goalkeeper.storage.places import State
from goalkeeper.wire import fingerprint, layout
from goalkeeper.wire import hold as wire
from goalkeeper.wire.hold import Hold, HoldVerdict
from goalkeeper.wire.value import Value

# A proof finds these out; everything else may have changed while it ran.
_LEARNED = ("verdict", "asks", "ignored", "also_seen")
_MOST_IGNORED = 500


class HoldDeps(Value):
    """What holding sessions of a repository needs."""

    holds: Holds
    planning: PlanDeps  # it acts for the session that is held
    state: State
    open_context: Callable[[Hold], JudgeContext]  # it judges in the worktree of the session
    open_trees: Callable[[Hold], Trees]  # it opens the trees of the same worktree
    now: Callable[[], float] = time.time

    def look(self, hold: Hold) -> Hold:
        """Return the hold with what its fingerprint leaves out, and what it must see besides."""
        trees, ledger = self.open_trees(hold), self.state.files_of_run(hold.run).ledger
        seen_too = log_of_head(trees)
        return hold.replace(ignored=ignored_folders(trees), also_seen=seen_too, ledger=ledger)


class BegunHold(Value):
    hold: Hold
    plan: Plan
    is_new: bool


def begin(deps: HoldDeps, asked: Hold, brief: str) -> BegunHold | Refused:
    """Hold a session from zero on; a session that is held stays as it is."""
    with deps.holds.lock_session(layout.ARMING, asked.client, asked.session):
        old = deps.holds.get(asked.client, asked.session)
        is_watched = bool(old and deps.holds.is_watched(old))
        if old and is_watched and not old.ended:
            return BegunHold(old, deps.open_context(old).run.read(), is_new=False)
        elsewhere = deps.holds.watched_by(asked.client, asked.session)
        if elsewhere and not is_watched:
            # A request to be held moves nobody from one goal to another.
            held = f"session {asked.session} is held already, by {elsewhere}"
            hint = 'say "stop ultrawork" in the session'
            return Refused("held-elsewhere", f"{held}; its user ends that first", hint)
        made = _choose_run(deps, old, brief, asked.verify)
        return made if isinstance(made, Refused) else _start_hold(deps, old, asked, made)


def _start_hold(deps: HoldDeps, old: Hold | None, asked: Hold, made: tuple[Run, bool]) -> BegunHold:
    (run, own), planning = made, deps.planning
    plan = handle(run, commands.StartNext(), actor=planning.actor, clock=planning.clock).plan
    known = old if old and old.run == run.run_id else None
    bare = known.bare if known else tuple(goal.id for goal in plan.required_goals if _is_bare(goal))
    hold = deps.look(
        asked.replace(
            run=run.run_id,
            own=own or bool(known and known.own),
            bare=bare,
            verify=known.verify if known else asked.verify,  # what was frozen stays
            runners=known.runners if known else asked.runners,
        )
    )
    with deps.holds.lock_session(layout.LOCKED, hold.client, hold.session):
        deps.holds.put(hold)
    return BegunHold(hold, plan, is_new=True)


def _is_bare(goal: Goal) -> bool:
    return not goal.contract and goal.frozen is None


def _choose_run(
    deps: HoldDeps, old: Hold | None, brief: str, verify: Sequence[Argv]
) -> tuple[Run, bool] | Refused:
    """Choose the session's run, and say whether it was made for this."""
    chosen = find_live_run(deps.planning)
    if chosen and next_goal(chosen.read(), retry_failed=True, at=deps.planning.clock()) is None:
        if not old or old.run != chosen.run_id or not old.own:
            said = f"Run {chosen.run_id} has no goal that an agent could work on"
            return Refused("nothing-to-do", said, "goalkeeper status, then goalkeeper unblock")
        _close(deps.planning, chosen, "given up, and asked for anew")
        chosen = None
    if chosen is None:
        return _make_run(deps.planning, brief, verify)
    if is_held(deps.state.files_of_run(chosen.run_id).drive_lock):
        said = f"Run {chosen.run_id} is being driven; its drive decides when it is done."
        return Refused("driven", said, "goalkeeper status")
    if any(_is_bare(goal) for goal in chosen.read().required_goals):
        if not verify:
            return _refuse_unprovable()
        make_verification(verify, ())
    return chosen, False


def _make_run(planning: PlanDeps, brief: str, verify: Sequence[Argv]) -> tuple[Run, bool] | Refused:
    goals = read_brief(brief, "The prompt").goals
    if not verify and not all(goal.contract for goal in goals):
        return _refuse_unprovable()
    make_verification(verify, ())  # bad commands fail now, and not when a stop waits
    created = create_plan(planning, brief, source="The prompt")
    return created if isinstance(created, Refused) else (created.run, True)


def _refuse_unprovable() -> Refused:
    said = "there is nothing to prove it by: no contract, and no command that tests the project"
    hint = f"name commands under [verify] in {layout.STATE_DIR}/{layout.CONFIG}"
    return Refused("nothing-to-prove-by", said, hint)


def let_go(deps: HoldDeps, hold: Hold, why: str) -> tuple[Hold, bool]:
    """End the hold if it is on, and close the run that was made for it; say whether it did."""
    with deps.holds.lock_session(layout.ARMING, hold.client, hold.session):
        with deps.holds.lock_session(layout.LOCKED, hold.client, hold.session):
            hold = deps.holds.get(hold.client, hold.session) or hold
            if not hold.ended:
                hold = hold.end_hold(wire.OFF, why, deps.now())
                deps.holds.put(hold)
        return hold, _close_own_run(deps, hold)


def _close_own_run(deps: HoldDeps, hold: Hold) -> bool:
    if not hold.own or hold.ended not in (wire.OFF, wire.CLEARED):
        return False
    run, planning = deps.open_context(hold).run, deps.planning
    try:
        if not run.read().is_live:
            return False
        return _close(planning, run, f"ultrawork ended: {hold.ended_why}")
    except LedgerError:
        return False  # it stays as it is, and `state doctor` reports it


def _close(planning: PlanDeps, run: Run, why: str) -> bool:
    """Close a run. It is not moved to the archive, because a proof may be at work in it."""
    return handle(run, commands.CloseRun(why), actor=planning.actor, clock=planning.clock).changed


def prove(deps: HoldDeps, hold: Hold, *, since: float, records: bool) -> Hold:
    """Return the hold with a verdict about the files as they are.

    A verdict that was begun after `since` is enough; 0 asks for a new one. With `records`, what is
    proven is completed.
    """
    with deps.holds.lock_session(layout.PROVING, hold.client, hold.session):
        hold = deps.holds.get(hold.client, hold.session) or hold
        looked = deps.look(hold)
        seen, ledger = mark(looked), fingerprint.of_ledger(looked, os.stat)
        if hold.ended or _is_enough(hold.verdict, seen, ledger, since, records=records):
            return hold
        proven = _add_verdict(deps, looked, seen, records=records)
        with deps.holds.lock_session(layout.LOCKED, hold.client, hold.session):
            now = deps.holds.get(hold.client, hold.session)
            if now is None or now.run != hold.run or now.ended:
                return proven
            hold = now.replace(**{name: getattr(proven, name) for name in _LEARNED})
            deps.holds.put(hold)
    return hold


def _is_enough(
    known: HoldVerdict | None, seen: str, ledger: str, since: float, *, records: bool
) -> bool:
    if known is None or known.outcome == wire.UNKNOWN:
        return False
    if records and known.outcome == wire.PASSED:
        return False  # the session's agent can write a hold; it ends by a proof, not by a file
    alike = bool(seen) and (known.mark, known.ledger) == (seen, ledger)
    return (alike and since > 0) or 0 < since <= known.began


def _add_verdict(deps: HoldDeps, hold: Hold, seen: str, *, records: bool) -> Hold:
    """Return the hold with a verdict. A reason why there is no verdict is a verdict, too.

    The mark is taken before the snapshot; if it differs afterwards, the verdict has none.
    """
    began = deps.now()
    try:
        context = deps.open_context(hold)
        verdict = HoldProof(context, hold, records=records).reach_verdict()
        hold = _add_guards(deps, hold, context)
        is_asked_again = verdict.failing == (wire.OLD_FAILURES,)
        seen = seen if mark(hold) == seen and not is_asked_again else ""
        ledger = fingerprint.of_ledger(hold, os.stat)
        return hold.replace(verdict=verdict.replace(began=began, mark=seen, ledger=ledger))
    except GoalkeeperError as exc:
        return hold.replace(verdict=HoldVerdict(wire.UNKNOWN, "", began, text=exc.message))


def _add_guards(deps: HoldDeps, hold: Hold, context: JudgeContext) -> Hold:
    """Return the hold with what its agent may not do, as the plan is now."""
    plan = context.run.read()
    paths: set[str] = set()
    for asked in filter(None, (find_frozen(plan, goal) for goal in plan.asked_goals)):
        trial = make_trial(context, asked, asked.frozen.base, cached=True, final=False)
        paths.update(context.witness.list_protected(trial))
    deps.holds.protect(hold, tuple(sorted(paths)))
    return hold.replace(asks=refuse_interruption(plan, Interruption.ASK) is None)


def mark(hold: Hold) -> str:
    """Say how its tree looks now; return an empty text if that is not sure."""
    seen, is_sure = fingerprint.take_fingerprint(hold, time.time_ns(), os.scandir, os.stat)
    return seen if is_sure else ""


def ignored_folders(trees: Trees) -> tuple[str, ...]:
    """List the folders in which git sees nothing, the first of them if there are very many."""
    asked = (
        "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory",
        "--no-empty-directory",
    )  # fmt: skip
    told = trees.user_git.call(*asked).split(b"\0")
    folders = [os.fsdecode(path[:-1]) for path in told if path.endswith(b"/")]
    return tuple(sorted(folders)[:_MOST_IGNORED])


def log_of_head(trees: Trees) -> tuple[str, ...]:
    """Find the file that changes with every commit and every change of branch, if git keeps one."""
    path = os.path.join(trees.repository.git_dir, "logs", "HEAD")
    return (path,) if os.path.isfile(path) else ()
