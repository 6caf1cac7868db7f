"""These rules say what may be recorded of a verification, and by whom."""

from __future__ import annotations

import json

from goalkeeper.core.answers.document import ROUTINE
from goalkeeper.core.answers.procedure import LEG, StageResult, list_needed_stages
from goalkeeper.core.contract.timing import DEFAULT_HOURS, read_frozen_criteria
from goalkeeper.core.moments import add_seconds
from goalkeeper.core.plan import commands, gate
from goalkeeper.core.plan import events as happened
from goalkeeper.core.plan.actors import explain_actor
from goalkeeper.core.plan.model import Actor, ActorKind, Answered, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.plan.steering import unknown_goal
from goalkeeper.core.plan.transitions import refused_move

Asked = (
    commands.RecordStep
    | commands.RecordAnswers
    | commands.RecordFailedAnswers
    | commands.ClaimAbbreviation
    | commands.ConfirmCriterion
    | commands.Expire
    | commands.Defer
)
VerifyDecision = tuple[happened.VerifyEvent, ...] | Refused
_AGAIN = "goalkeeper verify --goal-id {}"


def decide(plan: Plan, command: Asked, at: str, actor: Actor) -> VerifyDecision:
    goal = plan.find_goal(command.goal_id)
    if goal is None:
        return unknown_goal(command.goal_id)
    match command:
        case commands.RecordStep():
            return _record_stage(goal, command)
        case commands.RecordAnswers():
            return _record_answers(goal, command, at)
        case commands.RecordFailedAnswers(_, contract, tree, criteria, problems, steps):
            failed = happened.VerificationFailed(goal.id, criteria, tree, problems, steps)
            return _not_verifiable(goal, contract) or (failed,)
        case commands.ClaimAbbreviation(_, stage, condition):
            return refuse_untrue(goal, stage, condition) or ()
        case commands.ConfirmCriterion():
            return _confirm_criterion(goal, command, actor)
        case commands.Expire():
            return _expire_hypothesis(goal, at)
        case commands.Defer():
            return _defer_hypothesis(goal, at)


def _record_stage(goal: Goal, command: commands.RecordStep) -> VerifyDecision:
    refused = _not_verifiable(goal, command.contract)
    if refused:
        return refused
    if is_stored(goal, command.step, command.inputs):
        return ()
    given = command.answers
    return (happened.StepVerified(goal.id, command.step, command.inputs, command.note, given),)


def is_stored(goal: Goal, stage: str, inputs: str) -> bool:
    """Return whether the stage has passed for just these inputs."""
    return any((each.step, each.inputs) == (stage, inputs) for each in goal.steps)


def _record_answers(goal: Goal, command: commands.RecordAnswers, at: str) -> VerifyDecision:
    refused = (
        _not_verifiable(goal, command.contract)
        or _wrong_kind(goal, command.criteria, "question")
        or not_yet(goal, command.result, at)
        or _refuse_unverified(goal, command)
    )
    if refused:
        return refused
    event = happened.QuestionsAnswered(
        goal.id, command.criteria, command.tree, command.contract, command.note, command.answers,
        command.overrides, command.left_to_user, command.summary,
    )  # fmt: skip
    return () if _is_known(goal, event) else (event,)


def _refuse_unverified(goal: Goal, command: commands.RecordAnswers) -> Refused | None:
    """Every stage that is needed must have passed; the record says so, not the caller."""
    given = dict(command.steps)
    is_leg, condition = LEG in given and _has_leg(goal), command.abbreviated
    needed = list_needed_stages(is_leg=is_leg, result=command.result, abbreviated=condition)
    if condition:
        refused = refuse_untrue(goal, "q1_5", condition)
        if refused:
            return refused
    missing = [stage for stage in needed if not is_stored(goal, stage, given.get(stage, ""))]
    if not missing:
        return None
    said = f"{goal.id}: {', '.join(missing)} has not passed for what was answered."
    return Refused("steps-missing", said, _AGAIN.format(goal.id), {"steps": missing})


def _has_leg(goal: Goal) -> bool:
    try:
        told = json.loads(goal.frozen.contract if goal.frozen else "{}")
        return "user" in told["participants"] and bool(told["outcomes_agent_leg"])
    except (ValueError, LookupError, TypeError):
        return False


def refuse_untrue(goal: Goal, stage: str, condition: str) -> Refused | None:
    """An obligation may be cut short only for a reason that the record confirms."""
    # How full a context is counts for nothing: no client tells it to anybody but its model.
    why = _not_routine(goal) if condition == ROUTINE else f"the only condition is {ROUTINE}"
    if not why:
        return None
    said = f"{stage} of {goal.id} cannot be cut short by '{condition}': {why}."
    hint = f"answer {stage} in full (goalkeeper verify --template)"
    facts = {"goal_id": goal.id, "step": stage, "why": why}
    return Refused("abbreviation-untrue", said, hint, facts)


def _not_routine(goal: Goal) -> str:
    """Return why the goal is not routine: routine is what was done before, by the same contract."""
    if not goal.is_recurring:
        return "the goal does not recur"
    if goal.streak is None:
        return "no cycle of it was achieved yet"
    same = goal.frozen is not None and goal.streak.contract == goal.frozen.digest
    return "" if same else "the last cycle was achieved by another contract"


