"""Plans, hand-offs and recurring goals for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.cli.reply import Page, Table
from goalkeeper.core.contract.findings import Finding, describe_let_stand
from goalkeeper.core.decode import decode
from goalkeeper.core.moments import shorten_moment
from goalkeeper.core.plan.model import ToolStatus
from goalkeeper.core.problems import clip_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goalkeeper.core.drive.state import Running

_WHY_WIDTH = 60
_OVER = ("complete", "superseded", "expired")


def status_page(shown: Mapping[str, Any], running: Sequence[Running]) -> Page:
    """Show the plan; `running` are the phases that are under way."""
    tally = ", ".join(f"{number} {status}" for status, number in shown["counts"].items() if number)
    rows = tuple((g["id"], g["status"], g["title"], _clip(g["why"])) for g in shown["goals"])
    paused = ", paused" if shown["goal_tool"].status is ToolStatus.PAUSED else ""
    return (
        f"run {shown['run_id']}: {shown['status']}{paused} ({tally})",
        *_let_stand_lines(shown["goals"]),
        Table(("goal", "status", "title", "why"), rows),
        describe_authors(shown["author"], {g["id"]: g["contract_by"] for g in shown["goals"]}),
        *_board(shown["goals"]),
        *_answered_lines(shown["goals"]),
        *_drive_line(shown["drive"], running),
    )


def _let_stand_lines(goals: list[dict[str, Any]]) -> Page:
    """Show first what somebody let stand: whoever takes the work over should look at it."""
    return tuple(
        f"{goal['id']} {describe_let_stand(decode(Finding, each))}"
        for goal in goals
        for each in goal.get("let_stand", ())
    )


def describe_authors(author: str, contracts: Mapping[str, str]) -> str:
    """Say who made the plan, and who wrote which contract."""
    wrote: dict[str, list[str]] = {}
    for goal_id, by in contracts.items():
        wrote.setdefault(by, []).append(goal_id)
    told = [f"{by} ({', '.join(goals)})" for by, goals in wrote.items() if by]
    return f"plan by: {author}" + (f"; contracts by: {', '.join(told)}" if told else "")


def _board(goals: list[dict[str, Any]]) -> Page:
    """Show the criteria of goals that are being worked on."""
    rows = tuple(
        (goal["id"], c["id"], c["status"], str(c.get("fail_count", 0)), _clip(c.get("reason", "")))
        for goal in goals
        if goal["status"] not in _OVER
        for c in (*goal.get("criteria", ()), *goal.get("standing", ()))
    )
    return (Table(("goal", "criterion", "status", "failed", "seen last"), rows),) if rows else ()


def _answered_lines(goals: list[dict[str, Any]]) -> Page:
    """Show which stages of a verification have passed; a compacted session knows it no longer."""
    return tuple(
        f"{goal['id']} answered: {', '.join(step['step'] for step in goal['steps'])}"
        for goal in goals
        if goal["status"] not in _OVER and goal.get("steps")
    )


def _drive_line(drive: Mapping[str, Any] | None, running: Sequence[Running]) -> tuple[str, ...]:
    if drive is None:
        return ()
    if drive["ended"]:
        return (f"driven by {drive['agent']}, ended: {drive['ended']} {drive['detail']}".rstrip(),)
    phases = (f"{at.goal_id} iteration {at.iteration}, {at.phase}" for at in running)
    now = "; ".join(phases) or "between two steps"
    paused = f", paused until {drive['paused_until']}" if drive["paused_until"] else ""
    return (f"driven by {drive['agent']}: {now}{paused}",)


def _clip(text: str) -> str:
    return clip_line(text, _WHY_WIDTH)


def handoff_page(shown: Mapping[str, Any]) -> Page:
    """Show a hand-off in the form in which agents know it, line by line."""
    handoff = shown["handoff"]
    active = f"{shown['goal_id']} is active (attempt {handoff['attempt']}): {handoff['title']}"
    page = [active, "", *handoff["objective"].split("\n")]
    if handoff["constraints"]:
        page += ["", "Constraints of the brief:", *handoff["constraints"].split("\n")]
    if handoff["contract"]:
        page += ["", "Contract:", *handoff["contract"].split("\n")]
    if handoff.get("predecessor_output"):
        page += ["", *handoff["predecessor_output"].split("\n")]
    return (*page, "", "Next commands:", *(f"  {line}" for line in handoff["commands"]))


def checkpoint_page(shown: Mapping[str, Any]) -> Page:
    goal_id, again = shown["goal_id"], shown["repeated"]
    page = [
        f"{'Already checkpointed' if again else 'Checkpointed'} {goal_id} as {shown['status']}."
    ]
    if "streak" in shown:
        cycle = _streak(goal_id, shown["streak"] or {})
        page = [f"{'Already achieved' if again else 'Achieved'}: {cycle}"]
    if shown["all_complete"]:
        page.append("All goals are complete.")
    if "next_goal_id" in shown:
        page.append(f"{shown['next_goal_id']} is next.")
    return tuple(page)


def _streak(goal_id: str, streak: Mapping[str, Any]) -> str:
    odd = f" (odd: {streak['anomaly']})" if streak.get("anomaly") else ""
    return (
        f"cycle {streak.get('count', 0)} of {goal_id}, {streak.get('current', 0)} in a row, "
        f"at most {streak.get('longest', 0)}{odd}; it is pending again."
    )


def due_page(goals: list[dict[str, Any]], early: Mapping[str, str]) -> Page:
    """Show recurring goals; `early` has the moments before which goals are not started."""
    if not goals:
        said = "No goal of this plan recurs; a contract says so: recurring: {interval_hours: 24}"
        waits = (f"{name} not before {shorten_moment(at)} UTC" for name, at in early.items())
        return tuple(waits) if early else (said,)
    rows = tuple(
        (g["goal_id"], _when(g), *(str(g[n]) for n in ("streak", "longest", "cycles")), g["title"])
        for g in goals
    )
    table = Table(("goal", "due", "streak", "longest", "cycles", "title"), rows)
    return (table, *(f"{g['goal_id']}: {g['anomaly']}" for g in goals if g["anomaly"]))


def _when(goal: Mapping[str, Any]) -> str:
    if not goal["due_at"]:
        return "now"
    if not goal["due"]:
        return f"{shorten_moment(goal['due_at'])} UTC"
    late = f"overdue by {goal['overdue_hours']:g} h" if goal["overdue_hours"] else "now"
    return f"{late}, streak lost" if goal["missed"] else late


def goal_tool_page(shown: Mapping[str, Any]) -> Page:
    tool, expected = shown["goal"], shown["expected_objective"]
    lines = [f"Goal tool: {tool.status}"]
    if tool.objective:
        lines.append(f"Objective: {tool.objective}")
    if expected and expected != tool.objective:
        lines.append(f"Expected:  {expected}")
    return tuple(lines)
