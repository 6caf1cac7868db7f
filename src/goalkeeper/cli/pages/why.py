"""What keeps a goal from completion, for people."""

from __future__ import annotations

from goalkeeper.app.queries.why import OpenGoal
from goalkeeper.cli.reply import Page
from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionState
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.drive.lane import NEEDED
from goalkeeper.core.plan.gate import STRICT


def why_page(found: OpenGoal, folder: str) -> Page:
    """`folder` is where evidence lies."""
    goal = found.goal
    page = [f"{goal.id} {goal.status}: {found.why}"]
    for state, criterion in found.unproven:
        page += _criterion_lines(state, criterion, folder)
    if found.findings:
        page += ["\nFindings:", *(f"  {each.level} {each}" for each in found.findings)]
        page.append("  goalkeeper explain RULE says what each is about")
    page += _review_lines(found)
    if not found.unproven and not found.findings and goal.iteration:
        page.append("Every criterion passed when it was last judged.")
    return tuple(page)


def _criterion_lines(state: CriterionState, criterion: Criterion, folder: str) -> list[str]:
    since = f" since {state.since[:16].replace('T', ' ')}" if state.since else ""
    lines = [f"\n{state.id} {state.status}{since}: {criterion.text}"]
    if state.reason:
        lines.append(f"  seen last:  {state.reason}")
    tried = f"judged and failed {state.failed} times, {state.fail_count} in a row"
    if state.failed:
        lines.append(f"  tried:      {tried}")
    if state.evidence and not criterion.held_out:
        lines.append(f"  evidence:   {folder}/{state.evidence[:2]}/{state.evidence}.json")
    lines.append(f"  proven by:  {advice.describe_proof(criterion)}")
    lines.append(f"  to do:      {advice.suggest_next_step(criterion, state)}")
    return lines


def _review_lines(found: OpenGoal) -> list[str]:
    """What lanes said last; of which files, `lanes show` tells."""
    goal = found.goal
    if found.plan.gate != STRICT:
        return []
    missing = [role for role in NEEDED if role not in {lane.role for lane in goal.lanes}]
    lines = [f"  {lane.role} {lane.word}: {'; '.join(lane.objections)}" for lane in goal.lanes]
    lines += [f"  {role}: not asked yet" for role in missing]
    return ["\nReviews (strict gate):", *lines, f"  goalkeeper lanes show --goal-id {goal.id}"]
