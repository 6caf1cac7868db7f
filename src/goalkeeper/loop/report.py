"""What came of a drive: what is proven, what is not and why, and what it cost."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from goalkeeper.app.contracts import contract_of
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.state import Drive, Worktree
from goalkeeper.core.plan.model import Base, Goal, GoalStatus, Plan
from goalkeeper.wire.value import Value

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def data(plan: Plan) -> dict[str, Any]:
    drive = plan.drive
    return {
        "run_id": plan.run_id,
        "reason": drive.ended if drive else "",
        "detail": drive.detail if drive else "",
        "agent": drive.agent if drive else "",
        "began_at": drive.began_at if drive else "",
        "goals": [_goal(goal) for goal in plan.asked],
        "spend": _spend(drive) if drive else {},
        "seconds": drive.milliseconds // 1000 if drive else 0,
        "branch": branch(plan),
        "paused_until": drive.paused_until if drive else "",
    }


def _texts(goal: Goal) -> dict[str, str]:
    """What the criteria of a goal say, by id."""
    contract = contract_of(goal)
    return {c.id: c.text for c in contract.criteria} if contract else {}


def _goal(goal: Goal) -> dict[str, Any]:
    texts = _texts(goal)
    return {
        "id": goal.id,
        "title": goal.title,
        "status": goal.status,
        "iterations": goal.iteration,
        "evidence": goal.evidence,
        "exit": goal.exit,
        "criteria": [{"text": texts.get(state.id, ""), **plain(state)} for state in goal.criteria],
        "blocking": goal.blocking,
    }


def _spend(drive: Drive) -> dict[str, Any]:
    spend = drive.total
    return {
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cached_tokens": spend.cached_tokens,
        "dollars": (spend.microdollars or 0) / 1e6,
        "unpriced_phases": drive.unpriced,
    }


def proven(plan: Plan) -> list[tuple[Worktree, Goal, Base]]:
    """Where proven goals were worked on, in the order of their completion, and what was proven."""
    places = {place.goal_id: place for place in plan.drive.worktrees} if plan.drive else {}
    ordered = sorted((g for g in plan.goals if g.completed_at), key=lambda g: g.completed_at)
    return [(places[g.id], g, g.proven) for g in ordered if g.id in places and g.proven]


def branch(plan: Plan) -> str:
    """Of the last goal that is proven: it holds the work of all before it."""
    found = proven(plan)
    return found[-1][0].branch if found else ""


def cost(drive: Drive) -> str:
    """Unknown is not nothing."""
    spend = drive.total
    dollars = f"${(spend.microdollars or 0) / 1e6:.2f}"
    known = f"at least {dollars}" if spend.microdollars else "cost unknown"
    unknown = drive.unpriced or drive.running  # what is under way costs something, too
    return f"{spend.tokens:,} tokens, {known if unknown else dollars}"


def markdown(plan: Plan) -> str:
    drive = plan.drive
    if drive is None:
        return f"# Run {plan.run_id}\n\nNo agent was driven yet.\n"
    ended = drive.ended or "not ended"
    detail = f": {drive.detail}" if drive.detail else ""
    lines = [f"# Run {plan.run_id}: {ended}{detail}", ""]
    for goal in plan.asked:
        lines += _section(goal)
    minutes, seconds = divmod(drive.milliseconds // 1000, 60)
    lines.append(f"{drive.agent}, {minutes} min {seconds} s of work, {cost(drive)}.")
    if branch(plan):
        lines.append(f"Proven work is on the branch `{branch(plan)}`.")
    return "\n".join(lines) + "\n"


def _section(goal: Goal) -> list[str]:
    proven = goal.status is GoalStatus.COMPLETE
    times = "1 iteration" if goal.iteration == 1 else f"{goal.iteration} iterations"
    lines = [f"## {goal.id} {goal.title}: {'proven' if proven else goal.status}, {times}", ""]
    texts = _texts(goal)
    for state in goal.criteria:
        why = f": {state.reason}" if state.reason and not state.is_met else ""
        lines.append(f"- {state.status} {state.id} {texts.get(state.id, '')}{why}")
    if goal.blocking and not proven:
        lines.append(f"- blocking findings: {goal.blocking} (goalkeeper why {goal.id})")
    if goal.status is GoalStatus.EXPIRED:
        lines.append(f"- {goal.evidence}")
    if goal.streak:
        lines.append(f"- cycles: {goal.streak.count}, in a row: {goal.streak.current}")
    if goal.exit:
        lines.append(f"- the agent says {goal.exit}: {goal.evidence}")
    return [*lines, ""]


class _Case(Value):
    name: str
    skipped: str = ""
    failure: str = ""
    detail: str = ""


def junit(plan: Plan) -> str:
    """Each criterion as a test case, for tools that show such reports; and each goal."""
    suites = "".join(_suite(goal) for goal in plan.asked)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{head}<testsuites>\n{suites}</testsuites>\n"


def _suite(goal: Goal) -> str:
    texts = _texts(goal)
    cases = [_case(state, texts.get(state.id, "")) for state in goal.criteria]
    cases.append(_proof(goal))
    failures = sum(1 for case in cases if case.failure)
    skipped = sum(1 for case in cases if case.skipped)
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{skipped}"'
    name = _attribute(f"{goal.id} {goal.title}")
    inner = "".join(_written(case, goal.id) for case in cases)
    return f"  <testsuite name={name} {counts}>\n{inner}  </testsuite>\n"


def _case(state: CriterionState, text: str) -> _Case:
    name = f"{state.id} {text}".strip()
    if state.status is CriterionStatus.PENDING or state.error_streak:
        return _Case(name, skipped=state.reason or "not judged")
    if state.status is CriterionStatus.PASS:
        return _Case(name)
    return _Case(name, failure=str(state.status), detail=state.reason)


def _proof(goal: Goal) -> _Case:
    """Criteria alone do not tell: a finding may stand against a goal that meets them all."""
    if goal.status is GoalStatus.COMPLETE:
        return _Case("proven")
    if goal.status is GoalStatus.PENDING:
        done = f"proven {goal.streak.count} times, and pending again" if goal.streak else ""
        return _Case("proven", skipped=done or "not begun")
    if goal.status is GoalStatus.EXPIRED:
        return _Case("proven", skipped=goal.evidence)
    why = f"blocking findings: {goal.blocking}" if goal.blocking else goal.evidence
    return _Case("proven", failure=str(goal.status), detail=why)


def _written(case: _Case, goal_id: str) -> str:
    inner = f"<skipped message={_attribute(case.skipped)}/>" if case.skipped else ""
    if case.failure:
        inner = f"<failure message={_attribute(case.failure)}>{_text(case.detail)}</failure>"
    name = f"classname={_attribute(goal_id)} name={_attribute(case.name)}"
    return f"    <testcase {name}>{inner}</testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
