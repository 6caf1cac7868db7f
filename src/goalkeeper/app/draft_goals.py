"""Goals without a contract get one: examiners draft it, the witness rates it, a human accepts it.

Every answer and every draft is recorded before it is used, so nobody is asked twice for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from goalkeeper.app.contract_runs import ContractRuns
from goalkeeper.app.contracts import (
    FrozenGoal,
    JudgeContext,
    check_contract,
    choose_goal,
    contract_of,
    ensure_frozen,
    make_verification,
    require_base,
)
from goalkeeper.app.drafting import DraftRater, ExamTest, approve_disputed, hide_tests, write_exam
from goalkeeper.app.guarding import ExamineBase
from goalkeeper.app.handle import handle
from goalkeeper.app.trials import Examination, WitnessPort
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.draft.answer import DraftAnswer
from goalkeeper.core.draft.model import Draft, Examiner, Standing
from goalkeeper.core.draft.rating import GREEN_ON_BASE
from goalkeeper.core.drive.phases import Ending
from goalkeeper.core.plan import commands
from goalkeeper.core.plan.model import ENGINE, ActorKind, Base, Goal, Plan, Refused
from goalkeeper.wire.value import Value

_TEST_SECONDS, _FAULT_SECONDS = 120, 30  # a test may never end, and a fault may loop for ever
TRIES = 2  # so often an examiner is asked if its answer cannot be used
_SHOWN = 5


class ExaminerCall(Value):
    """What one examiner is asked."""

    goal: Goal
    base: Base
    number: int
    round: int
    attempt: int
    remark: str
    unusable: tuple[str, ...]


class ExaminerPort(Protocol):
    """Whoever asks examiners, and keeps what they answer."""

    def ask(self, call: ExaminerCall) -> Examiner: ...

    def read(self, examiner: Examiner) -> DraftAnswer | None:
        """Read an answer that was recorded; None if it cannot be read any more."""

    def keep_held_out(self, goal: Goal, round_number: int, path: str, text: str) -> str:
        """Keep a test outside of the repository; return the path that a contract names.

        The test's path begins with the name of its criterion.
        """


class DraftDeps(Value):
    """What drafting works with."""

    context: JudgeContext
    rater: WitnessPort  # what it keeps of drafted tests no worker sees
    examiners: ExaminerPort
    shuffle: Callable[[Sequence[str]], Sequence[str]]  # chance decides what is held out
    tell: Callable[[str], None]
    count: int = 2


class DraftedGoal(Value):
    """A goal with a draft, and the tests of the draft as they were written."""

    goal: Goal
    draft: Draft
    exam: tuple[ExamTest, ...]


def list_undrafted(plan: Plan) -> tuple[Goal, ...]:
    """List goals that cannot be judged yet because nobody gave them a contract."""
    return tuple(
        goal
        for goal in plan.asked_goals
        if not goal.is_over and not goal.blocks and contract_of(goal) is None
    )


def draft_goal(deps: DraftDeps, goal_id: str, remark: str = "") -> DraftedGoal | Refused:
    """Have a contract drafted and rated; with a remark, or after a bad draft, draft anew."""
    plan = deps.context.run.read()
    goal = choose_goal(plan, goal_id)
    base = require_base(deps.context, plan, goal)

    def examine(contract: Contract) -> Examination:
        return check_contract(deps.context, plan, goal, contract, base).examined

    if not goal.examiners and _lacks_setup(deps, base, examine):
        return _refuse_untrusted(goal)
    round_number = _find_round(goal, remark)
    answers = _ask_examiners(deps, goal, base, round_number, remark)
    if isinstance(answers, Refused):
        return answers
    goal = choose_goal(deps.context.run.read(), goal_id)
    paths = deps.context.witness.open_tree(base.tree).list_paths()
    known = goal.draft if goal.draft and goal.draft.round == round_number else None

    def keep(path: str, text: str) -> str:
        return deps.examiners.keep_held_out(goal, round_number, path, text)

    def hide(exam: Sequence[ExamTest], names: Sequence[str]) -> tuple[ExamTest, ...]:
        return hide_tests(exam, names, keep)

    exam = write_exam(answers, paths)
    if known is None:
        words = f"{goal.title}\n{goal.objective}\n{plan.constraints}\n{remark}"
        runs = ContractRuns(
            deps.rater, base, deps.context.isolation, deps.tell, _TEST_SECONDS, _FAULT_SECONDS
        )
        rating = DraftRater(runs, answers, exam, words, hide, deps.shuffle, examine)
        known = rating.rate_draft(round_number)
        refused = _record(deps, commands.RecordDraft(goal.id, known))
        if refused:
            return refused
    hidden = {test.id for test in known.tests if test.held_out}
    return _refuse_useless(goal, known) or DraftedGoal(goal, known, hide_tests(exam, hidden, keep))


def _lacks_setup(deps: DraftDeps, base: Base, examine: ExamineBase) -> bool:
    """Return whether the project's own commands cannot run, for want of what nobody trusts."""
    settings = deps.context.witness.settings_of(base)
    if not settings.left_commands or not settings.verify:
        return False
    deps.tell("the project's own tests, without the set-up that nobody trusts")
    seen = examine(make_verification(settings.verify, ())).criteria
    return any(each.verdict is Verdict.UNKNOWN for each in seen)


