"""Findings are answered: a worker gives a reason, or a human lets stand what blocks."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.app.contracts import JudgeContext, choose_goal, find_frozen
from goalkeeper.app.judging import make_trial
from goalkeeper.app.ports import Run
from goalkeeper.core.contract.findings import Finding, Level, let_stand, suggest_answer
from goalkeeper.core.plan import commands, events, gate
from goalkeeper.core.plan.model import Goal, Plan, Refused
from goalkeeper.wire.value import Value


class LetStand(Value):
    """The findings that were answered, as they stand now, and the plan after it."""

    plan: Plan
    goal: Goal
    findings: tuple[Finding, ...]
    changed: bool


def read_findings(run: Run, goal: Goal) -> tuple[Finding, ...]:
    """Read the findings of the last judgement, with what was let stand since."""
    for entry in run.entries_from_end() if goal.iteration else ():
        match entry.event:
            case events.GoalJudged(goal_id) if goal_id == goal.id:
                return let_stand(entry.event.judgement.findings, goal.finding_answers)
    return ()


def answer_findings(
    context: JudgeContext, goal_id: str, rule: str, path: str, reason: str
) -> LetStand | Refused:
    """Let findings of one rule in one file stand, as the files are or as they were judged last.

    A driven agent works elsewhere than a human who answers for it.
    """
    plan = context.run.read()
    goal = choose_goal(plan, goal_id)
    asked = find_frozen(plan, goal)
    if asked is None:
        return gate.refuse_no_contract(goal)
    candidate = context.witness.take_snapshot()
    trial = make_trial(context, asked, candidate, cached=True, final=False)
    read = context.witness.audit_change(trial, candidate)
    found = dict.fromkeys((*read, *read_findings(context.run, goal)))
    known = [finding for finding in found if finding.level is not Level.ADVISORY]
    of_rule = [finding for finding in known if finding.rule == rule]
    places = {finding.path for finding in of_rule}
    where = next(iter(places)) if len(places) == 1 and not path else path
    meant = tuple(finding for finding in of_rule if finding.path == where)
    if not meant:
        return _refuse_unknown(goal, rule, path, known)
    command = commands.AnswerFindings(goal.id, asked.frozen.digest, meant, reason)
    result = context.handle(command)
    after = choose_goal(result.plan, goal.id)
    stands = let_stand(meant, after.finding_answers)
    return result.refused or LetStand(result.plan, after, stands, result.changed)


def _refuse_unknown(goal: Goal, rule: str, path: str, known: Sequence[Finding]) -> Refused:
    still_open = [finding for finding in known if finding.is_open]
    where = f" in {path}" if path else ""
    told = "; ".join(map(str, still_open)) or "none"
    said = f"{goal.id} has no finding {rule}{where} that somebody could answer; open are: {told}."
    hint = f"goalkeeper judge --goal-id {goal.id}"
    if still_open:
        hint = suggest_answer(still_open[0], goal.id)
    facts = {"goal_id": goal.id, "findings": [finding.as_dict() for finding in still_open]}
    return Refused("no-such-finding", said, hint, facts)
