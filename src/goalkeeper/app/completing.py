"""A goal goes through the gate: it is proven anew, reviewed if the plan asks for it, and done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from goalkeeper.app.contracts import JudgeContext, choose_goal
from goalkeeper.app.gating import Assessor
from goalkeeper.app.handle import CommandDecision, CommandResult
from goalkeeper.app.judging import Ruling, judge
from goalkeeper.app.receipting import certify, certify_whole
from goalkeeper.app.standing import judge_whole
from goalkeeper.core.plan import commands, streaks
from goalkeeper.core.plan.model import STRICT, Base, Goal, GoalStatus, Plan, Refused
from goalkeeper.core.review.assessed import Quality
from goalkeeper.errors import GoalkeeperError


def complete(
    context: JudgeContext, command: commands.Checkpoint, given: Mapping[str, object] | None = None
) -> CommandResult:
    """Take a goal through the gate: the ledger must be sound, and the tree is proven anew.

    `given` is the quality gate that somebody hands in.
    """
    goal = choose_goal(context.run.read(), command.goal_id)
    if goal.is_recurring and not command.cycle and goal.frozen:
        # Another process that proves the same cycle names it by the same key.
        tree, at = context.witness.take_snapshot().tree, context.clock()
        command = command.replace(cycle=streaks.cycle_key(goal, tree, goal.frozen.digest, at))
    asked = context.handle(command, records=lambda decision: not _is_for_witness(goal, decision))
    if asked.refused is None or not _is_for_witness(goal, asked.refused):
        return asked
    ruling = judge(context, command.goal_id, final=True)
    if isinstance(ruling, Refused):
        return CommandResult(asked.plan, refused=ruling)
    return conclude(context, command, ruling, given)


def _is_for_witness(goal: Goal, decision: CommandDecision) -> bool:
    """Return whether a proof can still change the refusal."""
    if not isinstance(decision, Refused):
        return False
    has_contract = bool(goal.contract or goal.frozen)
    is_unfrozen = decision.reason == "contract-missing" and has_contract
    return decision.reason == "not-judged" or is_unfrozen


def conclude(
    context: JudgeContext,
    command: commands.Checkpoint,
    ruling: Ruling,
    given: Mapping[str, object] | None = None,
) -> CommandResult:
    """Take a goal through the gate with a final judgement, if the tree is still the same."""
    quality = _assess_quality(context, ruling, given, command.evidence)
    context.verify_ledger()
    if not context.witness.is_still(ruling.judgement.tree):
        said = "The working tree changed while it was judged; nothing is proven about it now."
        hint = "stop changing files, then repeat the command"
        return CommandResult(ruling.plan, refused=Refused("tree-moved", said, hint))
    result = context.handle(command.replace(judgement=ruling.judgement, quality=quality))
    goal = choose_goal(result.plan, command.goal_id)
    if result.refused is None and goal.status is GoalStatus.COMPLETE:
        _issue_receipts(context, result, ruling)
    return result


def _assess_quality(
    context: JudgeContext, ruling: Ruling, given: Mapping[str, object] | None, said: str
) -> Quality | None:
    if ruling.plan.gate != STRICT:
        return None
    seen = Base(ruling.judgement.tree, ruling.judgement.commit)
    assessed = Assessor(context, ruling.goal, seen).assess(given or {}, said)
    if assessed.quality.diagnostics:
        return assessed.quality
    return assessed.quality.replace(digest=context.witness.keep_document(assessed.document))


def _issue_receipts(context: JudgeContext, result: CommandResult, ruling: Ruling) -> None:
    """Sign what is complete. It stays complete if it cannot be signed."""
    with _warn_of_failure(context):
        missing = certify(context, result.plan, ruling.goal.id, ruling.judgement).missing
        if missing:
            context.run.warnings.append(f"no receipt: {missing}")


def conclude_whole(context: JudgeContext, plan: Plan) -> CommandResult:
    """Prove on the last tree what earlier goals proved, and sign it; what fails is reopened."""
    if plan.base is None:
        raise LookupError(plan.run_id)
    judged = judge_whole(context, plan, plan.base)
    result = context.handle(commands.RecordStanding(plan.base.tree, judged))
    if result.plan.is_complete:
        with _warn_of_failure(context):
            certify_whole(context, result.plan)
    return result


@contextmanager
def _warn_of_failure(context: JudgeContext) -> Iterator[None]:
    try:
        yield
    except GoalkeeperError as exc:
        said = f"no receipt: {exc.message} (goalkeeper receipt issue tries again)"
        context.run.warnings.append(said)
