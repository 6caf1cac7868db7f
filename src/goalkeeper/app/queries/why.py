"""What is unproven of a goal, since when, and what would prove it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goalkeeper.app.answering import read_findings
from goalkeeper.app.contracts import contract_of
from goalkeeper.app.ports import Run
from goalkeeper.app.queries.next_command import suggest_draft, suggest_drive
from goalkeeper.app.queries.proof import suggest_proof
from goalkeeper.app.queries.status import explain_goal, show_gate
from goalkeeper.app.standing import read_table
from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionState
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.decode import plain
from goalkeeper.core.plan import events, graph
from goalkeeper.core.plan.model import Actor, Classification, Goal, GoalStatus, Plan
from goalkeeper.core.plan.rights import is_at_work
from goalkeeper.wire.value import Value

if TYPE_CHECKING:  # most plans are driven by nobody
    from goalkeeper.core.drive.artifacts import ArtifactGate


class OpenGoal(Value):
    """A goal that has a contract and is not complete."""

    plan: Plan
    goal: Goal
    why: str
    unproven: tuple[tuple[CriterionState, Criterion], ...]
    findings: tuple[Finding, ...]  # the findings of the last judgement
    answered: frozenset[str]  # criteria that were answered since

    @property
    def document(self) -> dict[str, Any]:
        goal = self.goal
        return {
            "ok": True,
            "goal_id": goal.id,
            "status": goal.status,
            "frozen": goal.frozen is not None,
            "iteration": goal.iteration,
            "unproven": [self._show_criterion(state, about) for state, about in self.unproven],
            "findings": [plain(finding) for finding in self.findings],
            "answered": show_answered(goal),
            "failed_answers": list(goal.failed_answers),
            **({"artifact_gate": show_gate(self.closed_gate)} if self.closed_gate else {}),
        }

    def suggest_step(self, state: CriterionState, criterion: Criterion) -> str:
        is_answered = state.id in self.answered
        return advice.suggest_next_step(criterion, state, is_answered=is_answered)

    def _show_criterion(self, state: CriterionState, criterion: Criterion) -> dict[str, Any]:
        return {
            **plain(state),
            "text": criterion.text,
            "suggested_action": self.suggest_step(state, criterion),
            "proven_by": advice.describe_proof(criterion),
        }

    @property
    def closed_gate(self) -> ArtifactGate | None:
        return self.plan.closed_gate(self.goal.id)

    def suggest_next(self, actor: Actor) -> str:
        """Suggest what to run. A driven goal is judged in its worktree, not in the checkout."""
        goal, drive = self.goal, self.plan.drive
        kinds = {each.check.kind for _, each in self.unproven if each.id not in self.answered}
        if kinds == {"question"}:
            return f"goalkeeper verify --template {goal.id} > FILE"
        if drive and drive.line(goal.id) and not is_at_work(self.plan, actor):
            return suggest_drive(drive)
        return suggest_proof(self.plan, goal)


def find_pressing_goal(plan: Plan, at: str) -> Goal | None:
    """Find the goal that matters most now: at work, waiting for a human, stuck, or next."""
    active, failed = plan.with_status(GoalStatus.ACTIVE), plan.with_status(GoalStatus.FAILED)
    blocked = plan.with_status(GoalStatus.BLOCKED)
    human = [g for g in blocked if g.classification == Classification.HUMAN_BLOCKED]
    coming = graph.next_goal(plan, retry_failed=True, at=at)
    left = (goal for goal in plan.goals if not goal.is_over)
    found = (*active, *human, *failed, *blocked, *((coming,) if coming else ()), *left)
    return next(iter(found), None)


def find_open_goal(run: Run, plan: Plan, goal: Goal, at: str) -> OpenGoal | None:
    """Return None when nothing says what would prove the goal."""
    own = contract_of(goal)
    if own is None:
        return None
    contract = read_table(plan, goal, own)
    why = explain_goal(plan, goal, at)
    findings, answered = read_findings(run, goal), _read_answered(run, goal)
    unproven = _find_unproven(goal, contract, answered)
    return OpenGoal(plan, goal, why, unproven, findings, frozenset(answered))


def show_answered(goal: Goal) -> list[dict[str, str]]:
    """Show the stages of a verification that passed; files may have changed since."""
    return [{"step": each.step, "note": each.note} for each in goal.steps]


def show_settled(goal: Goal) -> dict[str, Any]:
    """Show a goal that is complete or expired."""
    shown: dict[str, Any] = {"ok": True, "goal_id": goal.id}
    if goal.status is GoalStatus.COMPLETE:
        return {**shown, "unproven": [], "left_to_user": list(goal.left_to_user)}
    return {**shown, "status": goal.status}


def suggest_for_user(goal: Goal) -> str:
    """Suggest how a human says that the user's part is done; empty where none is open."""
    left = next((each.criterion for each in goal.answers if each.left_to_user), "")
    command = f"goalkeeper verify --goal-id {goal.id} --criterion {left} --confirm"
    return f"{command} --evidence <what the user did> (a human's command)" if left else ""


def show_without_contract(plan: Plan, goal: Goal) -> dict[str, Any]:
    freeze = f"goalkeeper contract freeze --goal-id {goal.id} --file contract.yaml"
    hint = suggest_draft(plan) or freeze
    return {"ok": True, "goal_id": goal.id, "status": goal.status, "frozen": False, "hint": hint}


def _find_unproven(
    goal: Goal, contract: Contract, answered: set[str]
) -> tuple[tuple[CriterionState, Criterion], ...]:
    states = {state.id: state for state in goal.table}
    for each in goal.answers:
        if each.criterion in answered:
            said = f"answered for tree {each.tree[:12]}; it counts when that tree is judged"
            known = states.get(each.criterion) or CriterionState(each.criterion)
            states[each.criterion] = known.replace(reason=said)
    pairs = [(states.get(c.id) or CriterionState(c.id), c) for c in contract.criteria]
    return tuple((state, criterion) for state, criterion in pairs if not state.is_met)


def _read_answered(run: Run, goal: Goal) -> set[str]:
    """Read which criteria were answered after the last judgement."""
    answered: set[str] = set()
    for entry in run.entries_from_end() if goal.answers else ():
        match entry.event:
            case events.GoalJudged(goal_id) if goal_id == goal.id:
                break
            case events.QuestionsAnswered(goal_id, criteria) if goal_id == goal.id:
                answered |= {*criteria}
    contract = goal.frozen.digest if goal.frozen else ""
    return answered & {a.criterion for a in goal.answers if a.contract == contract}
