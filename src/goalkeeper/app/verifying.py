"""Verification of a goal that no program settles alone: checks first, then the answers.

Every stage that passes is recorded at once, for its inputs, so that a crash repeats none of them.
"""

from __future__ import annotations

from goalkeeper.app.contracts import JudgeContext, choose_goal, ensure_frozen, find_frozen
from goalkeeper.app.evidence_lookup import look_up_evidence
from goalkeeper.app.handle import CommandResult
from goalkeeper.app.judging import judge, make_trial
from goalkeeper.app.stored_answers import add_stored, list_stored
from goalkeeper.core.answers import procedure, scanning
from goalkeeper.core.answers.document import Answers
from goalkeeper.core.answers.procedure import Case, StageResult, Summary
from goalkeeper.core.answers.rules import is_stored, not_yet
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan import commands, gate
from goalkeeper.core.plan.model import ActorKind, Base, Goal, Refused
from goalkeeper.core.problems import clip_line
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.wire.value import Value

_LONGEST_PROBLEM = 200
_PROBLEMS_KEPT = 10
_LONGEST_SUMMARY = 300

STORED, PASSED, FAILED, WAITING = "stored", "passed", "failed", "waiting"


class StageOutcome(Value):
    """What became of a stage."""

    stage: str
    state: str
    note: str = ""
    wrong: tuple[Diagnostic, ...] = ()  # problems that showed only when it was carried out
    refused: Refused | None = None  # why a stage that passed was not recorded

    @property
    def is_passed(self) -> bool:
        return self.state in {STORED, PASSED}