def _confirm_criterion(
    goal: Goal, command: commands.ConfirmCriterion, actor: Actor
) -> VerifyDecision:
    if actor.kind is not ActorKind.HUMAN:
        said = f"Only a human confirms what is for people to judge; {explain_actor(actor)}."
        return Refused("confirmation-needs-human", said, "ask a human to run it in a terminal")
    left = [each for each in goal.answers if each.criterion == command.criterion]
    if left and left[0].left_to_user:
        return (_close_leg(goal, left[0], command.evidence),)
    refused = _not_verifiable(goal, command.contract)
    refused = refused or _wrong_kind(goal, (command.criterion,), "manual")
    if refused:
        return refused
    reason = f"a human confirmed it: {command.evidence}"
    event = happened.QuestionsAnswered(
        goal.id, (command.criterion,), command.tree, command.contract, reason
    )
    return () if _is_known(goal, event) else (event,)


def _close_leg(goal: Goal, known: Answered, evidence: str) -> happened.QuestionsAnswered:
    """Make the event by which a human says that the user's part is done, too."""
    reason = f"{known.reason}; a human confirmed the rest: {evidence}"
    return happened.QuestionsAnswered(
        goal.id, (known.criterion,), known.tree, known.contract, reason, known.answers,
        summary=known.summary,
    )  # fmt: skip


def _is_known(goal: Goal, event: happened.QuestionsAnswered) -> bool:
    known = {(a.criterion, a.tree, a.contract, a.answers) for a in goal.answers}
    told = {(c, event.tree, event.contract, event.answers) for c in event.criteria}
    return told <= known


def _wrong_kind(goal: Goal, criteria: tuple[str, ...], kind: str) -> Refused | None:
    said = read_frozen_criteria(goal.frozen.contract) if goal.frozen else {}
    wrong = [name for name in criteria if kind not in _check_of(said.get(name))]
    if criteria and not wrong:
        return None
    of_kind = [name for name, told in said.items() if kind in _check_of(told)]
    told = f"{goal.id} has no criterion {', '.join(wrong) or 'at all'} of kind {kind}"
    known = f"; it has {', '.join(of_kind)}" if of_kind else ""
    facts = {"goal_id": goal.id, "criteria": list(criteria), "known": of_kind}
    return Refused("criterion-not-fit", f"{told}{known}.", f"goalkeeper why {goal.id}", facts)


def _check_of(criterion: object) -> dict[str, object]:
    check = criterion.get("check") if isinstance(criterion, dict) else None
    return check if isinstance(check, dict) else {}


def _not_verifiable(goal: Goal, contract: str) -> Refused | None:
    if goal.is_over:
        said = f"{goal.id} is {goal.status}; there is nothing left to verify."
        return Refused("goal-is-over", said, "goalkeeper status", {"goal_id": goal.id})
    if goal.frozen is None:
        return gate.refuse_no_contract(goal)
    if goal.frozen.digest != contract:
        said = f"What was verified is not the contract that {goal.id} has frozen."
        return Refused("contract-changed", said, _AGAIN.format(goal.id))
    return None


def no_hypothesis(goal: Goal) -> Refused | None:
    if goal.timing and goal.timing.hypothesis:
        return None
    said = f"{goal.id} is no hypothesis: its contract does not say hypothesis."
    return Refused("not-a-hypothesis", said, _AGAIN.format(goal.id) + " without --result")


def not_yet(goal: Goal, result: str, at: str) -> Refused | None:
    """Only a hypothesis has a result, and not before it can have one."""
    asked = goal.timing
    if asked is None or not asked.hypothesis:
        return no_hypothesis(goal) if result else None
    if not result:
        names = "|".join(StageResult)
        said = f"{goal.id} is hypothesis {asked.hypothesis}: say what came of it."
        return Refused("result-missing", said, f"{_AGAIN.format(goal.id)} --result {names}")
    if asked.opens > at:
        said = f"{goal.id} does not resolve before {asked.opens[:19]}Z; it is {at[:19]}Z."
        return Refused("not-yet", said, "goalkeeper status", {"opens": asked.opens, "now": at})
    return None


def _defer_hypothesis(goal: Goal, at: str) -> VerifyDecision:
    """Put a hypothesis off that has not resolved yet: for a day, but not beyond its time."""
    asked = goal.timing
    if asked is None or not asked.hypothesis:
        return no_hypothesis(goal) or ()
    if goal.status is GoalStatus.PENDING:
        return ()
    if asked.is_over(at):
        said = f"{goal.id} had to resolve by {asked.closes[:19]}Z, and it is {at[:19]}Z."
        return Refused("hypothesis-over", said, f"{_AGAIN.format(goal.id)} --result EXPIRED")
    until = add_seconds(at, DEFAULT_HOURS * 3600)
    until = min(until, asked.closes) if asked.closes else until
    if goal.status is not GoalStatus.ACTIVE:  # this is no way to release a goal that is blocked
        said = f"{goal.id} is {goal.status}; only work on an active goal is put off."
        return Refused("goal-not-active", said, "goalkeeper status", {"goal_id": goal.id})
    return (happened.HypothesisDeferred(goal.id, until),)


def _expire_hypothesis(goal: Goal, at: str) -> VerifyDecision:
    if goal.status is GoalStatus.EXPIRED:
        return ()
    asked = goal.timing
    if asked is None or not asked.hypothesis:
        return no_hypothesis(goal) or ()
    if not asked.is_over(at):
        until = f"it resolves by {asked.closes[:19]}Z" if asked.closes else "it has no resolves_by"
        said = f"{goal.id} has not expired: {until}, and it is {at[:19]}Z."
        hint = "goalkeeper blocked --goal-id {} --as blocked --evidence <what is in the way>"
        facts = {"goal_id": goal.id, "resolves_by": asked.closes, "now": at}
        return Refused("not-expired", said, hint.format(goal.id), facts)
    refused = refused_move(goal, GoalStatus.EXPIRED)
    told = f"hypothesis {asked.hypothesis} did not resolve by {asked.closes[:19]}Z"
    return refused or (happened.HypothesisExpired(goal.id, told),)
