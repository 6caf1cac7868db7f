"""The report of a drive says what is proven, what is not and why, and what it cost."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from goalkeeper.app.judging import contract_of
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
        "goals": [_describe_goal(goal) for goal in plan.asked],
        "spend": _describe_spend(drive) if drive else {},
        "seconds": drive.milliseconds // 1000 if drive else 0,
        "branch": find_branch(plan),
        "paused_until": drive.paused_until if drive else "",
    }


def _read_criterion_texts(goal: Goal) -> dict[str, str]:
    """Reads what the criteria of a goal say, by id."""
    contract = contract_of(goal)
    return {c.id: c.text for c in contract.criteria} if contract else {}


def _describe_goal(goal: Goal) -> dict[str, Any]:
    texts = _read_criterion_texts(goal)
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


def _describe_spend(drive: Drive) -> dict[str, Any]:
    spend = drive.total
    return {
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cached_tokens": spend.cached_tokens,
        "dollars": (spend.microdollars or 0) / 1e6,
        "unpriced_phases": drive.unpriced,
    }


def find_proven(plan: Plan) -> list[tuple[Worktree, Goal, Base]]:
    """Finds where proven goals were worked on and what was proven, in the order of completion."""
    lines = plan.drive.lines if plan.drive else ()
    places = {line.goal_id: line.worktree for line in lines}
    ordered = sorted((g for g in plan.goals if g.completed_at), key=lambda g: g.completed_at)
    return [(places[g.id], g, g.proven) for g in ordered if g.id in places and g.proven]


def find_branch(plan: Plan) -> str:
    """Finds the branch of the last goal that is proven; it holds the work of all before it."""
    found = find_proven(plan)
    return found[-1][0].branch if found else ""


def describe_cost(drive: Drive) -> str:
    """Says what the drive cost; a cost that nobody knows is not taken for nothing."""
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
        lines += _write_section(goal)
    minutes, seconds = divmod(drive.milliseconds // 1000, 60)
    lines.append(f"{drive.agent}, {minutes} min {seconds} s of work, {describe_cost(drive)}.")
    if find_branch(plan):
        lines.append(f"Proven work is on the branch `{find_branch(plan)}`.")
    return "\n".join(lines) + "\n"


def _write_section(goal: Goal) -> list[str]:
    proven = goal.status is GoalStatus.COMPLETE
    times = "1 iteration" if goal.iteration == 1 else f"{goal.iteration} iterations"
    lines = [f"## {goal.id} {goal.title}: {'proven' if proven else goal.status}, {times}", ""]
    texts = _read_criterion_texts(goal)
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


class _ReportCase(Value):
    name: str
    skipped: str = ""
    failure: str = ""
    detail: str = ""


def junit(plan: Plan) -> str:
    """Writes each criterion and each goal as a test case, for tools that show such reports."""
    suites = "".join(_write_suite(goal) for goal in plan.asked)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{head}<testsuites>\n{suites}</testsuites>\n"


def _write_suite(goal: Goal) -> str:
    texts = _read_criterion_texts(goal)
    cases = [_make_case(state, texts.get(state.id, "")) for state in goal.criteria]
    cases.append(_make_proof_case(goal))
    failures = sum(1 for case in cases if case.failure)
    skipped = sum(1 for case in cases if case.skipped)
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{skipped}"'
    name = _quote_attribute(f"{goal.id} {goal.title}")
    inner = "".join(_write_case(case, goal.id) for case in cases)
    return f"  <testsuite name={name} {counts}>\n{inner}  </testsuite>\n"


def _make_case(state: CriterionState, text: str) -> _ReportCase:
    name = f"{state.id} {text}".strip()
    if state.status is CriterionStatus.PENDING or state.error_streak:
        return _ReportCase(name, skipped=state.reason or "not judged")
    if state.status is CriterionStatus.PASS:
        return _ReportCase(name)
    return _ReportCase(name, failure=str(state.status), detail=state.reason)


def _make_proof_case(goal: Goal) -> _ReportCase:
    """A goal is a case of its own: a finding may stand against one that meets all criteria."""
    if goal.status is GoalStatus.COMPLETE:
        return _ReportCase("proven")
    if goal.status is GoalStatus.PENDING:
        done = f"proven {goal.streak.count} times, and pending again" if goal.streak else ""
        return _ReportCase("proven", skipped=done or "not begun")
    if goal.status is GoalStatus.EXPIRED:
        return _ReportCase("proven", skipped=goal.evidence)
    why = f"blocking findings: {goal.blocking}" if goal.blocking else goal.evidence
    return _ReportCase("proven", failure=str(goal.status), detail=why)


def _write_case(case: _ReportCase, goal_id: str) -> str:
    inner = f"<skipped message={_quote_attribute(case.skipped)}/>" if case.skipped else ""
    if case.failure:
        message, detail = _quote_attribute(case.failure), _escape_text(case.detail)
        inner = f"<failure message={message}>{detail}</failure>"
    name = f"classname={_quote_attribute(goal_id)} name={_quote_attribute(case.name)}"
    return f"    <testcase {name}>{inner}</testcase>\n"


def _quote_attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def _escape_text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
