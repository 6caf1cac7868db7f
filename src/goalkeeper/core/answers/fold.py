"""The events of a verification change the plan."""

from __future__ import annotations

from collections.abc import Collection

from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.plan import events as happened
from goalkeeper.core.plan import streaks
from goalkeeper.core.plan.model import HUMAN, Answered, Base, Goal, GoalStatus, Plan, StepPassed


def apply_answer(plan: Plan, event: happened.VerifyEvent, at: str) -> Plan:
    goal = plan.find_goal(event.goal_id)
    if goal is None:
        return plan
    match event:
        case happened.StepVerified(_, step, inputs, note, given):
            kept = tuple(each for each in goal.steps if each.step != step)
            passed = StepPassed(step, inputs, note, given)
            return _replace_goal(plan, goal, at, steps=(*kept, passed))
        case happened.QuestionsAnswered(_, criteria):
            others = tuple(each for each in goal.answers if each.criterion not in criteria)
            names = ("tree", "contract", "reason", "answers", "left_to_user", "summary")
            told = {name: getattr(event, name) for name in names}
            answers = (Answered(criterion=name, **told) for name in criteria)
            done: dict[str, object] = {"waits_until": "", "failed_answers": ()}
            return _replace_goal(plan, goal, at, answers=(*others, *answers), **done)
        case happened.VerificationFailed(_, criteria, tree, problems, failed):
            kept_answers = tuple(
                each for each in goal.answers if each.criterion not in criteria or each.tree != tree
            )
            steps = tuple(each for each in goal.steps if each.step not in failed)
            changes: dict[str, object] = {"answers": kept_answers, "failed_answers": problems}
            if goal.status is not GoalStatus.COMPLETE:
                changes |= _take_back(goal, criteria, at)
            return _replace_goal(plan, goal, at, steps=steps, **changes)
        case happened.FindingAnswered(_, answer):
            # Reviewers who saw nothing to object to have not read what an agent says now.
            heard = [e for e in goal.lanes if answer.by == HUMAN or e.word != "clear"]
            known = (*goal.finding_answers, answer)
            return _replace_goal(plan, goal, at, finding_answers=known, lanes=tuple(heard))
        case happened.HypothesisExpired(_, evidence):
            expired = _replace_goal(plan, goal, at, status=GoalStatus.EXPIRED, evidence=evidence)
            return expired.replace(revision=plan.revision + 1, updated_at=at)
        case happened.HypothesisDeferred(_, until):
            status = GoalStatus.PENDING
            waiting = _replace_goal(plan, goal, at, status=status, waits_until=until)
            return waiting.replace(revision=plan.revision + 1, updated_at=at)
        case happened.CycleAchieved():
            return _begin_next_cycle(plan, goal, event, at)
        case happened.AbbreviationRefused():
            return plan


def _take_back(goal: Goal, criteria: Collection[str], at: str) -> dict[str, object]:
    """Take back what was met by answers that do not hold."""
    said = "answers that were given later do not hold"
    states = tuple(
        state.replace(status=CriterionStatus.PENDING, reason=said, since=at)
        if state.id in criteria and state.status is CriterionStatus.PASS
        else state
        for state in goal.criteria
    )
    return {} if states == goal.criteria else {"criteria": states, "decision": ""}


def _replace_goal(plan: Plan, goal: Goal, at: str, **changes: object) -> Plan:
    changed = goal.replace(updated_at=at, **changes)
    return plan.replace(goals=tuple(changed if g.id == goal.id else g for g in plan.goals))


def _begin_next_cycle(plan: Plan, goal: Goal, event: happened.CycleAchieved, at: str) -> Plan:
    """Make the goal pending as if nobody had worked on it; its evidence stays."""
    seen = event.judgement
    proven = Base(seen.tree, seen.commit) if seen else None
    contract = seen.contract if seen else ""
    changed = _replace_goal(
        plan, goal, at, status=GoalStatus.PENDING, evidence=event.evidence, completed_at=at,
        proven=proven, streak=streaks.extend_streak(goal, event.cycle, contract, at),
        criteria=tuple(CriterionState(state.id) for state in goal.criteria), iteration=0,
        attempts=0, judgement="", blocking=0, decision="", steps=(), answers=(), failed_answers=(),
        finding_answers=(),
    )  # fmt: skip
    after = count_cycle_change(changed.replace(revision=plan.revision + 1, updated_at=at))
    return after.replace(base=proven) if proven else after


def count_cycle_change(plan: Plan) -> Plan:
    """Count a change that cycles made: no plan needs one to be complete, so no receipt is stale."""
    return plan.replace(raised_by_cycles=plan.raised_by_cycles + 1)
