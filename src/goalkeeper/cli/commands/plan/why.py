"""`why`: what of a goal is unproven, since when, what was tried, what would prove it."""

from __future__ import annotations

import argparse
import os
from typing import Any

from goalkeeper.app.contracts import contract_of, find_goal
from goalkeeper.bootstrap import App
from goalkeeper.cli import boards, views
from goalkeeper.cli.parsing import Parser
from goalkeeper.cli.reply import Reply
from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionState
from goalkeeper.core.contract.document import Contract, Criterion
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.decide import is_at_work
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.lane import NEEDED
from goalkeeper.core.plan import events
from goalkeeper.core.plan.gate import STRICT
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan
from goalkeeper.storage.run import FileRun
from goalkeeper.wire import layout

Unproven = list[tuple[CriterionState, Criterion]]


def configure(parser: Parser) -> None:
    parser.add_argument("goal", metavar="GOAL", help="the goal, such as G001")
    parser.common()


def run(args: argparse.Namespace, app: App) -> Reply:
    chosen = app.need_run(args.run)
    plan = chosen.read()
    goal = find_goal(plan, args.goal)
    if goal.status is GoalStatus.COMPLETE:
        said = f"{goal.id} is complete: {goal.evidence}"
        return Reply({"ok": True, "goal_id": goal.id, "unproven": []}, (said,))
    if goal.status is GoalStatus.EXPIRED:
        said = f"{goal.id} is expired: {goal.evidence}"
        return Reply({"ok": True, "goal_id": goal.id, "status": goal.status}, (said,))
    contract = contract_of(goal)
    if contract is None:
        return _without(goal)
    unproven, findings = _unproven(goal, contract), _last_findings(chosen, goal)
    folder = os.path.relpath(os.path.join(chosen.files.dir, layout.EVIDENCE), app.root)
    page = [f"{goal.id} {goal.status}: {views.why(plan, goal, app.clock())}"]
    for state, criterion in unproven:
        page += _told(state, criterion, folder)
    page += _found(findings)
    page += _reviews(plan, goal)
    if not unproven and not findings and goal.iteration:
        page.append("Every criterion passed when it was last judged.")
    data = _data(goal, unproven, findings)
    return Reply(data, tuple(page), next=_next(plan, goal, unproven, app))


def _next(plan: Plan, goal: Goal, unproven: Unproven, app: App) -> str:
    """A goal that is driven is judged in its worktree, and not where the user is."""
    if unproven and all(criterion.check.kind == "question" for _, criterion in unproven):
        return f"goalkeeper verify --goal-id {goal.id} --answers FILE"
    drive = plan.drive
    if drive and drive.worktree(goal.id) and not is_at_work(plan, app.actor):
        return views.drive_command(drive)
    return views.proof_command(plan, goal)


def _unproven(goal: Goal, contract: Contract) -> Unproven:
    states = {state.id: state for state in goal.criteria}
    pairs = [(states.get(c.id) or CriterionState(c.id), c) for c in contract.criteria]
    return [(state, criterion) for state, criterion in pairs if not state.is_met]


def _last_findings(chosen: FileRun, goal: Goal) -> tuple[Finding, ...]:
    """Of the last judgement of the goal, if there was any."""
    found: tuple[Finding, ...] = ()
    if goal.iteration:
        for entry in chosen.entries():
            if isinstance(entry.event, events.GoalJudged) and entry.event.goal_id == goal.id:
                found = entry.event.judgement.findings
    return found


def _without(goal: Goal) -> Reply:
    said = f"{goal.id} has no contract: nothing says what would prove it."
    hint = f"goalkeeper contract freeze --goal-id {goal.id} --file contract.yaml"
    data = {"ok": True, "goal_id": goal.id, "status": goal.status, "frozen": False, "hint": hint}
    return Reply(data, (said,), next=hint)


def _data(goal: Goal, unproven: Unproven, findings: tuple[Finding, ...]) -> dict[str, Any]:
    return {
        "ok": True,
        "goal_id": goal.id,
        "status": goal.status,
        "frozen": goal.frozen is not None,
        "iteration": goal.iteration,
        "unproven": [_criterion(state, criterion) for state, criterion in unproven],
        "findings": [plain(finding) for finding in findings],
    }


def _criterion(state: CriterionState, criterion: Criterion) -> dict[str, Any]:
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


def _reviews(plan: Plan, goal: Goal) -> list[str]:
    """What lanes said last; of which files, `lanes show` tells."""
    if plan.gate != STRICT:
        return []
    missing = [role for role in NEEDED if role not in {lane.role for lane in goal.lanes}]
    lines = [f"  {lane.role} {lane.word}: {'; '.join(lane.objections)}" for lane in goal.lanes]
    lines += [f"  {role}: not asked yet" for role in missing]
    return ["\nReviews (strict gate):", *lines, f"  goalkeeper lanes show --goal-id {goal.id}"]


def _found(findings: tuple[Finding, ...]) -> list[str]:
    if not findings:
        return []
    return ["\nFindings:", *(f"  {boards.told(finding)}" for finding in findings),
            "  goalkeeper explain RULE says what each is about"]  # fmt: skip