def _find_round(goal: Goal, remark: str) -> int:
    last = max((examiner.round for examiner in goal.examiners), default=0)
    is_useless = bool(goal.draft and goal.draft.round == last and not _count_binding(goal.draft))
    return last + 1 if remark or is_useless or not last else last


def _ask_examiners(
    deps: DraftDeps, goal: Goal, base: Base, round_number: int, remark: str
) -> tuple[DraftAnswer, ...] | Refused:
    answers: list[DraftAnswer] = []
    for number in range(1, deps.count + 1):
        told = [e for e in goal.examiners if (e.round, e.number) == (round_number, number)]
        before = sum(each.number == number for each in goal.examiners) - len(told)
        while True:
            answer = deps.examiners.read(told[-1]) if told else None
            if answer:
                answers.append(answer)
                break
            if len(told) >= TRIES:
                return _refuse_examiner(goal, told[-1])
            deps.tell(f"examiner {number} of {deps.count} reads the project")
            attempt = before + len(told) + 1
            unusable = told[-1].problems if told else ()
            call = ExaminerCall(goal, base, number, round_number, attempt, remark, unusable)
            told.append(deps.examiners.ask(call))
            refused = _record(deps, commands.RecordExaminer(goal.id, told[-1]))
            if refused:
                return refused
    return tuple(answers) if any(a.tests for a in answers) else _refuse_empty(goal, answers)


def _record(deps: DraftDeps, command: commands.Command) -> Refused | None:
    return handle(deps.context.run, command, actor=ENGINE, clock=deps.context.clock).refused


def accept_draft(
    context: JudgeContext, drafted: DraftedGoal, approved: Sequence[str]
) -> FrozenGoal | Refused:
    """Accept a draft, with the disputed tests that somebody approved, and freeze its contract."""
    draft = approve_disputed(drafted.draft, drafted.exam, approved) if approved else drafted.draft
    if not _count_binding(draft):
        return refuse_unaccepted(drafted.goal.id, "goalkeeper run, in a terminal")
    by = "human" if context.actor.kind is ActorKind.HUMAN else "unattended"
    command = commands.RecordDraft(drafted.goal.id, draft.replace(accepted_by=by))
    return context.handle(command).refused or ensure_frozen(context, drafted.goal.id)


def refuse_unaccepted(goal_id: str, again: str) -> Refused:
    said = f"The draft for {goal_id} is kept, and nobody has accepted it. No work was begun."
    return Refused("draft-not-accepted", said, again, {"goal_id": goal_id})


def _count_binding(draft: Draft) -> int:
    return len(draft.list_tests(Standing.BINDING))


def _refuse_untrusted(goal: Goal) -> Refused:
    said = (
        "Nobody has trusted the commands that set this project up, and without them its own tests "
        "cannot run, nor could drafted ones. No examiner was asked."
    )
    return Refused("setup-not-trusted", said, "goalkeeper trust", {"goal_id": goal.id})


def _refuse_examiner(goal: Goal, examiner: Examiner) -> Refused:
    said = "; ".join(examiner.problems)
    facts = {"goal_id": goal.id, "problems": list(examiner.problems)}
    who = f"Examiner {examiner.number} ({examiner.agent})"
    if examiner.process.ending is not Ending.OK:
        hint = "goalkeeper agents list says what is wrong with an agent; then run it again"
        return Refused("examiner-failed", f"{who} did not answer: {said}", hint, facts)
    hint = f"run it again, name another one with --examiner, or write the contract of {goal.id}"
    return Refused("draft-unusable", f"The answer of {who} cannot be used: {said}", hint, facts)


def _refuse_empty(goal: Goal, answers: Sequence[DraftAnswer]) -> Refused:
    asked = dict.fromkeys(question for answer in answers for question in answer.questions)
    told = "; ".join(asked) or "no reason was given"
    said = f"The examiners found nothing in {goal.id} that a check could settle: {told}"
    hint = "say what should be different for somebody who uses it, in one sentence"
    return Refused("draft-shows-nothing", said, hint, {"goal_id": goal.id, "questions": [*asked]})


def _refuse_useless(goal: Goal, draft: Draft) -> Refused | None:
    """Refuse a draft in which no test is binding or could become so."""
    if _count_binding(draft) or draft.list_tests(Standing.DISPUTED):
        return None
    facts = {"goal_id": goal.id, "rules": [[test.id, test.rule] for test in draft.tests]}
    if all(test.rule == GREEN_ON_BASE for test in draft.tests):
        said = f"What {goal.id} asks for seems to be there: every drafted test is green already."
        return Refused("already-there", said, "say what is missing, in one sentence", facts)
    told = "; ".join(f"{t.id} {t.rule} ({t.reason})" for t in draft.tests[:_SHOWN])
    said = f"No test that was drafted for {goal.id} can show that it is met: {told}"
    hint = "run it again to have it drafted anew, or say it more exactly"
    return Refused("draft-shows-nothing", said, hint, facts)
