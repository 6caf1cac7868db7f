"""Criteria of complete goals stand: work on other goals must not break them.

In the tables of other goals they go by the name of their goal: `G001/C1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goalkeeper.core.contract.criteria import (
    ANSWERED_KINDS,
    HISTORY_KINDS,
    MOMENT_KINDS,
    CriterionState,
    Observation,
    take_observation,
)
from goalkeeper.core.contract.findings import let_stand
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.contract.timing import read_frozen_criteria
from goalkeeper.core.plan.events import CycleAchieved, Event, FindingAnswered, GoalCompleted
from goalkeeper.core.plan.model import Actor, Goal, GoalStatus, Plan
from goalkeeper.wire.value import Value

# Checks of these kinds speak of the time when they were settled, and are not asked again.
SETTLED_KINDS = ANSWERED_KINDS | HISTORY_KINDS | MOMENT_KINDS | {"forbidden_paths"}


class StandingCriterion(Value):
    """A criterion of a complete goal, and how it was seen last."""

    goal: Goal
    criterion_id: str
    state: CriterionState

    @property
    def name(self) -> str:
        return f"{self.goal.id}/{self.criterion_id}"

    def was_seen_on(self, tree: str) -> bool:
        """Return whether it ran on this tree, and held."""
        return self.state.is_met and self.state.passed_tree == tree


def why_forged(plan: Plan, event: Event, actor: Actor) -> str:
    """Say why goalkeeper does not write such an entry; empty if it does."""
    if isinstance(event, FindingAnswered) and event.answer.by != actor.kind:
        return f"it says that {event.answer.by} let a finding stand, and {actor.kind} wrote it"
    return _why_unproven(plan, event) if isinstance(event, GoalCompleted | CycleAchieved) else ""


def _why_unproven(plan: Plan, event: GoalCompleted | CycleAchieved) -> str:
    """Say what is missing in an entry that says a goal is proven; empty if nothing is."""
    goal, judgement = plan.find_goal(event.goal_id), event.judgement
    if goal is None or goal.frozen is None or judgement is None:
        return f"it says that {event.goal_id} is proven, and no judgement says so"
    judged = {each.id for each in judgement.criteria if each.evidence}
    if judgement.contract != goal.frozen.digest or not {s.id for s in goal.criteria} <= judged:
        return f"it says that {goal.id} is proven, but not by all of its contract"
    if let_stand(judgement.findings, goal.finding_answers) != judgement.findings:
        return f"it says that {goal.id} is proven, and nobody let stand what was found"
    return (
        ""
        if judgement.is_proven
        else f"it says that {goal.id} is proven, and its judgement says otherwise"
    )


def list_standing(plan: Plan, goal_id: str = "") -> tuple[StandingCriterion, ...]:
    """List what must hold whatever is done for the goal; without one, for any goal."""
    done = (goal for goal in plan.with_status(GoalStatus.COMPLETE) if goal.id != goal_id)
    return tuple(each for goal in done for each in _list_of_goal(goal))


def list_proven_once(plan: Plan) -> tuple[StandingCriterion, ...]:
    """List what was proven, also of goals that were opened again since."""
    once = (g for g in plan.asked_goals if g.status is GoalStatus.COMPLETE or g.reopened)
    return tuple(each for goal in once for each in _list_of_goal(goal))


def _list_of_goal(goal: Goal) -> Iterator[StandingCriterion]:
    said = read_frozen_criteria(goal.frozen.contract) if goal.frozen else {}
    states = {state.id: state for state in goal.criteria}
    for name, criterion in said.items():
        check = criterion.get("check") if isinstance(criterion, dict) else None
        if name in states and isinstance(check, dict) and SETTLED_KINDS.isdisjoint(check):
            yield StandingCriterion(goal, name, states[name])


def take_standing(
    plan: Plan, goal: Goal, judgement: Judgement, iteration: int, at: str
) -> tuple[CriterionState, ...]:
    """Return the states of the standing criteria in a goal's table after a judgement."""
    head = plan.base.tree if plan.base else ""  # all hold there but those of review blockers
    known = {
        each.name: each.state.replace(
            id=each.name, passed_tree=each.state.passed_tree if each.goal.start else head
        )
        for each in list_standing(plan, goal.id)
    }
    known |= {state.id: state for state in goal.standing}
    return tuple(
        take_observation(
            known.get(c.id, CriterionState(c.id)),
            Observation(c.verdict, iteration, judgement.tree, c.evidence, c.reason, at),
        )
        for c in judgement.standing
    )


def renew_criteria(
    goal: Goal, judged: Sequence[Judged], tree: str, at: str
) -> tuple[CriterionState, ...]:
    """Return the criteria of a complete goal after they were seen on a later tree."""
    seen = {each.id: each for each in judged}

    def renew(state: CriterionState) -> CriterionState:
        now = seen.get(f"{goal.id}/{state.id}")
        if now is None or (state.is_met and state.passed_tree == tree):
            return state
        told = Observation(now.verdict, state.passed_at, tree, now.evidence, now.reason, at)
        return take_observation(state, told)

    return tuple(renew(state) for state in goal.criteria)


def list_unseen(plan: Plan) -> tuple[StandingCriterion, ...]:
    """List criteria of complete goals that were not seen to hold on the tree proven last."""
    tree = plan.base.tree if plan.base else ""
    return tuple(each for each in list_standing(plan) if not each.was_seen_on(tree))
