"""`why`: what of a goal is unproven, since when, what was tried, what would prove it."""

from __future__ import annotations

import argparse
import os
from typing import Any

from goalkeeper.app.judging import contract_of, find_goal
from goalkeeper.bootstrap import App
from goalkeeper.cli import boards, views
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.core import advice, events
from goalkeeper.core.contract import Contract, Criterion
from goalkeeper.core.criteria import CriterionState, CriterionStatus
from goalkeeper.core.fields import plain
from goalkeeper.core.findings import Finding
from goalkeeper.core.model import Goal, GoalStatus
from goalkeeper.storage.run import FileRun
from goalkeeper.wire import layout


def configure(parser: Parser) -> None:
    parser.add_argument("goal", metavar="GOAL", help="the goal, such as G001")
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    goal = find_goal(plan, args.goal)
    contract = contract_of(goal)
    if goal.status is GoalStatus.COMPLETE:
        said = f"{goal.id} is complete: {goal.evidence}"
        return Reply({"ok": True, "goal_id": goal.id, "unproven": []}, (said,))
    if contract is None:
        return _without(goal)
    last = _last_judgement(chosen, goal)
    unproven = [
        (state, criterion)
        for state, criterion in _pairs(goal, contract)
        if state.status is not CriterionStatus.PASS or state.error_streak
    ]
    findings = last.judgement.findings if last else ()
    data = {
        "ok": True,
        "goal_id": goal.id,
        "status": goal.status,
        "frozen": goal.frozen is not None,
        "iteration": goal.iteration,
        "unproven": [_data(state, criterion) for state, criterion in unproven],
        "findings": [plain(finding) for finding in findings],
    }
    folder = os.path.relpath(os.path.join(chosen.files.dir, layout.EVIDENCE), app.root)
    page = [f"{goal.id} {goal.status}: {views.why(plan, goal)}"]
    for state, criterion in unproven:
        page += _told(state, criterion, folder)
    page += _found(findings)
    if not unproven and not findings and goal.iteration:
        page.append("Every criterion passed when it was last judged.")
    judge = f"goalkeeper judge --goal-id {goal.id}"
    done = f"goalkeeper checkpoint --goal-id {goal.id} --status complete --evidence <what was done>"
    met = goal.iteration and not unproven and not goal.blocking
    return Reply(data, tuple(page), next=done if met else judge)


def _pairs(goal: Goal, contract: Contract) -> list[tuple[CriterionState, Criterion]]:
    states = {state.id: state for state in goal.criteria}
    return [(states.get(c.id) or CriterionState(c.id), c) for c in contract.criteria]


def _last_judgement(chosen: FileRun, goal: Goal) -> events.GoalJudged | None:
    found = None
    if goal.iteration:
        for entry in chosen.entries():
            if isinstance(entry.event, events.GoalJudged) and entry.event.goal_id == goal.id:
                found = entry.event
    return found


def _without(goal: Goal) -> Reply:
    said = f"{goal.id} has no contract: nothing says what would prove it."
    hint = f"goalkeeper contract freeze --goal-id {goal.id} --file contract.yaml"
    data = {"ok": True, "goal_id": goal.id, "status": goal.status, "frozen": False, "hint": hint}
    return Reply(data, (said,), next=hint)


def _data(state: CriterionState, criterion: Criterion) -> dict[str, Any]:
    return {
        **plain(state),
        "text": criterion.text,
        "suggested_action": advice.suggested(criterion, state),
        "proven_by": advice.proof(criterion),
    }


def _told(state: CriterionState, criterion: Criterion, folder: str) -> list[str]:
    since = f" since {state.since[:16].replace('T', ' ')}" if state.since else ""
    lines = [f"\n{state.id} {state.status}{since}: {criterion.text}"]
    if state.reason:
        lines.append(f"  seen last:  {state.reason}")
    tried = f"judged and failed {state.failed} times, {state.fail_count} in a row"
    if state.failed:
        lines.append(f"  tried:      {tried}")
    if state.evidence and not criterion.held_out:
        lines.append(f"  evidence:   {folder}/{state.evidence[:2]}/{state.evidence}.json")
    lines.append(f"  proven by:  {advice.proof(criterion)}")
    lines.append(f"  to do:      {advice.suggested(criterion, state)}")
    return lines


def _found(findings: tuple[Finding, ...]) -> list[str]:
    if not findings:
        return []
    return ["\nFindings:", *(f"  {boards.told(finding)}" for finding in findings),
            "  goalkeeper explain RULE says what each is about"]  # fmt: skip
