"""What was answered in stages that passed need not be sent again while it is about the same."""

from __future__ import annotations

from goalkeeper.app.contracts import JudgeContext
from goalkeeper.app.evidence_lookup import look_up_evidence
from goalkeeper.core.answers import procedure
from goalkeeper.core.answers.document import Answers, read_answers
from goalkeeper.core.answers.procedure import Case
from goalkeeper.core.answers.rules import is_stored
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.plan.model import Base, Goal


def add_stored(
    context: JudgeContext, goal: Goal, given: Answers, contract: Contract, candidate: Base
) -> Answers:
    """Add what was answered before to answers that leave it out, if it still counts."""
    kept = {
        step.step: document["answers"]
        for step in goal.steps
        if step.step not in given.plain  # what is answered anew is all that is said of a stage
        and (document := context.witness.read_kept(step.answers) if step.answers else None)
    }
    while kept and goal.frozen and not given.agent_leg:
        whole = read_answers(procedure.add_stored(given.plain, tuple(kept.values())))
        if not isinstance(whole, Answers):
            break
        scene = look_up_evidence(context.witness, whole, candidate, goal.frozen.base)
        case = Case(contract, whole, scene)
        outdated = [stage for stage in kept if not _counts(goal, case, stage)]
        if not outdated:
            return whole
        for stage in outdated:
            del kept[stage]
    return given


def _counts(goal: Goal, case: Case, stage: str) -> bool:
    if stage not in case.answers.plain:
        return True  # it is left out on purpose
    return is_stored(goal, stage, procedure.digest_inputs(case, stage))


def list_stored(
    context: JudgeContext, goal: Goal, contract: Contract, candidate: Base
) -> tuple[str, ...]:
    """List the stages that nobody has to answer again for these files."""
    whole = add_stored(context, goal, Answers({}), contract, candidate)
    return tuple(step.step for step in goal.steps if step.step in whole.plain)
