"""A receipt is issued when a goal has passed its gate, and one for the whole after the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.app.contracts import JudgeContext, choose_goal, contract_of, find_frozen
from goalkeeper.app.judging import make_trial
from goalkeeper.app.ports import ReceiptSigner
from goalkeeper.app.standing import find_isolation, judge_whole, recall_criterion
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.plan import commands, receipts
from goalkeeper.core.plan.model import Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.receipts import FINAL, GOAL, Circumstances, Proven
from goalkeeper.core.plan.standing import list_unseen
from goalkeeper.wire.canonical import compact, sha256
from goalkeeper.wire.value import Value


class Certificate(Value):
    """The digests of what was issued, and why a complete plan was not certified."""

    goal: str
    final: str = ""
    missing: str = ""


class IssuedReceipt(Value):
    """A receipt that somebody asked for; it may have been there before."""

    digest: str
    repeated: bool = False


def certify(context: JudgeContext, plan: Plan, goal_id: str, judgement: Judgement) -> Certificate:
    """Sign a goal that this judgement completed, and the whole if it was the last."""
    proven = _make_proven(choose_goal(plan, goal_id), judgement)
    digest, after = _sign(context, GOAL, plan, (proven,))
    is_driven = plan.drive is not None and not plan.drive.ended
    if not plan.is_complete or (is_driven and list_unseen(plan)):  # a drive proves the whole first
        return Certificate(digest)
    left = plan.required_goals
    earlier = [_make_proven(goal, _recall(goal, judgement)) for goal in left if goal.id != goal_id]
    for each in earlier:
        if each.judgement.unproven_criteria:
            said = f"{each.goal.id} does not hold on the tree on which {goal_id} was proven last"
            return Certificate(digest, missing=said)
    return Certificate(digest, _sign(context, FINAL, after, (*earlier, proven))[0])


def certify_whole(context: JudgeContext, plan: Plan) -> None:
    """Sign the whole after every criterion was seen on the tree that was proven last."""
    if plan.base is None or list_unseen(plan) or plan.is_certified:
        return
    last = _make_last(context, plan.required_goals, plan.base)
    whole = tuple(_make_proven(goal, _recall(goal, last)) for goal in plan.required_goals)
    _sign(context, FINAL, plan, whole)


def _recall(goal: Goal, last: Judgement) -> Judgement:
    """Recall how the criteria of a goal were last seen; what a change cannot touch stands."""
    criteria = tuple(recall_criterion(state, last.tree) for state in goal.criteria)
    contract = goal.frozen.digest if goal.frozen else ""
    return last.replace(contract=contract, criteria=criteria, findings=(), standing=())


def issue(context: JudgeContext, goal_id: str, candidate: Base) -> IssuedReceipt | Refused:
    """Sign once more what is complete but has no receipt: a goal, or the whole.

    All is proven anew, on the tree that passed the gate and on no other.
    """
    plan = context.run.read()
    kind = GOAL if goal_id else FINAL
    goals = (choose_goal(plan, goal_id),) if goal_id else plan.required_goals
    # Somebody who may not record a receipt is refused before anything is signed.
    command = commands.RecordReceipt(kind, goal_id, "", "", "")
    asked = context.handle(command, records=lambda decision: isinstance(decision, Refused))
    refused = asked.refused or _refuse_incomplete(goals)
    if refused:
        return refused
    last = max(goals, key=lambda goal: goal.completed_at)
    if last.proven is None or last.proven.tree != candidate.tree:
        return _refuse_other_tree(last, candidate)
    there = receipts.find_fresh(plan, kind, goal_id)
    if there and there.tree == candidate.tree and context.signer.has(there.digest):
        return IssuedReceipt(there.digest, repeated=True)
    context.verify_ledger()
    proven = _prove_again(context, plan, last, candidate)
    lost = [last.id] if not proven.judgement.is_proven else []
    if kind == FINAL:
        judged = judge_whole(context, plan, candidate)
        if judged:
            plan = context.handle(commands.RecordStanding(candidate.tree, judged)).plan
        lost += [each.id for each in judged if each.verdict is not Verdict.PASSED]
    if lost:
        said = f"{lost[0]} does not hold on tree {candidate.tree[:12]} any more."
        return Refused("not-proven", said, f"goalkeeper judge --goal-id {lost[0].split('/')[0]}")
    names = [goal.id for goal in goals if goal.id != last.id]
    others = [choose_goal(plan, name) for name in names]
    seen = (*(_make_proven(each, _recall(each, proven.judgement)) for each in others), proven)
    return IssuedReceipt(_sign(context, kind, plan, seen)[0])


def _refuse_incomplete(goals: tuple[Goal, ...]) -> Refused | None:
    still = [goal.id for goal in goals if goal.status is not GoalStatus.COMPLETE]
    if goals and not still:
        return None
    said = f"A receipt is for what is complete; still open: {', '.join(still) or 'all'}."
    return Refused("not-complete", said, "goalkeeper status")


def _refuse_other_tree(last: Goal, candidate: Base) -> Refused:
    proven = last.proven.tree if last.proven else ""
    said = f"{last.id} was proven on tree {proven[:12]}, and this is tree {candidate.tree[:12]}."
    hint = "git log --format='%h %T' tells which commit has it: add --commit <commit>"
    return Refused("other-tree", said, hint, {"proven": proven, "tree": candidate.tree})


def _make_proven(goal: Goal, judgement: Judgement) -> Proven:
    contract = contract_of(goal)
    if contract is None:
        raise LookupError(goal.id)
    return Proven(goal, contract, judgement)


def _prove_again(context: JudgeContext, plan: Plan, goal: Goal, candidate: Base) -> Proven:
    """Prove all criteria on one tree, and take nothing from a cache.

    Later goals have to answer for what the change since then touched.
    """
    asked = find_frozen(plan, goal)
    if asked is None:
        raise LookupError(goal.id)
    trial = make_trial(context, asked, candidate, cached=False, final=True)
    return Proven(goal, asked.contract, context.witness.prove_candidate(trial, candidate))


def _sign(
    context: JudgeContext, kind: str, plan: Plan, proven: tuple[Proven, ...]
) -> tuple[str, Plan]:
    """Sign a statement, keeps and record it; return its digest and the plan after that."""
    signer, last = context.signer, proven[-1]
    parts = [(plan, each) for each in proven]
    told = _describe(context, plan, last.judgement)
    digest = _keep(signer, receipts.make_statement(kind, plan.run_id, parts, told))
    goal_id = last.goal.id if kind == GOAL else ""
    contract = last.judgement.contract if kind == GOAL else ""
    command = commands.RecordReceipt(kind, goal_id, digest, last.judgement.tree, contract)
    return digest, context.handle(command).plan


def _keep(signer: ReceiptSigner, statement: Mapping[str, Any]) -> str:
    """Sign and keep a statement, and return its digest."""
    envelope = compact(signer.sign(compact(statement).encode())).encode()
    digest = sha256(envelope)
    signer.keep(digest, envelope)
    return digest


def certify_sessions(
    campaign_id: str,
    head: Base,
    sessions: Mapping[str, JudgeContext],
    signer: ReceiptSigner,
    told: Circumstances,
) -> str:
    """Sign what the sessions of a campaign have proven; all of it was seen on the head."""
    parts = []
    for session_id, context in sessions.items():
        plan = context.run.read()
        goals = [goal for goal in plan.required_goals if goal.status is GoalStatus.COMPLETE]
        last = _make_last(context, goals, head)
        parts += [
            (plan, _make_proven(goal, _recall(goal, last)).replace(session=session_id))
            for goal in goals
        ]
    return _keep(signer, receipts.make_statement(FINAL, campaign_id, parts, told))


def _make_last(context: JudgeContext, goals: Sequence[Goal], tree: Base) -> Judgement:
    """Make what is said of a tree on which every criterion of these goals was seen."""
    seen = [state.evidence for goal in goals for state in goal.criteria]
    weakest, conditions = find_isolation(context.witness, seen)
    return Judgement(tree.tree, tree.commit, "", weakest, (), uncached=True, conditions=conditions)


def _describe(context: JudgeContext, plan: Plan, seen: Judgement) -> Circumstances:
    witness = context.witness
    head, seq = context.run.head()
    return Circumstances(
        roots=witness.find_roots(seen.commit),
        commit=seen.commit if witness.is_committed(Base(seen.tree, seen.commit)) else "",
        head=head,
        seq=seq,
        version=context.signer.version(),
        at=context.clock(),
        previous=plan.receipts[-1].digest if plan.receipts else "",
    )
