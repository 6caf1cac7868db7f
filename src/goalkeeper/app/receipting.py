"""Receipts: issued when a goal has passed its gate, and one for the whole when the last has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goalkeeper.app import judging
from goalkeeper.app.handle import handle
from goalkeeper.app.judging import Court, contract_of
from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.decide import decide
from goalkeeper.core.plan import commands, receipts
from goalkeeper.core.plan.model import Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.receipts import FINAL, GOAL, Circumstances, Proven
from goalkeeper.wire.canonical import compact, sha256
from goalkeeper.wire.value import Value


class Notary(Value):
    """Who signs, and where it is kept."""

    sign: Callable[[bytes], dict[str, Any]]
    keep: Callable[[str, bytes], None]  # under its digest
    has: Callable[[str], bool]  # whether what was kept under it is still that
    head: Callable[[], tuple[str, int]]  # of the ledger: digest and number of its last line
    version: str


class Certified(Value):
    """Digests of what was issued; and why the whole was not certified, if it is complete."""

    goal: str
    final: str = ""
    missing: str = ""


def certify(court: Court, notary: Notary, goal_id: str, judgement: Judgement) -> Certified:
    """After a goal was completed by this judgement."""
    plan = court.run.read()
    goal = judging.find_goal(plan, goal_id)
    proven = _proven(goal, judgement)
    issued = Certified(_issued(court, notary, GOAL, plan, (proven,)))
    if not plan.is_complete:
        return issued
    whole: list[Proven] = []
    for each in plan.required:
        tree = Base(judgement.tree, judgement.commit)
        seen = proven if each.id == goal_id else _proven_again(court, plan, each, tree)
        if each.id != goal_id and seen.judgement.unproven:
            said = f"{each.id} does not hold on the tree on which {goal_id} was proven last"
            return issued.replace(missing=said)
        whole.append(seen)
    return issued.replace(final=_issued(court, notary, FINAL, plan, tuple(whole)))


class Issue(Value):
    """A receipt that somebody asked for; it may have been there."""

    digest: str
    repeated: bool = False


def issue(court: Court, notary: Notary, goal_id: str, candidate: Base) -> Issue | Refused:
    """For a goal that is complete (none named: the whole), once more, where no receipt came of it.

    All is proven anew, on the tree that passed the gate and on no other.
    """
    plan = court.run.read()
    kind = GOAL if goal_id else FINAL
    goals = (judging.find_goal(plan, goal_id),) if goal_id else plan.required
    refused = _not_allowed(court, kind, goal_id) or _not_complete(goals)
    if refused:
        return refused
    last = max(goals, key=lambda goal: goal.completed_at)
    if last.proven is None or last.proven.tree != candidate.tree:
        return _other_tree(last, candidate)
    there = receipts.fresh(plan, kind, goal_id)
    if there and there.tree == candidate.tree and notary.has(there.digest):
        return Issue(there.digest, repeated=True)
    court.verify()
    seen = [_proven_again(court, plan, goal, candidate) for goal in goals]
    for each in seen:
        if each.judgement.unproven or (each.goal is last and not each.judgement.is_proven):
            said = f"{each.goal.id} does not hold on tree {candidate.tree[:12]} any more."
            return Refused("not-proven", said, f"goalkeeper judge --goal-id {each.goal.id}")
    return Issue(_issued(court, notary, kind, plan, tuple(seen)))


def _not_allowed(court: Court, kind: str, goal_id: str) -> Refused | None:
    """Said and recorded before anything is signed."""
    command = commands.RecordReceipt(kind, goal_id, "", "", "")
    decision = decide(court.run.read(), command, at=court.clock(), actor=court.actor)
    if not isinstance(decision, Refused):
        return None
    return handle(court.run, command, actor=court.actor, clock=court.clock).refused


def _not_complete(goals: tuple[Goal, ...]) -> Refused | None:
    still = [goal.id for goal in goals if goal.status is not GoalStatus.COMPLETE]
    if goals and not still:
        return None
    said = f"A receipt is for what is complete; still open: {', '.join(still) or 'all'}."
    return Refused("not-complete", said, "goalkeeper status")


def _other_tree(last: Goal, candidate: Base) -> Refused:
    proven = last.proven.tree if last.proven else ""
    said = f"{last.id} was proven on tree {proven[:12]}, and this is tree {candidate.tree[:12]}."
    hint = "git log --format='%h %T' tells which commit has it: add --commit <commit>"
    return Refused("other-tree", said, hint, {"proven": proven, "tree": candidate.tree})


def _proven(goal: Goal, judgement: Judgement) -> Proven:
    contract = contract_of(goal)
    if contract is None:
        raise LookupError(goal.id)
    return Proven(goal, contract, judgement)


def _proven_again(court: Court, plan: Plan, goal: Goal, candidate: Base) -> Proven:
    """All criteria on one tree, and nothing from a cache.

    What the change since then touched is for the goals that came after to answer.
    """
    trial = judging.trial_of(court, plan, goal, cached=False, final=True)
    return _proven(goal, court.witness.prove(trial, candidate))


def _issued(court: Court, notary: Notary, kind: str, plan: Plan, proven: tuple[Proven, ...]) -> str:
    told = receipts.statement(kind, plan, proven, _circumstances(court, notary, proven))
    envelope = compact(notary.sign(compact(told).encode())).encode()
    digest, last = sha256(envelope), proven[-1]
    notary.keep(digest, envelope)
    goal_id = last.goal.id if kind == GOAL else ""
    contract = last.judgement.contract if kind == GOAL else ""
    command = commands.RecordReceipt(kind, goal_id, digest, last.judgement.tree, contract)
    handle(court.run, command, actor=court.actor, clock=court.clock)
    return digest


def _circumstances(court: Court, notary: Notary, proven: tuple[Proven, ...]) -> Circumstances:
    seen = proven[-1].judgement
    is_committed = court.witness.is_committed(Base(seen.tree, seen.commit))
    head, seq = notary.head()
    before = court.run.read().receipts
    return Circumstances(
        court.witness.roots(seen.commit),
        seen.commit if is_committed else "",
        head,
        seq,
        notary.version,
        court.clock(),
        before[-1].digest if before else "",
    )
