"""Judgements: the witness sees, `core` decides, and the run records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from goalkeeper.app.contracts import (
    FrozenGoal,
    JudgeContext,
    choose_goal,
    completion_times,
    contract_of,
    ensure_frozen,
)
from goalkeeper.app.standing import (
    find_isolation,
    judge_again,
    judge_standing,
    read_table,
)
from goalkeeper.app.trials import SettledAnswer, Trial
from goalkeeper.config import Settings
from goalkeeper.core import fold
from goalkeeper.core.contract.criteria import FLAKY, CriterionStatus, Decision, Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.plan import commands, events, gate
from goalkeeper.core.plan.freeing import keeps_tests
from goalkeeper.core.plan.model import ActorKind, Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.rights import is_onlooker
from goalkeeper.wire.value import Value

NO_MORE = "held-out: no more is told of it"


class Ruling(Value):
    """Holds a judgement, and the plan and the goal after it."""

    plan: Plan
    goal: Goal
    contract: Contract
    judgement: Judgement
    changed: bool


def make_trial(
    context: JudgeContext, asked: FrozenGoal, candidate: Base, *, cached: bool, final: bool
) -> Trial:
    """Make what the witness is asked about a goal whose contract is frozen."""
    goal, frozen = asked.goal, asked.frozen
    # What was met before work began is to be kept, and what was broken by then is to be met.
    turned = {**dict.fromkeys(frozen.green, True), **dict.fromkeys(frozen.red, False)}
    criteria = tuple(
        c.replace(guard=turned[c.id]) if c.id in turned else c for c in asked.contract.criteria
    )
    free = _list_free(asked)
    settings = context.witness.settings_of(frozen.base)
    passed = (s.id for s in goal.criteria if s.status is CriterionStatus.PASS)
    judged = [*_recall_judgements(context, asked)]
    return Trial(
        asked.contract.replace(criteria=criteria, may_change=free),
        frozen.base,
        settings,
        protected=frozen.protected if free == asked.contract.may_change else "",
        base_evidence=tuple(_split_pair(entry) for entry in frozen.evidence),
        tools=frozen.tools,
        passed_before=frozenset(passed),
        failed_before=_count_failures(judged, candidate.tree),
        suspected=frozenset(finding.rule for each in judged for finding in each.findings),
        silenced=_find_silenced(context, asked, settings, candidate.tree),
        iteration=goal.iteration + 1,
        completed=completion_times(asked.plan),
        answers={
            each.criterion: SettledAnswer(each.tree, each.reason, each.answers)
            for each in goal.answers
            if each.contract == frozen.digest
        },
        finding_answers=goal.finding_answers,
        isolation=context.isolation,
        cached=cached,
        final=final,
        keeps_tests=keeps_tests(asked.plan, goal),
    )


def _recall_judgements(context: JudgeContext, asked: FrozenGoal) -> Iterator[Judgement]:
    """Yield the judgements of a goal under its contract, the last one first."""
    goal = asked.goal
    for entry in context.run.entries_from_end() if goal.iteration else ():
        match entry.event:
            case events.GoalJudged(goal_id, iteration, judgement) if goal_id == goal.id:
                if judgement.contract == asked.frozen.digest:
                    yield judgement
                if iteration <= 1:
                    return


def _count_failures(judgements: Iterable[Judgement], tree: str) -> dict[str, int]:
    """Count how often criteria did not pass on this tree: a product may be right by luck."""
    return Counter(
        seen.id
        for judgement in judgements
        if judgement.tree == tree
        for seen in judgement.criteria
        if seen.verdict is Verdict.FAILED or seen.reason.startswith(FLAKY)
    )


def _list_free(asked: FrozenGoal) -> tuple[str, ...]:
    """List what the goal may change: also what was freed to settle reviews of its work."""
    settled = gate.settled_blockers(asked.plan, asked.goal.id)
    theirs = (path for g in settled for path in (contract_of(g) or Contract()).may_change)
    return tuple(dict.fromkeys((*asked.contract.may_change, *theirs)))


def _split_pair(entry: str) -> tuple[str, str]:
    """Split a criterion from the digest of its evidence, as `Frozen.evidence` joins them."""
    criterion, _, digest = entry.partition(" ")
    return criterion, digest


def _find_silenced(
    context: JudgeContext, asked: FrozenGoal, settings: Settings, tree: str
) -> frozenset[str]:
    """Find held-out criteria that are not run for an agent, because it would learn to guess.

    Of looks that are not recorded nobody could count how much they told.
    """
    if context.actor.kind is not ActorKind.AGENT:
        return frozenset()
    if is_onlooker(asked.plan, asked.goal.id, tree, context.actor):
        return frozenset(c.id for c in asked.contract.criteria if c.held_out)
    return _find_reported(asked, settings)


def _find_reported(asked: FrozenGoal, settings: Settings) -> frozenset[str]:
    """Find held-out criteria that have told an agent of their failures as often as they may."""
    hidden = {c.id for c in asked.contract.criteria if c.held_out}
    limit = settings.judge.held_out_reports
    return frozenset(s.id for s in asked.goal.criteria if s.id in hidden and s.failed >= limit)


def judge(
    context: JudgeContext,
    goal_id: str,
    *,
    candidate: Base | None = None,
    cached: bool = True,
    final: bool = False,
    max_iterations: int = 0,
) -> Ruling | Refused:
    """Judge every criterion on the candidate (else the working tree), and record it."""
    asked = ensure_frozen(context, goal_id)
    if isinstance(asked, Refused):
        return asked
    candidate = candidate or context.witness.take_snapshot()  # git answers most at once
    if asked.goal.status is GoalStatus.COMPLETE:
        return _look_again(context, asked, candidate)
    trial = make_trial(context, asked, candidate, cached=cached, final=final)
    judgement = context.witness.prove_candidate(trial, candidate)
    free = trial.contract.may_change
    standing = judge_standing(context, asked.plan, asked.goal, free, candidate)
    judgement = judgement.replace(standing=standing)
    if context.actor.kind is not ActorKind.HUMAN:
        judgement = _mute(judgement, _find_reported(asked, trial.settings))
    most = max_iterations or trial.settings.judge.max_iterations
    result = context.handle(commands.RecordJudgement(asked.goal.id, judgement, most))
    goal = _goal_after(context, result.plan, asked.goal.id, judgement)
    table = read_table(result.plan, goal, asked.contract)
    return result.refused or Ruling(result.plan, goal, table, judgement, result.changed)


def _look_again(context: JudgeContext, asked: FrozenGoal, candidate: Base) -> Ruling:
    """Judge a goal that is complete, and record nothing."""
    plan, goal = asked.plan, asked.goal
    seen = judge_again(context, plan, goal, candidate)
    evidence = [each.evidence for each in seen]
    level, conditions = find_isolation(context.witness, evidence)
    tree, commit, digest = candidate.tree, candidate.commit, asked.frozen.digest
    judgement = Judgement(tree, commit, digest, level, seen, uncached=True, conditions=conditions)
    after = _goal_after(context, plan, goal.id, judgement)
    return Ruling(plan, after, asked.contract, judgement, changed=False)


def _mute(judgement: Judgement, reported: frozenset[str]) -> Judgement:
    """Leave out what an agent may not read, because it can read the ledger."""
    criteria = (
        seen.replace(reason=NO_MORE)
        if seen.id in reported and seen.verdict is Verdict.FAILED
        else seen
        for seen in judgement.criteria
    )
    return judgement.replace(criteria=tuple(criteria))


def _goal_after(context: JudgeContext, plan: Plan, goal_id: str, judgement: Judgement) -> Goal:
    """Return the goal as it is now; if somebody only looked, return it as it would be."""
    goal = choose_goal(plan, goal_id)
    if not is_onlooker(plan, goal_id, judgement.tree, context.actor):
        return goal
    seen = events.GoalJudged(goal_id, goal.iteration + 1, judgement, Decision.REPLAN)
    return choose_goal(fold.apply(plan, seen, context.clock()), goal_id)
