"""Proves that what was proven before still holds: criteria of complete goals, on a later tree.

See docs/decisions/0016-a-plan-as-a-whole.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from goalkeeper.app.contracts import JudgeContext, completion_times, contract_of
from goalkeeper.app.trials import Trial, WitnessPort
from goalkeeper.core.contract.criteria import CriterionState, Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import ISOLATIONS, Judged
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.freeing import is_freed_for, keeps_tests
from goalkeeper.core.plan.model import (
    Actor,
    ActorKind,
    Base,
    Goal,
    GoalStatus,
    Plan,
    Refused,
)
from goalkeeper.core.plan.rights import is_at_work
from goalkeeper.core.plan.standing import (
    StandingCriterion,
    list_proven_once,
    list_standing,
)

_SHOWN = 3


def judge_standing(
    context: JudgeContext, plan: Plan, goal: Goal, free: Sequence[str], candidate: Base
) -> tuple[Judged, ...]:
    """Judge the criteria of other goals that work on this goal may have broken.

    `free` are the protected paths that the goal may change. A criterion that was in the goal's
    table, or that was broken without being seen, is judged every time.
    """
    standing = list_standing(plan, goal.id)
    contract = contract_of(goal)
    brings = contract is not None and contract.brings_tests and not keeps_tests(plan, goal)
    known = {state.id for state in goal.standing}
    known |= {each.name for each in standing if each.state.regressions}
    evidence = {s.name: s.state.evidence for s in standing if s.name not in known}
    affected = known | context.witness.find_affected(evidence, candidate)
    asked = [each for each in standing if each.name in affected]
    told = {state.id: state.failed for state in goal.standing}
    return _judge(context, plan, asked, candidate, free=free, told=told, brings_tests=brings)


def judge_whole(context: JudgeContext, plan: Plan, candidate: Base) -> tuple[Judged, ...]:
    """Judge all criteria of complete goals on a tree, except those that were seen to hold on it."""
    asked = _list_unseen(context, list_standing(plan), candidate)
    return _judge(context, plan, asked, candidate, final=True)


def judge_again(
    context: JudgeContext, plan: Plan, goal: Goal, candidate: Base
) -> tuple[Judged, ...]:
    """Judge the criteria of a complete goal on a tree that other work may have changed, too.

    Criteria that are not asked again stand as they were seen last.
    """
    asked = [each for each in list_standing(plan) if each.goal.id == goal.id]
    free = [path for other in (plan, *context.list_others()) for path in list_freed(other, plan)]
    judged = _judge(context, plan, asked, candidate, free=free)
    found = {each.id: each.replace(id=each.id.partition("/")[2]) for each in judged}
    return tuple(found.get(f"{goal.id}/{s.id}") or recall_criterion(s, "") for s in goal.criteria)


def find_lost(
    context: JudgeContext, plan: Plan, rules: Base | None, candidate: Base, *, is_certified: bool
) -> dict[str, str]:
    """Find what was proven once and does not hold on a tree, each with the reason.

    The protected files of `rules` count. Only what a receipt of ours certifies is not run again.
    """
    asked: Sequence[StandingCriterion] = list_proven_once(plan)
    if is_certified:
        asked = _list_unseen(context, asked, candidate)
    free = list_freed(plan, plan)
    judged = _judge(context, plan, asked, candidate, free=free, base=rules, final=True)
    return {each.id: each.reason for each in judged if each.verdict is not Verdict.PASSED}


def judge_merged(
    context: JudgeContext,
    plan: Plan,
    head: Base,
    candidate: Base,
    *,
    free: Sequence[str],
    everything: bool,
    final: bool = False,
) -> tuple[Judged, ...]:
    """Judge what a plan has proven on a tree with the work of others, too.

    The protected files of the head count, without those that are free. Without `everything`, only
    what the candidate may have changed for a criterion is asked again.
    """
    asked: Sequence[StandingCriterion] = list_proven_once(plan)
    if not everything:
        evidence = {each.name: each.state.evidence for each in asked}
        affected = context.witness.find_affected(evidence, candidate)
        asked = [each for each in asked if each.name in affected]
    return _judge(context, plan, asked, candidate, free=free, base=head, final=final)


def find_unkept(witness: WitnessPort, plan: Plan) -> tuple[str, ...]:
    """Find criteria that count as proven, and of which nobody has the evidence."""
    return tuple(
        f"{goal.id}/{state.id}"
        for goal in plan.with_status(GoalStatus.COMPLETE)
        for state in goal.criteria
        if not witness.has_proof(state.evidence, state.passed_tree)
    )


def _list_unseen(
    context: JudgeContext, standing: Sequence[StandingCriterion], candidate: Base
) -> list[StandingCriterion]:
    has_proof, tree = context.witness.has_proof, candidate.tree
    return [s for s in standing if not (s.was_seen_on(tree) and has_proof(s.state.evidence, tree))]


def refuse_landing(
    actor: Actor, lost: Mapping[str, str], uncommitted: Sequence[str], *, is_allowed: bool
) -> Refused | None:
    """Refuse what does not hold; files that were `uncommitted` when the plan began do not land."""
    if not lost:
        return None
    if is_allowed and actor.kind is ActorKind.HUMAN:
        return None
    told = "; ".join(f"{name}: {reason}" for name, reason in list(lost.items())[:_SHOWN])
    who = f"; {explain_actor(actor)}" if is_allowed else ""
    hint = f"goalkeeper land --unproven (only a human may{who}), or mend your branch first"
    if uncommitted:
        hint = f"git add {' '.join(uncommitted[:_SHOWN])} && git commit, then goalkeeper land"
    said = f"On what would land, this does not hold: {told}. Nothing was changed."
    return Refused("not-proven", said, hint, {"unproven": lost})


def _judge(
    context: JudgeContext,
    plan: Plan,
    asked: Sequence[StandingCriterion],
    candidate: Base,
    *,
    free: Sequence[str] = (),
    told: Mapping[str, int] = {},
    base: Base | None = None,
    final: bool = False,
    brings_tests: bool = False,
) -> tuple[Judged, ...]:
    """Judge criteria with protected files of the base, without those that are free.

    The base is the last proven tree, if the caller names no other.

    `told` says how often the failure of a criterion was told already.
    """
    criteria = read_criteria(asked)
    base = base or plan.judged_from
    if not criteria or base is None:
        return ()
    settings = context.witness.settings_of(base)
    is_agent = context.actor.kind is ActorKind.AGENT
    at_work, most = is_at_work(plan, context.actor), settings.judge.held_out_reports
    hidden = [c.id for c in criteria if c.held_out]
    trial = Trial(
        Contract(criteria, may_change=tuple(free)),
        base,
        settings,
        base_evidence=tuple((each.name, each.state.evidence) for each in asked),
        passed_before=frozenset(c.id for c in criteria),
        silenced=frozenset(
            name for name in hidden if at_work or (is_agent and told.get(name, 0) >= most)
        ),
        completed=completion_times(plan),
        isolation=context.isolation,
        cached=False,
        final=final,
        brings_tests=brings_tests,
    )
    return context.witness.judge_criteria(trial, candidate)


def list_freed(plan: Plan, judged: Plan) -> tuple[str, ...]:
    """List protected paths that complete goals of a plan were free to change, for another plan."""
    done = plan.with_status(GoalStatus.COMPLETE)
    trusted = [goal for goal in done if plan is judged or is_freed_for(judged, plan, goal)]
    return tuple(p for goal in trusted for p in (contract_of(goal) or Contract()).may_change)


def recall_criterion(state: CriterionState, tree: str) -> Judged:
    """Recall how a criterion was last seen; `tree` is the one that is asked about."""
    verdict = Verdict.PASSED if state.is_met else Verdict.FAILED
    seen_on = state.passed_tree if state.passed_tree != tree else ""
    return Judged(state.id, verdict, state.reason, state.evidence, tree=seen_on)


def find_isolation(witness: WitnessPort, evidence: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Find the weakest isolation that the evidence was seen with, and what limited it."""
    kept = [witness.read_kept(each) or {} for each in evidence]
    facts = [run["facts"] for each in kept for run in each.get("runs", ())]
    level = min((each["isolation"] for each in facts), key=ISOLATIONS.index, default=ISOLATIONS[1])
    conditions = [condition for each in facts for condition in each.get("conditions", ())]
    return level, tuple(dict.fromkeys(conditions))


def read_table(plan: Plan, goal: Goal, contract: Contract) -> Contract:
    """Return the contract of a goal with the criteria of other goals that are in its table."""
    names = {state.id for state in goal.standing}
    more = read_criteria([each for each in list_standing(plan, goal.id) if each.name in names])
    return contract.replace(criteria=contract.criteria + more)


def read_criteria(asked: Collection[StandingCriterion]) -> tuple[Criterion, ...]:
    """Read them as guards under their names in the tables of other goals."""
    wanted = {each.name for each in asked}
    goals = {each.goal.id: each.goal for each in asked}
    return tuple(
        criterion.replace(id=name, guard=True, new_tests=False)
        for goal in goals.values()
        for criterion in (contract_of(goal) or Contract()).criteria
        if (name := f"{goal.id}/{criterion.id}") in wanted
    )
