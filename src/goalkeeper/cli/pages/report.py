"""Reports of a drive: Markdown for people, JUnit for tools that show such reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from goalkeeper.app.queries.drives import describe_cost, find_branch, read_criterion_texts
from goalkeeper.cli.reply import Page
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan
from goalkeeper.wire.value import Value

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def report_markdown(plan: Plan) -> str:
    drive = plan.drive
    if drive is None:
        return f"# Run {plan.run_id}\n\nNo agent was driven yet.\n"
    ended = drive.ended or "not ended"
    detail = f": {drive.detail}" if drive.detail else ""
    lines = [f"# Run {plan.run_id}: {ended}{detail}", ""]
    for goal in plan.asked_goals:
        lines += _goal_section(goal)
    minutes, seconds = divmod(drive.milliseconds // 1000, 60)
    lines.append(f"{drive.agent}, {minutes} min {seconds} s of work, {describe_cost(drive)}.")
    if find_branch(plan):
        lines.append(f"Proven work is on the branch `{find_branch(plan)}`.")
    return "\n".join(lines) + "\n"


def _goal_section(goal: Goal) -> list[str]:
    proven = goal.status is GoalStatus.COMPLETE
    times = "1 iteration" if goal.iteration == 1 else f"{goal.iteration} iterations"
    lines = [f"## {goal.id} {goal.title}: {'proven' if proven else goal.status}, {times}", ""]
    texts = read_criterion_texts(goal)
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


class JunitCase(Value):
    name: str
    skipped: str = ""
    failure: str = ""
    detail: str = ""


def dry_run_page(agent: str, goals: Mapping[str, str]) -> Page:
    counted = "1 goal" if len(goals) == 1 else f"{len(goals)} goals"
    lines = (f"  {goal_id} {said}" for goal_id, said in goals.items())
    return (f"{agent} would work on {counted}:", *lines)


def report_junit(plan: Plan) -> str:
    """Each criterion as a test case, for tools that show such reports; and each goal."""
    suites = "".join(_suite_element(goal) for goal in plan.asked_goals)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{head}<testsuites>\n{suites}</testsuites>\n"


def _suite_element(goal: Goal) -> str:
    texts = read_criterion_texts(goal)
    cases = [_criterion_case(state, texts.get(state.id, "")) for state in goal.criteria]
    cases.append(_proof_case(goal))
    failures = sum(1 for case in cases if case.failure)
    skipped = sum(1 for case in cases if case.skipped)
    counts = f'tests="{len(cases)}" failures="{failures}" skipped="{skipped}"'
    name = _attribute(f"{goal.id} {goal.title}")
    inner = "".join(_case_element(case, goal.id) for case in cases)
    return f"  <testsuite name={name} {counts}>\n{inner}  </testsuite>\n"


def _criterion_case(state: CriterionState, text: str) -> JunitCase:
    name = f"{state.id} {text}".strip()
    if state.status is CriterionStatus.PENDING or state.error_streak:
        return JunitCase(name, skipped=state.reason or "not judged")
    if state.status is CriterionStatus.PASS:
        return JunitCase(name)
    return JunitCase(name, failure=str(state.status), detail=state.reason)


def _proof_case(goal: Goal) -> JunitCase:
    """Criteria alone do not tell: a finding may stand against a goal that meets them all."""
    if goal.status is GoalStatus.COMPLETE:
        return JunitCase("proven")
    if goal.status is GoalStatus.PENDING:
        done = f"proven {goal.streak.count} times, and pending again" if goal.streak else ""
        return JunitCase("proven", skipped=done or "not begun")
    if goal.status is GoalStatus.EXPIRED:
        return JunitCase("proven", skipped=goal.evidence)
    why = f"blocking findings: {goal.blocking}" if goal.blocking else goal.evidence
    return JunitCase("proven", failure=str(goal.status), detail=why)


def _case_element(case: JunitCase, goal_id: str) -> str:
    inner = f"<skipped message={_attribute(case.skipped)}/>" if case.skipped else ""
    if case.failure:
        inner = f"<failure message={_attribute(case.failure)}>{_text(case.detail)}</failure>"
    name = f"classname={_attribute(goal_id)} name={_attribute(case.name)}"
    return f"    <testcase {name}>{inner}</testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
