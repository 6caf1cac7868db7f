"""Receipts: issued when a goal has passed its gate, and one for the whole when the last has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goalkeeper.app import judging
from goalkeeper.app.handle import handle
from goalkeeper.app.judging import Court, contract_of
from goalkeeper.core import commands, receipts
from goalkeeper.core.judgement import Judgement
from goalkeeper.core.model import Base, Goal, Plan
from goalkeeper.core.receipts import FINAL, GOAL, Circumstances, Proven
from goalkeeper.wire.canonical import compact, sha256
from goalkeeper.wire.value import Value


class Notary(Value):
    """Who signs, and where it is kept."""

    sign: Callable[[bytes], dict[str, Any]]
    keep: Callable[[str, bytes], None]  # under its digest
    roots: Callable[[str], tuple[str, ...]]  # the first commits behind one
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
        seen = proven if each.id == goal_id else _proven_again(court, plan, each, judgement)
        if each.id != goal_id and seen.judgement.unproven:
            said = f"{each.id} does not hold on the tree on which {goal_id} was proven last"
            return issued.replace(missing=said)
        whole.append(seen)
    return issued.replace(final=_issued(court, notary, FINAL, plan, tuple(whole)))


def _proven(goal: Goal, judgement: Judgement) -> Proven:
    contract = contract_of(goal)
    if contract is None:
        raise LookupError(goal.id)
    return Proven(goal, contract, judgement)


def _proven_again(court: Court, plan: Plan, goal: Goal, last: Judgement) -> Proven:
    """All criteria on one tree, and nothing from a cache.

    What the change since then touched is for the goals that came after to answer.
    """
    trial = judging.trial_of(court, plan, goal, cached=False, final=True)
    return _proven(goal, court.witness.prove(trial, Base(last.tree, last.commit)))


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
    is_committed = bool(seen.commit) and court.witness.resolve(seen.commit).tree == seen.tree
    head, seq = notary.head()
    before = court.run.read().receipts
    return Circumstances(
        notary.roots(seen.commit) if seen.commit else (),
        seen.commit if is_committed else "",
        head,
        seq,
        notary.version,
        court.clock(),
        before[-1].digest if before else "",
    )
