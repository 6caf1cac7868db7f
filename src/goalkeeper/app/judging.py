"""Contracts and judgements: freeze, amend, judge, complete. The witness sees, `core` decides."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache

from goalkeeper.app.handle import Outcome, handle, unknown_goal
from goalkeeper.app.ports import Clock, Run
from goalkeeper.app.trials import Answer, Examined, Trial, Witness
from goalkeeper.core import fold
from goalkeeper.core.contract.criteria import CriterionStatus, Decision, Verdict
from goalkeeper.core.contract.document import Contract, read_plain, read_text
from goalkeeper.core.contract.fitness import Fitness, Look, fitness
from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.decide import is_at_work
from goalkeeper.core.drive.context import ContextUse
from goalkeeper.core.plan import commands, events, gate
from goalkeeper.core.plan.model import (
    Actor,
    ActorKind,
    Base,
    Frozen,
    Goal,
    GoalStatus,
    Plan,
    Refused,
    is_outrun,
)
from goalkeeper.core.problems import Problem
from goalkeeper.errors import ContractInvalid, GoalUnnamed, NoBase
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

NO_MORE = "held-out: no more is told of it"


class Court(Value):
    """A run, the witness who sees for it, and who asks."""

    run: Run
    witness: Witness
    actor: Actor
    clock: Clock
    verify: Callable[[], object]  # of the whole ledger
    isolation: str = ""
    certify: Callable[[Court, str, Judgement], None] = lambda *_: None  # of what was completed
    context: Callable[[], ContextUse | None] = lambda: None  # as goalkeeper recorded it, if it did


class Checked(Value):
    """A contract on its base tree: whether each criterion can tell anything."""

    goal: Goal
    contract: Contract
    base: Base
    rows: tuple[Fitness, ...]
    examined: Examined

    @property
    def is_fit(self) -> bool:
        return all(row.is_fit for row in self.rows)


class Ruled(Value):
    """A judgement, and the goal after it."""

    outcome: Outcome
    judgement: Judgement
    goal: Goal


def find_goal(plan: Plan, goal_id: str) -> Goal:
    """The goal that is named, else the active one, else the only one there is."""
    if goal_id:
        goal = plan.goal(goal_id)
        if goal is None:
            raise unknown_goal(plan, goal_id)
        return goal
    meant = plan.with_status(GoalStatus.ACTIVE) or plan.asked
    if len(meant) != 1:
        known = [goal.id for goal in plan.asked or plan.goals]
        raise GoalUnnamed(run=plan.run_id, known=", ".join(known), first=known[0])
    return meant[0]


def contract_of(goal: Goal) -> Contract | None:
    """The frozen contract, else the brief's."""
    if goal.frozen:
        return _sound(_frozen_contract(goal.frozen.contract), f"the contract of {goal.id}")
    if not goal.contract:
        return None
    contract = _sound(read_text(goal.contract), f"the contract of {goal.id}")
    return contract if contract.criteria else None


@lru_cache(maxsize=8)  # a command asks several times
def _frozen_contract(text: str) -> Contract | tuple[Problem, ...]:
    return read_plain(json.loads(text))


def _sound(read: Contract | tuple[object, ...], source: str) -> Contract:
    if isinstance(read, Contract):
        return read
    raise ContractInvalid(source=source, problems="; ".join(map(str, read)))


def read_contract(text: str, source: str) -> Contract:
    contract = _sound(read_text(text), source)
    if not contract.criteria:
        raise ContractInvalid(source=source, problems="it has no criteria")
    return contract


def check(court: Court, goal: Goal, contract: Contract, base: Base) -> Checked:
    """Run every criterion on the base tree. Records nothing."""
    trial = Trial(contract, base, completed=_completed(court.run.read()), isolation=court.isolation)
    examined = court.witness.examine(trial)
    rows = tuple(
        fitness(contract, criterion, judged)
        for criterion, judged in zip(contract.criteria, examined.criteria, strict=True)
    )
    return Checked(goal, contract, base, rows, examined)


def base_for(plan: Plan, goal: Goal) -> Base:
    """Where work on the goal began: not when somebody says so, but when the plan got there."""
    base = goal.frozen.base if goal.frozen and not is_outrun(plan, goal) else plan.base
    if base is None:
        raise NoBase(goal_id=goal.id, file="" if contract_of(goal) else " --file contract.yaml")
    return base


def freeze(court: Court, checked: Checked) -> Outcome | Refused:
    """A contract that can fail, once frozen, is what counts."""
    return _unfit(checked) or handle(
        court.run,
        commands.FreezeContract(checked.goal.id, _frozen(checked)),
        actor=court.actor,
        clock=court.clock,
    )


def turned_away(court: Court, goal: Goal, reason: str) -> Refused | None:
    """Why there is nothing to amend, said and recorded before any check runs."""
    if court.actor.kind is ActorKind.HUMAN and goal.frozen:
        return None
    nothing = goal.frozen or Frozen("", "", "", Base(""), "")
    command = commands.AmendContract(goal.id, nothing, reason)
    return handle(court.run, command, actor=court.actor, clock=court.clock).refused


def amend(court: Court, checked: Checked, reason: str) -> Outcome | Refused:
    return _unfit(checked) or handle(
        court.run,
        commands.AmendContract(checked.goal.id, _frozen(checked), reason),
        actor=court.actor,
        clock=court.clock,
    )


