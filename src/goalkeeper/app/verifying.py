"""Verification of a goal that no program settles alone: checks first, then the answers.

Every step that passes is recorded at once, for its inputs; whoever dies in between goes on there.
"""

from __future__ import annotations

from goalkeeper.app import scenery
from goalkeeper.app.handle import Outcome, handle
from goalkeeper.app.judging import (
    Court,
    Ruled,
    contract_of,
    ensure_frozen,
    find_goal,
    judge,
    trial_of,
)
from goalkeeper.core.answers import procedure, scanning
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.answers.procedure import Case, Result, Summary
from goalkeeper.core.answers.rules import is_stored, no_hypothesis, not_yet
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import ActorKind, Base, Goal, Refused
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.wire.value import Value

STORED, PASSED, FAILED, WAITING = "stored", "passed", "failed", "waiting"


class StepSeen(Value):
    """What became of a step."""

    step: str
    state: str
    note: str = ""
    wrong: tuple[Diagnostic, ...] = ()  # that only showed when it was carried out
    refused: Refused | None = None  # why what passed was not recorded

    @property
    def is_passed(self) -> bool:
        return self.state in {STORED, PASSED}


class Verified(Value):
    """What is known of a goal after looking."""

    goal: Goal
    contract: Contract
    judgement: Judgement
    summary: Summary
    steps: tuple[StepSeen, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    overridden: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()  # what fails, and no criterion would have told

    @property
    def answered(self) -> tuple[str, ...]:
        """Criteria that no program settles, and that are settled on this tree."""
        tree, contract = self.judgement.tree, self.contract.digest
        return tuple(
            each.criterion
            for each in self.goal.answers
            if (each.tree, each.contract) == (tree, contract)
        )

    @property
    def criteria(self) -> tuple[Judged, ...]:
        """As they were judged; what was answered since, as it will be."""
        told = {a.criterion: a.reason for a in self.goal.answers if a.criterion in self.answered}
        return tuple(
            seen.replace(verdict=Verdict.PASSED, reason=told[seen.id]) if seen.id in told else seen
            for seen in self.judgement.criteria
        )

    @property
    def is_verified(self) -> bool:
        open_ = {*self.summary.questions, *self.summary.manual} - {*self.answered}
        passed = self.summary.all_passed or not self.summary.total
        return bool(passed) and not open_ and not self.judgement.blocking


def verify(
    court: Court, goal_id: str, answers: Answers | None, result: str = ""
) -> Verified | Refused:
    """Run the checks; if they do not fail, take the answers through the steps."""
    goal = find_goal(court.run.read(), goal_id)
    refused = not_yet(goal, result, court.clock()) if answers else None
    if refused:
        return refused
    candidate = court.witness.snapshot()
    ruled = judge(court, goal.id, candidate=candidate)
    if isinstance(ruled, Refused):
        return ruled
    seen = _seen(ruled)
    if answers is None or "checks_failed" in seen.summary.flags:
        return seen
    if not seen.summary.questions:
        said = f"The contract of {goal.id} asks no question; there is nothing to answer."
        return Refused("nothing-to-answer", said, f"goalkeeper judge --goal-id {goal.id}")
    return _Verification(court, seen, answers, result, candidate).carried_out()


def _seen(ruled: Ruled) -> Verified:
    contract = contract_of(ruled.goal) or Contract()
    summary = procedure.summary(contract, ruled.judgement.criteria)
    return Verified(ruled.goal, contract, ruled.judgement, summary)


class _Verification:
    """The answers of one goal, on one tree."""

    def __init__(
        self, court: Court, seen: Verified, answers: Answers, result: str, candidate: Base
    ) -> None:
        self._court = court
        self._seen = seen
        self._answers = answers
        self._result = result
        self._candidate = candidate

    def carried_out(self) -> Verified | Refused:
        refused = self._abbreviation()
        case, scanned = self._case(is_abbreviated=refused is None)
        found = procedure.diagnose(case)
        steps = self._steps(case, found)
        unrecorded = next((each.refused for each in steps if each.refused), None)
        if unrecorded:
            return unrecorded
        told = {**found, **{each.step: each.wrong for each in steps if each.wrong}}
        wrong = [each for step in told.values() for each in step]
        wrong += [_untrue(refused)] if refused else []
        after = self._seen.replace(
            steps=steps,
            diagnostics=tuple(wrong),
            overridden=scanned.overridden,
            uncovered=procedure.uncovered(self._answers) if _came_to(steps, procedure.Q1_5) else (),
        )
        return after if wrong else self._settled(after, case, scanned.overridden)

    def _abbreviation(self) -> Refused | None:
        """Asked of the record, before anything is left out."""
        claimed = self._answers.abbreviated
        if claimed is None:
            return None
        context = self._court.context()
        asked = commands.ClaimAbbreviation(
            self._seen.goal.id, claimed.step, claimed.condition, context
        )
        return self._handle(asked).refused

    def _case(self, *, is_abbreviated: bool) -> tuple[Case, scanning.Scanned]:
        goal, answers = self._seen.goal, self._answers
        if goal.frozen is None:
            raise LookupError(goal.id)
        base = goal.frozen.base
        scene = scenery.look(self._court.witness, answers, self._candidate, base)
        is_human = self._court.actor.kind is ActorKind.HUMAN
        scanned = scanning.scan(answers, scene.evidence, may_override=is_human)
        claimed = answers.abbreviated
        condition = claimed.condition if claimed and is_abbreviated else ""
        case = Case(
            self._seen.contract, answers, scene, self._result, condition, scanned.diagnostics
        )
        return case, scanned

    def _steps(self, case: Case, found: dict[str, tuple[Diagnostic, ...]]) -> tuple[StepSeen, ...]:
        """In order; behind one that fails none is carried out, but all that is wrong is told."""
        seen: list[StepSeen] = []
        for step, wrong in found.items():
            if seen and not seen[-1].is_passed:
                seen.append(StepSeen(step, FAILED if wrong else WAITING))
            else:
                seen.append(self._step(case, step, wrong))
        return tuple(seen)

    def _step(self, case: Case, step: str, wrong: tuple[Diagnostic, ...]) -> StepSeen:
        inputs, note = procedure.inputs(case, step), procedure.note(case, step)
        if not wrong and is_stored(self._seen.goal, step, inputs):
            return StepSeen(step, STORED, note)
        if not wrong and step == procedure.Q2:
            wrong = procedure.checked(self._looked(case))
        if wrong:
            return StepSeen(step, FAILED, wrong=wrong)
        contract = case.contract.digest
        asked = commands.RecordStep(self._seen.goal.id, contract, step, inputs, note)
        refused = self._handle(asked).refused
        return StepSeen(step, FAILED if refused else PASSED, note, refused=refused)

    def _looked(self, case: Case) -> Judged:
        """The check of Q2, run by the witness on the candidate."""
        q2, plan = case.answers.q2, self._court.run.read()
        if q2 is None:
            raise LookupError(procedure.Q2)
        trial = trial_of(self._court, plan, self._seen.goal, cached=False, final=False)
        asked = case.contract.replace(criteria=(Criterion("Q2", q2.failure_mode, q2.check),))
        alone = trial.replace(
            contract=asked, evidence=(), passed_before=frozenset(), silenced=frozenset()
        )
        return self._court.witness.look(alone, self._candidate)

    def _settled(
        self, after: Verified, case: Case, overridden: tuple[str, ...]
    ) -> Verified | Refused:
        """All steps have passed: the questions are answered, on this tree."""
        by = f" ({self._court.actor.kind})"
        overrides = tuple(f"{each}{by}" for each in overridden)
        steps = procedure.steps(case)
        outcome = self._handle(
            commands.RecordAnswers(
                after.goal.id,
                case.contract.digest,
                self._candidate.tree,
                after.summary.questions,
                tuple((step, procedure.inputs(case, step)) for step in steps),
                self._court.witness.keep(procedure.document(case, overrides)),
                procedure.reason(case, overrides),
                overrides,
                case.result,
                case.abbreviated,
                self._court.context(),
            )
        )
        if outcome.refused:
            return outcome.refused
        return after.replace(goal=find_goal(outcome.plan, after.goal.id))

    def _handle(self, command: commands.Command) -> Outcome:
        court = self._court
        return handle(court.run, command, actor=court.actor, clock=court.clock)


def _came_to(steps: tuple[StepSeen, ...], step: str) -> bool:
    """Whether the steps before it have passed."""
    names = [each.step for each in steps]
    return step in names and all(each.is_passed for each in steps[: names.index(step)])


def _untrue(refused: Refused) -> Diagnostic:
    return Diagnostic("answers.abbreviated", refused.reason, refused.message, refused.hint)


def confirm(court: Court, goal_id: str, criterion: str, evidence: str) -> Outcome:
    """A human has looked at what is for people to judge, on the tree as it is."""
    human = court.actor.kind is ActorKind.HUMAN
    goal = ensure_frozen(court, goal_id) if human else find_goal(court.run.read(), goal_id)
    if isinstance(goal, Refused):
        return Outcome(court.run.read(), refused=goal)
    contract = goal.frozen.digest if goal.frozen else ""
    tree = court.witness.snapshot().tree
    command = commands.ConfirmCriterion(goal.id, criterion, contract, tree, evidence)
    return handle(court.run, command, actor=court.actor, clock=court.clock)


def settle(court: Court, goal_id: str, result: Result) -> Outcome:
    """A hypothesis that has expired, or has not resolved yet, which changes nothing."""
    plan = court.run.read()
    goal = find_goal(plan, goal_id)
    if result is Result.EXPIRED:
        command = commands.Expire(goal.id)
        return handle(court.run, command, actor=court.actor, clock=court.clock)
    return Outcome(plan, (goal.id,), refused=no_hypothesis(goal))
