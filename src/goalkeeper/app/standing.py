"""Proves that what was proven before still holds: criteria of complete goals, on a later tree.

See docs/decisions/0016-a-plan-as-a-whole.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from goalkeeper.app.contracts import JudgeContext, completion_times, contract_of
from goalkeeper.app.trials import Trial, WitnessPort
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.plan.model import Actor, ActorKind, Base, Goal, Plan, Refused
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
    known = {state.id for state in goal.standing}
    known |= {each.name for each in standing if each.state.regressions}
    evidence = {s.name: s.state.evidence for s in standing if s.name not in known}
    affected = known | context.witness.find_affected(evidence, candidate)
    asked = [each for each in standing if each.name in affected]
    told = {state.id: state.failed for state in goal.standing}
    return _judge(context, plan, asked, candidate, free=free, told=told)


def judge_whole(context: JudgeContext, plan: Plan, candidate: Base) -> tuple[Judged, ...]:
    """Judge all criteria of complete goals on a tree, except those that were seen to hold on it."""
    asked = _list_unseen(context, list_standing(plan), candidate)
    return _judge(context, plan, asked, candidate, final=True)


def find_lost(context: JudgeContext, plan: Plan, candidate: Base) -> dict[str, str]:
    """Find what was proven once and does not hold on a tree, each with the reason."""
    asked = _list_unseen(context, list_proven_once(plan), candidate)
    judged = _judge(context, plan, asked, candidate, final=True)
    return {each.id: each.reason for each in judged if each.verdict is not Verdict.PASSED}


def find_unkept(witness: WitnessPort, plan: Plan) -> tuple[str, ...]:
    """Find criteria that count as proven, and of which nobody has the evidence."""
    done = (goal for goal in plan.goals if goal.completed_at)
    return tuple(
        f"{goal.id}/{state.id}"
        for goal in done
        for state in goal.criteria
        if witness.read_kept(state.evidence) is None
    )


def _list_unseen(
    context: JudgeContext, standing: Sequence[StandingCriterion], candidate: Base
) -> list[StandingCriterion]:
    unkept = find_unkept(context.witness, context.run.read())
    return [s for s in standing if not s.was_seen_on(candidate.tree) or s.name in unkept]


def refuse_landing(actor: Actor, lost: Mapping[str, str], *, is_allowed: bool) -> Refused | None:
    if not lost:
        return None
    if is_allowed and actor.kind is ActorKind.HUMAN:
        return None
    told = "; ".join(f"{name}: {reason}" for name, reason in list(lost.items())[:_SHOWN])
    hint = "goalkeeper land --unproven (only a human may), or mend your branch first"
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
    final: bool = False,
) -> tuple[Judged, ...]:
    """Judge criteria with protected files of the last proven tree, without those that are free.

    `told` says how often the failure of a criterion was told already.
    """
    criteria = read_criteria(asked)
    if not criteria or plan.base is None:
        return ()
    settings = context.witness.settings_of(plan.base)
    is_agent = context.actor.kind is ActorKind.AGENT
    at_work, most = is_at_work(plan, context.actor), settings.judge.held_out_reports
    hidden = [c.id for c in criteria if c.held_out]
    trial = Trial(
        Contract(criteria, may_change=tuple(free)),
        plan.base,
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
    )
    return context.witness.judge_criteria(trial, candidate)


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
        criterion.replace(id=name, guard=True)
        for goal in goals.values()
        for criterion in (contract_of(goal) or Contract()).criteria
        if (name := f"{goal.id}/{criterion.id}") in wanted
    )
