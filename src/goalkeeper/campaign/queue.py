"""The queue: sessions are merged onto the head, and what must hold is proven on the merge.

Each session is proven on its own branch already, and two of them can be wrong together. Nothing is
changed here: the branch of the campaign moves when the proof is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from goalkeeper.app.contracts import JudgeContext, check_contract, contract_of
from goalkeeper.app.queries.drives import find_proven_work
from goalkeeper.app.standing import judge_merged
from goalkeeper.campaign.audit import audit_files
from goalkeeper.core.campaign.events import BatchProven, BatchRefused, WholeProven
from goalkeeper.core.campaign.state import Campaign, SessionState, SessionStatus
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.fitness import Fitness, Look
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.standing import SETTLED_KINDS
from goalkeeper.errors import ContractInvalid
from goalkeeper.git.trees import Trees
from goalkeeper.loop.landing import ProvenBranch, join_branches
from goalkeeper.wire.value import Value

_HOLDING = frozenset({Look.GREEN, Look.GUARD})


class QueueDeps(Value):
    """What the queue works with."""

    trees: Trees
    list_contracts: Callable[[Campaign, SessionState], Sequence[Contract]]  # as its plan has them
    read_plan: Callable[[str], Plan]  # the plan of a run
    open_context: Callable[[str], JudgeContext]  # it judges for a run


def prove_batch(
    deps: QueueDeps, campaign: Campaign, session_ids: Sequence[str]
) -> BatchProven | BatchRefused:
    """Merge these sessions onto the head, in order, and prove what must hold there.

    A refusal that names no session says that the head has lost what landed on it.
    """
    head = campaign.head
    lost = tuple(_find_lost(deps, campaign))
    if lost:
        return BatchRefused((), head, lost)
    arriving = [campaign.sessions[each] for each in session_ids]
    tip = head.commit
    unplanned: list[str] = []
    for number, session in enumerate(arriving, 1):
        if forged := _explain_forgery(deps, campaign, session):
            return BatchRefused(tuple(session_ids[:number]), head, (forged,))
        joined = join_branches(deps.trees, tip, list_branches(deps.read_plan(session.run_id)))
        if isinstance(joined, Refused):
            files = tuple(str(each) for each in _list_conflicts(joined))
            reason = f"{session.id} conflicts with what landed: {', '.join(files)}"
            if not files:
                reason = f"{session.id}: {joined.message}"
            return BatchRefused(tuple(session_ids[:number]), head, (reason,), files)
        unplanned += _find_unplanned(deps, campaign, session, tip, joined)
        tip = joined
    merged = deps.trees.resolve_revision(tip)
    wrong = (*unplanned, *find_undone(deps.trees, campaign, arriving))
    wrong = wrong or tuple(_find_broken(deps, campaign, arriving, merged))
    if wrong:
        return BatchRefused(tuple(session_ids), head, wrong)
    return BatchProven(tuple(session_ids), head, merged)


def _explain_forgery(deps: QueueDeps, campaign: Campaign, session: SessionState) -> str:
    """Say what a run has that its plan has not: its worker can write there."""
    contracts, goals = deps.list_contracts(campaign, session), deps.read_plan(session.run_id).goals
    if len(goals) != len(contracts):
        return f"{session.id} has {len(goals)} steps in its run, and {len(contracts)} in its plan"
    for goal, contract in zip(goals, contracts, strict=True):
        try:
            is_planned = _list_terms(contract_of(goal)) == _list_terms(contract)
        except ContractInvalid:
            is_planned = False
        if not is_planned:
            return f"{session.id} {goal.id} was judged by another contract than its plan has"
    return ""


def _find_unplanned(
    deps: QueueDeps, campaign: Campaign, session: SessionState, before: str, after: str
) -> Iterator[str]:
    """Find what the plan does not allow."""
    contracts, trees = deps.list_contracts(campaign, session), deps.trees
    goals = deps.read_plan(session.run_id).goals
    origin, merged = (trees.resolve_revision(each) for each in (before, after))
    if before == after and session.base and session.work:  # somebody had put it there before
        origin, merged = session.base, session.work
    for step, contract, goal in zip(session.planned.steps, contracts, goals, strict=True):
        if goal.status is not GoalStatus.COMPLETE and step.on_failure is not OnFailure.SKIP:
            yield f"{session.id} {goal.id} is not proven"
        for row in audit_files(trees, step.number, contract, origin, merged):
            if not row.is_there and goal.status is GoalStatus.COMPLETE:
                yield f"{session.id} step {row.step}, {row.expected}: {row.found}"
    changed = trees.list_differences(origin.tree, merged.tree)
    outside = [path for path in changed if all(each.find_ban(path) for each in contracts)]
    if outside:
        yield f"{session.id} changed what lies outside of its fence: {', '.join(outside[:3])}"


def _list_terms(contract: Contract | None) -> dict[str, object]:
    plain = contract.plain if contract else {}
    return {name: value for name, value in plain.items() if name != "depends_on"}


def _list_conflicts(refused: Refused) -> Sequence[object]:
    files = refused.facts.get("files", ())
    return files if isinstance(files, list | tuple) else ()


def prove_whole(deps: QueueDeps, campaign: Campaign, candidate: Base | None = None) -> WholeProven:
    """Prove everything that landed once more, without a cache: on the head, or on a candidate."""
    landed = campaign.list_sessions(SessionStatus.LANDED)
    tree = candidate or campaign.head
    judged = _judge_sessions(deps, campaign, landed, (), tree, everything=True, final=True)
    unproven = [_describe(name, each) for name, each in judged if not _holds(each)]
    return WholeProven(tree, (*unproven, *_find_unmet(deps, campaign, tree)))


# Others may have met what a session is to prove: then there is nothing left to do for it.


def is_met_elsewhere(deps: QueueDeps, campaign: Campaign, session: SessionState) -> bool:
    """Return whether all that a session is to prove holds where it begins, and did not before.

    What held before the campaign, too, shows nothing, and stays a matter for the plan's owner.
    """
    base, plan = session.base, deps.read_plan(session.run_id)
    is_begun = any(goal.frozen for goal in plan.goals)
    if base is None or base.tree == campaign.origin.tree or is_begun:
        return False
    if _explain_forgery(deps, campaign, session):
        return False
    is_shown = False
    for row in _look(deps, campaign, session, base):
        if row.look not in _HOLDING:
            return False
        is_shown = is_shown or row.look is Look.GREEN
    before = _look(deps, campaign, session, campaign.origin)
    return is_shown and all(row.is_fit for row in before if not row.criterion.guard)


def _find_unmet(deps: QueueDeps, campaign: Campaign, tree: Base) -> Iterator[str]:
    """Find criteria of sessions that were met elsewhere and that do not hold on a tree."""
    for session in campaign.list_sessions(SessionStatus.MET):
        for row in _look(deps, campaign, session, tree):
            if row.look not in _HOLDING:
                word = "cannot be checked" if row.look is Look.UNKNOWN else "breaks"
                yield f"{session.id} {row.criterion.id} {word}: {row.reason}"


def _look(
    deps: QueueDeps, campaign: Campaign, session: SessionState, tree: Base
) -> Iterator[Fitness]:
    """See how every criterion that the plan has for a session looks on a tree; record nothing."""
    plan, context = deps.read_plan(session.run_id), deps.open_context(session.run_id)
    contracts = deps.list_contracts(campaign, session)
    for goal, contract in zip(plan.goals, contracts, strict=True):
        yield from check_contract(context, plan, goal, contract, tree).rows


def list_branches(plan: Plan) -> list[ProvenBranch]:
    """List the proven work of a session: one branch for each step, each from the one before."""
    found = find_proven_work(plan)
    starts = [plan.origin.commit if plan.origin else "", *(base.commit for _, _, base in found)]
    return [
        ProvenBranch(place.branch, base.commit, start, _write_message(plan, goal))
        for (place, goal, base), start in zip(found, starts, strict=False)
    ]


def _write_message(plan: Plan, goal: Goal) -> str:
    contract = contract_of(goal)
    title = contract.checkpoint if contract and contract.checkpoint else goal.title
    return f"{title}\n\nGoalkeeper-Step: {plan.run_id} {goal.id}\n"


def find_undone(
    trees: Trees, campaign: Campaign, arriving: Sequence[SessionState]
) -> Iterator[str]:
    """Find files that are again as they were before a session landed that changed them.

    A file that the plan names for a step may be meant to go back.
    """
    changes = {
        each: trees.list_differences(each.base.tree, each.work.tree)
        for each in arriving
        if each.base and each.work
    }
    for other in campaign.list_sessions(SessionStatus.LANDED):
        if not (other.before and other.landed):
            continue
        back = trees.list_differences(other.landed.tree, other.before.tree)
        for session, theirs in changes.items():
            meant = {path for step in session.planned.steps for path in step.files}
            for path in sorted((back.keys() & theirs.keys()) - meant):
                if theirs[path] == back[path]:
                    yield f"{session.id} undoes what {other.id} changed in {path}"


def _find_lost(deps: QueueDeps, campaign: Campaign) -> Iterator[str]:
    """Find what landed and does not hold on a head that somebody moved elsewhere."""
    head, git = campaign.head, deps.trees.user_git
    away = [
        each
        for each in campaign.list_sessions(SessionStatus.LANDED)
        if each.landed and not git.is_ancestor(each.landed.commit, head.commit)
    ]
    asked = _judge_sessions(deps, campaign, away, (), head, everything=True, final=True)
    for name, judged in asked:
        if not _holds(judged):
            yield f"on the head alone, {_describe(name, judged)}"
    if campaign.moved_to:
        for said in _find_unmet(deps, campaign, head):
            yield f"on the head alone, {said}"


def _find_broken(
    deps: QueueDeps, campaign: Campaign, arriving: Sequence[SessionState], merged: Base
) -> Iterator[str]:
    """Find criteria that do not hold on the merge; those that do are recorded in their runs."""
    landed = campaign.list_sessions(SessionStatus.LANDED)
    contracts = (each for session in arriving for each in deps.list_contracts(campaign, session))
    free = [path for contract in contracts for path in contract.may_change]
    for sessions, everything in ((arriving, True), (landed, False)):
        judged = _judge_sessions(deps, campaign, sessions, free, merged, everything=everything)
        yield from (_describe(name, each) for name, each in judged if not _holds(each))
    yield from _find_unmet(deps, campaign, merged)


def _judge_sessions(
    deps: QueueDeps,
    campaign: Campaign,
    sessions: Sequence[SessionState],
    free: Sequence[str],
    candidate: Base,
    *,
    everything: bool,
    final: bool = False,
) -> Iterator[tuple[str, Judged]]:
    for session in sessions:
        context, plan = deps.open_context(session.run_id), deps.read_plan(session.run_id)
        judged = judge_merged(
            context, plan, campaign.head, candidate, free=free, everything=everything, final=final
        )
        if everything:
            judged += tuple(_list_unasked(deps, campaign, session, plan, judged))
        if judged and all(map(_holds, judged)):
            context.handle(commands.RecordStanding(candidate.tree, judged))
        for each in judged:
            yield session.id, each


def _list_unasked(
    deps: QueueDeps, campaign: Campaign, session: SessionState, plan: Plan, judged: Sequence[Judged]
) -> Iterator[Judged]:
    """List criteria of the plan that a run does not know: its worker may have left them out."""
    known = {each.id for each in judged}
    for goal, contract in zip(plan.goals, deps.list_contracts(campaign, session), strict=False):
        for criterion in contract.criteria if goal.status is GoalStatus.COMPLETE else ():
            name = f"{goal.id}/{criterion.id}"
            if name not in known and criterion.check.kind not in SETTLED_KINDS:
                yield Judged(name, Verdict.UNKNOWN, "its plan has it, and its run does not")


def _holds(judged: Judged) -> bool:
    return judged.verdict is Verdict.PASSED


def _describe(session_id: str, judged: Judged) -> str:
    word = "breaks" if judged.verdict is Verdict.FAILED else "cannot be checked"
    return f"{session_id} {judged.id} {word}: {judged.reason}"
