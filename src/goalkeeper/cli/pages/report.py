"""Reports of a drive: Markdown for people, JUnit for tools that show such reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from goalkeeper.app.queries.drives import (
    GoalToDrive,
    describe_cost,
    find_branch,
    group_criteria,
    read_criterion_texts,
)
from goalkeeper.cli.pages.plan import describe_authors
from goalkeeper.core.contract.advice import describe_proof
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus
from goalkeeper.core.contract.findings import describe_let_stand
from goalkeeper.core.drive.state import Drive, Reason
from goalkeeper.core.plan.model import UNKNOWN, Goal, GoalStatus, Plan, name_author
from goalkeeper.wire.pattern import late_pattern

_NOT_XML = late_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FLAGS: Mapping[str, str] = {
    Reason.MAX_ITERATIONS: "--max-iterations",
    Reason.MAX_TIME: "--max-time",
    Reason.MAX_COST: "--max-cost",
    Reason.MAX_TOKENS: "--max-tokens",
}


def report_page(plan: Plan) -> tuple[str, ...]:
    """Show a run in Markdown."""
    drive = plan.drive
    contracts = {goal.id: name_author(plan, goal) for goal in plan.asked_goals}
    sections = [f"{describe_authors(plan.author or UNKNOWN, contracts)}", ""]
    sections += [line for goal in plan.asked_goals for line in _goal_section(plan, goal)]
    if drive is None:
        whole = "complete" if plan.is_complete else plan.closed or "not complete"
        return (f"# Run {plan.run_id}: {whole}", "", *sections, "No agent was driven.", "")
    ended = drive.ended or "not ended"
    detail = f": {drive.detail}" if drive.detail else ""
    lines = [f"# Run {plan.run_id}: {ended}{detail}", "", *sections, *_summarize(plan, drive)]
    minutes, seconds = divmod(drive.milliseconds // 1000, 60)
    lines.append(f"{drive.agent}, {minutes} min {seconds} s of work, {describe_cost(drive)}.")
    if plan.landed:
        lines.append("Proven work has landed.")
    elif find_branch(plan):
        lines.append(f"Proven work is on the branch `{find_branch(plan)}`.")
    return (*lines, "")


def _summarize(plan: Plan, drive: Drive) -> list[str]:
    """Say in a few lines what came of all criteria, and what to do about a limit."""
    groups = group_criteria(plan).items()
    lines = [f"{word.upper()}: {', '.join(names)}" for word, names in groups if names]
    lines.append(f"Total iterations: {sum(goal.iteration for goal in plan.asked_goals)}")
    flag = _FLAGS.get(drive.ended)
    left = [goal.id for goal in plan.required_goals if goal.status is not GoalStatus.COMPLETE]
    if flag and left:
        lines.append(
            f"Recommendation: see what is open with goalkeeper why {left[0]}, or go on with a "
            f"higher {flag}."
        )
    return [*lines, ""]


def _goal_section(plan: Plan, goal: Goal) -> list[str]:
    proven = goal.status is GoalStatus.COMPLETE
    times = "1 iteration" if goal.iteration == 1 else f"{goal.iteration} iterations"
    lines = [f"## {goal.id} {goal.title}: {'proven' if proven else goal.status}, {times}", ""]
    lines += [f"- {describe_let_stand(finding)}" for finding in goal.let_stand]
    texts = read_criterion_texts(plan, goal)
    broken = [state for state in goal.standing if not state.is_met]
    shared = {each.criterion for each in goal.answers if each.left_to_user}
    for state in (*goal.criteria, *broken):
        why = f": {state.reason}" if state.reason and not state.is_met else ""
        part = " for the agent's part" if state.id in shared else ""
        lines.append(f"- {state.shown_status}{part} {state.id} {texts.get(state.id, '')}{why}")
    if goal.blocking and not proven:
        lines.append(f"- blocking findings: {goal.blocking} (goalkeeper why {goal.id})")
    lines += [f"- open for the user: {each}" for each in goal.left_to_user]
    lines += [f"- the last answers failed: {each}" for each in goal.failed_answers]
    for lane in goal.lanes:
        against = "; ".join(lane.objections)
        lines.append(f"- review, {lane.role}: {lane.word}{': ' if against else ''}{against}")
    gate = plan.closed_gate(goal.id)
    lines += [f"- artifact gate: {missing}" for missing in (gate.missing if gate else ())]
    if goal.status in {GoalStatus.EXPIRED, GoalStatus.FAILED} or (
        goal.status is GoalStatus.BLOCKED and not goal.exit
    ):
        lines.append(f"- {goal.evidence}")
    if goal.streak:
        lines.append(f"- cycles: {goal.streak.count}, in a row: {goal.streak.current}")
    if goal.exit:
        lines.append(f"- the agent says {goal.exit}: {goal.evidence}")
    return [*lines, ""]


def dry_run_page(agent: str, goals: Sequence[GoalToDrive], depth: str) -> tuple[str, ...]:
    counted = "1 goal" if len(goals) == 1 else f"{len(goals)} goals"
    lines = []
    for goal in goals:
        lines.append(f"  {goal.id} {goal.said}")
        for criterion in goal.criteria:
            lines.append(f"    {criterion.id} {criterion.text}")
            lines.append(f"      proven by: {describe_proof(criterion)}")
    return (f"{agent} would work on {counted}, in {depth} iterations:", *lines)


def report_junit(plan: Plan) -> str:
    """Show each criterion, and each goal, as a test case for tools that show such reports."""
    suites = Element("testsuites")
    for goal in plan.asked_goals:
        suite = SubElement(suites, "testsuite", name=_clean(f"{goal.id} {goal.title}"))
        texts = read_criterion_texts(plan, goal)
        for state in goal.table:
            test = _add_case(suite, goal.id, f"{state.id} {texts.get(state.id, '')}".strip())
            _add_criterion_outcome(test, state)
        _add_proof_outcome(_add_case(suite, goal.id, "proven"), goal)
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("*/failure"))))
        suite.set("skipped", str(len(suite.findall("*/skipped"))))
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _add_case(suite: Element, goal_id: str, name: str) -> Element:
    return SubElement(suite, "testcase", classname=_clean(goal_id), name=_clean(name))


def _add_criterion_outcome(test: Element, state: CriterionState) -> None:
    if state.status is CriterionStatus.PENDING or state.error_streak:
        _skip(test, state.reason or "not judged")
    elif state.status is not CriterionStatus.PASS:
        _fail(test, str(state.status), state.reason)


def _add_proof_outcome(test: Element, goal: Goal) -> None:
    """Add what criteria do not tell: a finding may stand against a goal that meets them all."""
    match goal.status:
        case GoalStatus.COMPLETE:
            pass
        case GoalStatus.PENDING:
            done = f"proven {goal.streak.count} times, and pending again" if goal.streak else ""
            _skip(test, done or "not begun")
        case GoalStatus.EXPIRED:
            _skip(test, goal.evidence)
        case _:
            why = f"blocking findings: {goal.blocking}" if goal.blocking else goal.evidence
            _fail(test, str(goal.status), why)


def _skip(test: Element, why: str) -> None:
    SubElement(test, "skipped", message=_clean(why))


def _fail(test: Element, message: str, detail: str) -> None:
    SubElement(test, "failure", message=message).text = _clean(detail)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