class Verification(Value):
    """What is known of a goal after looking."""

    goal: Goal
    contract: Contract
    judgement: Judgement
    summary: Summary
    stages: tuple[StageOutcome, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    overridden: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()  # what fails although no criterion would have shown it
    stored: tuple[str, ...] = ()  # stages that nobody has to answer again for these files

    @property
    def answered_criteria(self) -> tuple[str, ...]:
        """List criteria that no program settles, and that are settled on this tree."""
        here = (self.judgement.tree, self.contract.digest)
        return tuple(a.criterion for a in self.goal.answers if (a.tree, a.contract) == here)

    @property
    def criteria(self) -> tuple[Judged, ...]:
        """Return the criteria as they were judged; those that were answered since have passed."""
        answered = self.answered_criteria
        told = {a.criterion: a.reason for a in self.goal.answers if a.criterion in answered}
        return tuple(
            seen.replace(verdict=Verdict.PASSED, reason=told[seen.id]) if seen.id in told else seen
            for seen in self.judgement.criteria
        )

    @property
    def is_verified(self) -> bool:
        open_ = {*self.summary.questions, *self.summary.manual} - {*self.answered_criteria}
        passed = self.summary.all_passed or not self.summary.total
        return bool(passed) and not open_ and not self.judgement.open_findings


def verify(
    context: JudgeContext, goal_id: str, answers: Answers | None, result: str = ""
) -> Verification | Refused:
    """Run the checks; if they do not fail, take the answers through the stages."""
    goal = choose_goal(context.run.read(), goal_id)
    refused = not_yet(goal, result, context.clock()) if answers else None
    if refused:
        return refused
    candidate = context.witness.take_snapshot()
    ruling = judge(context, goal.id, candidate=candidate)
    if isinstance(ruling, Refused):
        return ruling if ruling.reason != "contract-missing" else refuse_no_question(goal)
    summary = procedure.summarise_checks(ruling.contract, ruling.judgement.criteria)
    seen = Verification(ruling.goal, ruling.contract, ruling.judgement, summary)
    if answers is None or "checks_failed" in seen.summary.flags:
        stored = list_stored(context, seen.goal, seen.contract, candidate)
        return seen.replace(stored=stored)
    if not seen.summary.questions:
        return refuse_unasked(goal)
    whole = add_stored(context, seen.goal, answers, seen.contract, candidate)
    return _AnswerRun(context, seen, whole, result, candidate).carry_out()


def refuse_no_question(goal: Goal) -> Refused:
    """Refuse a goal without a contract; a question makes one where no program can check."""
    refused = gate.refuse_no_contract(goal)
    asked = "where a criterion may say check: {question: is it so?}"
    return refused.replace(hint=f"{refused.hint}, {asked}")


def refuse_unasked(goal: Goal) -> Refused:
    said = f"The contract of {goal.id} asks no question; there is nothing to answer."
    return Refused("nothing-to-answer", said, f"goalkeeper judge --goal-id {goal.id}")


class _AnswerRun(Value):
    """Takes the answers of one goal, on one tree, through the stages."""

    context: JudgeContext
    seen: Verification
    answers: Answers
    result: str
    candidate: Base

    def carry_out(self) -> Verification | Refused:
        refused = self._refuse_abbreviation()
        case, scanned = self._make_case(is_abbreviated=refused is None)
        found = procedure.diagnose_stages(case)
        stages = self._take_stages(case, found)
        unrecorded = next((each.refused for each in stages if each.refused), None)
        if unrecorded:
            return unrecorded
        told = {**found, **{each.stage: each.wrong for each in stages if each.wrong}}
        wrong = [each for stage in told.values() for each in stage]
        if refused:
            said, hint = refused.message, refused.hint
            wrong.append(Diagnostic("answers.abbreviated", refused.reason, said, hint))
        is_listed = _has_reached(stages, procedure.Q1_5)
        uncovered = procedure.list_uncovered(self.answers) if is_listed else ()
        after = self.seen.replace(
            stages=stages, diagnostics=tuple(wrong), uncovered=uncovered,
            overridden=scanned.overridden,
        )  # fmt: skip
        if wrong:
            return self._record_failure(after)
        return self._record_answers(after, case, scanned.overridden)

    def _record_failure(self, after: Verification) -> Verification | Refused:
        """Record that the answers do not hold: the latest ones about a tree count."""
        problems = tuple(clip_line(str(each), _LONGEST_PROBLEM) for each in after.diagnostics)
        outcome = self.context.handle(
            commands.RecordFailedAnswers(
                after.goal.id,
                after.contract.digest,
                self.candidate.tree,
                after.summary.questions,
                problems[:_PROBLEMS_KEPT],
                tuple(each.stage for each in after.stages if each.state == FAILED),
            )
        )
        return outcome.refused or after.replace(goal=choose_goal(outcome.plan, after.goal.id))

    def _refuse_abbreviation(self) -> Refused | None:
        """Refuse an abbreviation that the record does not allow, before anything is left out."""
        claimed = self.answers.abbreviated
        if claimed is None:
            return None
        goal_id = self.seen.goal.id
        asked = commands.ClaimAbbreviation(goal_id, claimed.step, claimed.condition)
        return self.context.handle(asked).refused

    def _make_case(self, *, is_abbreviated: bool) -> tuple[Case, scanning.Scanned]:
        goal, answers = self.seen.goal, self.answers
        if goal.frozen is None:
            raise LookupError(goal.id)
        base = goal.frozen.base
        scene = look_up_evidence(self.context.witness, answers, self.candidate, base)
        is_human = self.context.actor.kind is ActorKind.HUMAN
        scanned = scanning.scan_answers(answers, scene.evidence, may_override=is_human)
        claimed = answers.abbreviated
        condition = claimed.condition if claimed and is_abbreviated else ""
        case = Case(self.seen.contract, answers, scene, self.result, condition, scanned.diagnostics)
        return case, scanned

    def _take_stages(
        self, case: Case, found: dict[str, tuple[Diagnostic, ...]]
    ) -> tuple[StageOutcome, ...]:
        """Take stages in order. After one that fails none is taken, but all problems are told."""
        seen: list[StageOutcome] = []
        for stage, wrong in found.items():
            if seen and not seen[-1].is_passed:
                seen.append(StageOutcome(stage, FAILED if wrong else WAITING))
            else:
                seen.append(self._take_stage(case, stage, wrong))
        return tuple(seen)

    def _take_stage(self, case: Case, stage: str, wrong: tuple[Diagnostic, ...]) -> StageOutcome:
        inputs, note = procedure.digest_inputs(case, stage), procedure.note_stage(case, stage)
        if not wrong and is_stored(self.seen.goal, stage, inputs):
            return StageOutcome(stage, STORED, note)
        if not wrong and stage == procedure.Q2:
            wrong = procedure.diagnose_check(self._run_q2(case))
        if wrong:
            return StageOutcome(stage, FAILED, wrong=wrong)
        parts = procedure.find_parts(case, stage)
        kept = {"evidence": case.answers.plain.get("evidence", []), **parts}
        given = self.context.witness.keep_document({"kind": "step", "step": stage, "answers": kept})
        contract = case.contract.digest
        asked = commands.RecordStep(self.seen.goal.id, contract, stage, inputs, note, given)
        refused = self.context.handle(asked).refused
        return StageOutcome(stage, FAILED if refused else PASSED, note, refused=refused)

    def _run_q2(self, case: Case) -> Judged:
        """Let the witness run the check of Q2 on the candidate."""
        q2, plan = case.answers.q2, self.context.run.read()
        if q2 is None:
            raise LookupError(procedure.Q2)
        asked = find_frozen(plan, self.seen.goal)
        if asked is None:
            raise LookupError(self.seen.goal.id)
        trial = make_trial(self.context, asked, self.candidate, cached=False, final=False)
        contract = case.contract.replace(criteria=(Criterion("Q2", q2.failure_mode, q2.check),))
        alone = trial.replace(
            contract=contract, base_evidence=(), passed_before=frozenset(), silenced=frozenset()
        )
        return self.context.witness.judge_criteria(alone, self.candidate)[0]

    def _record_answers(
        self, after: Verification, case: Case, overridden: tuple[str, ...]
    ) -> Verification | Refused:
        """Record the answers on this tree: all stages have passed."""
        overrides = tuple(f"{each} ({self.context.actor.kind})" for each in overridden)
        stages = procedure.list_stages(case)
        outcome = self.context.handle(
            commands.RecordAnswers(
                after.goal.id,
                case.contract.digest,
                self.candidate.tree,
                after.summary.questions,
                tuple((stage, procedure.digest_inputs(case, stage)) for stage in stages),
                self.context.witness.keep_document(procedure.to_document(case, overrides)),
                procedure.give_reason(case, overrides),
                overrides,
                case.result,
                case.abbreviated,
                procedure.list_left_to_user(case),
                clip_line(case.answers.summary, _LONGEST_SUMMARY),
            )
        )
        if outcome.refused:
            return outcome.refused
        return after.replace(goal=choose_goal(outcome.plan, after.goal.id))


def _has_reached(stages: tuple[StageOutcome, ...], stage: str) -> bool:
    """Return whether the stages before it have passed."""
    names = [each.stage for each in stages]
    return stage in names and all(each.is_passed for each in stages[: names.index(stage)])


def confirm(context: JudgeContext, goal_id: str, criterion: str, evidence: str) -> CommandResult:
    """Record that a human has looked at what people must judge, on the tree as it is."""
    human = context.actor.kind is ActorKind.HUMAN
    plan = context.run.read()
    goal = choose_goal(plan, goal_id)
    if human:
        asked = ensure_frozen(context, goal_id)
        if isinstance(asked, Refused):
            return CommandResult(plan, refused=asked)
        goal = asked.goal
    contract = goal.frozen.digest if goal.frozen else ""
    tree = context.witness.take_snapshot().tree
    command = commands.ConfirmCriterion(goal.id, criterion, contract, tree, evidence)
    return context.handle(command)


def settle(context: JudgeContext, goal_id: str, result: StageResult) -> CommandResult:
    """Settle a hypothesis that has expired, or put it off because it has not resolved yet."""
    goal = choose_goal(context.run.read(), goal_id)
    expired = result is StageResult.EXPIRED
    return context.handle(commands.Expire(goal.id) if expired else commands.Defer(goal.id))