def _unfit(checked: Checked) -> Refused | None:
    # That it can fail a goal that recurs has shown before its first cycle.
    again = {Look.GREEN} if checked.goal.streak else set()
    bad = [row for row in checked.rows if not row.is_fit and row.look not in again]
    if not bad:
        return None
    told = "; ".join(f"{row.criterion.id} is {row.look} ({row.reason})" for row in bad[:3])
    return Refused(
        "contract-cannot-tell",
        f"The contract of {checked.goal.id} is not frozen: {told}",
        f"goalkeeper contract check --goal-id {checked.goal.id}",
        {"criteria": [{"id": r.criterion.id, "look": r.look, "reason": r.reason} for r in bad]},
    )


def _frozen(checked: Checked) -> Frozen:
    evidence = tuple(f"{judged.id} {judged.evidence}" for judged in checked.examined.criteria)
    contract = checked.contract
    return Frozen(
        contract.digest, compact(contract.plain), "", checked.base, checked.examined.digest,
        evidence,
        checked.examined.tools,
    )  # fmt: skip


def trial_of(court: Court, plan: Plan, goal: Goal, *, cached: bool, final: bool) -> Trial:
    """What the witness is asked about a goal whose contract is frozen."""
    frozen, contract = goal.frozen, contract_of(goal)
    if frozen is None or contract is None:
        raise LookupError(goal.id)
    passed = (s.id for s in goal.criteria if s.status is CriterionStatus.PASS)
    return Trial(
        contract,
        frozen.base,
        protected=frozen.protected,
        evidence=frozen.evidence,
        tools=frozen.tools,
        passed_before=frozenset(passed),
        silenced=_silenced(court, plan, goal, contract),
        iteration=goal.iteration + 1,
        completed=_completed(plan),
        answers={
            each.criterion: Answer(each.tree, each.reason, each.answers)
            for each in goal.answers
            if each.contract == frozen.digest
        },
        isolation=court.isolation,
        cached=cached,
        final=final,
    )


def _silenced(court: Court, plan: Plan, goal: Goal, contract: Contract) -> frozenset[str]:
    """Held-out criteria that are not run for an agent: it would learn to guess."""
    if court.actor.kind is not ActorKind.AGENT:
        return frozenset()
    if is_at_work(plan, court.actor):
        return frozenset(c.id for c in contract.criteria if c.held_out)
    return _told_enough(court, plan, goal, contract)


def _told_enough(court: Court, plan: Plan, goal: Goal, contract: Contract) -> frozenset[str]:
    """Held-out criteria of which was said as often as may be how they fail."""
    hidden = {c.id for c in contract.criteria if c.held_out}
    if not hidden:
        return frozenset()
    limit = court.witness.settings(base_for(plan, goal)).judge.held_out_reports
    return frozenset(s.id for s in goal.criteria if s.id in hidden and s.failed >= limit)


def _muted(court: Court, plan: Plan, goal: Goal, judgement: Judgement) -> Judgement:
    """What an agent may read of it later: it reads the ledger like everybody."""
    contract = contract_of(goal)
    if court.actor.kind is ActorKind.HUMAN or contract is None:
        return judgement
    enough = _told_enough(court, plan, goal, contract)
    criteria = (
        seen.replace(reason=NO_MORE)
        if seen.id in enough and seen.verdict is Verdict.FAILED
        else seen
        for seen in judgement.criteria
    )
    return judgement.replace(criteria=tuple(criteria))


def _completed(plan: Plan) -> dict[str, str]:
    return {goal.id: goal.completed_at for goal in plan.goals if goal.completed_at}


def ensure_frozen(court: Court, goal_id: str) -> Goal | Refused:
    """The goal with its contract frozen; the brief's is frozen when it is first needed."""
    plan = court.run.read()
    goal = find_goal(plan, goal_id)
    if goal.frozen and not is_outrun(plan, goal):
        return goal
    contract = contract_of(goal)
    if contract is None:
        return gate.no_contract(goal)
    frozen = freeze(court, check(court, goal, contract, base_for(plan, goal)))
    if isinstance(frozen, Refused):
        return frozen
    return frozen.refused or find_goal(frozen.plan, goal.id)


def judge(
    court: Court,
    goal_id: str,
    *,
    candidate: Base | None = None,
    cached: bool = True,
    final: bool = False,
    max_iterations: int = 0,
) -> Ruled | Refused:
    """Judge every criterion on the candidate (else the working tree), and record it."""
    goal = ensure_frozen(court, goal_id)
    if isinstance(goal, Refused):
        return goal
    plan = court.run.read()
    trial = trial_of(court, plan, goal, cached=cached, final=final)
    judgement = court.witness.prove(trial, candidate or court.witness.snapshot())
    judgement = _muted(court, plan, goal, judgement)
    most = max_iterations or court.witness.settings(trial.base).judge.max_iterations
    outcome = handle(
        court.run,
        commands.RecordJudgement(goal.id, judgement, most),
        actor=court.actor,
        clock=court.clock,
    )
    after = _after(court, outcome.plan, goal.id, judgement)
    return outcome.refused or Ruled(outcome, judgement, after)


def _after(court: Court, plan: Plan, goal_id: str, judgement: Judgement) -> Goal:
    """The goal as it is now; to an agent that only looked, as it would be."""
    goal = find_goal(plan, goal_id)
    if not is_at_work(plan, court.actor):
        return goal
    seen = events.GoalJudged(goal_id, goal.iteration + 1, judgement, Decision.REPLAN)
    return find_goal(fold.apply(plan, seen, court.clock()), goal_id)
