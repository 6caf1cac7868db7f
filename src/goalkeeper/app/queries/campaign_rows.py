"""What a campaign does now, as rows: one for each session, those that matter most come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from goalkeeper.app.queries.campaigns import describe_state
from goalkeeper.core import next_step
from goalkeeper.core.campaign.state import (
    MOST_RECOVERIES,
    Campaign,
    SessionState,
    SessionStatus,
)
from goalkeeper.core.drive.phases import Spend
from goalkeeper.core.drive.state import Drive
from goalkeeper.core.moments import milliseconds_between, shorten_moment
from goalkeeper.core.plan.model import Plan
from goalkeeper.wire.value import Value

Plans = Mapping[str, Plan]  # the plans of the runs that are worked on, by the ids of the runs
_MOST_NAMED = 4  # more criteria than these are counted and not named
# What a driver does between two phases; the rest takes no time that anybody would see.
_STEPS: Mapping[type[next_step.Step], str] = {
    next_step.Freeze: "contract",
    next_step.Judge: "judged",
    next_step.Complete: "last proof",
    next_step.Challenge: "examiner",
    next_step.ProveWhole: "all steps judged",
}


class Urgency(IntEnum):
    """The order of the rows."""

    WORKING = 0
    QUEUED = 1
    SENT_BACK = 2  # it bounced or stopped, and is tried once more
    STUCK = 3
    WAITING = 4
    SETTLED = 5


_URGENCIES = {
    SessionStatus.WORKING: Urgency.WORKING,
    SessionStatus.QUEUED: Urgency.QUEUED,
    SessionStatus.BLOCKED: Urgency.STUCK,
    SessionStatus.FAILED: Urgency.STUCK,
    SessionStatus.LANDED: Urgency.SETTLED,
    SessionStatus.MET: Urgency.SETTLED,
}
_COUNTED = {
    Urgency.WORKING: "at work",
    Urgency.QUEUED: "in the queue",
    Urgency.SENT_BACK: "to be tried again",
    Urgency.STUCK: "stuck",
    Urgency.WAITING: "wait",
    Urgency.SETTLED: "done",
}


class SessionRow(Value):
    """One session. Of one that is not at work only the words say something."""

    id: str
    title: str
    urgency: Urgency
    words: str  # what it does now, or what it waits for
    criteria: tuple[str, ...] = ()  # what the last judgement said, as in C1 PASS
    agent: str = ""
    seconds: int | None = None


def list_rows(campaign: Campaign, plans: Plans, now: str) -> list[SessionRow]:
    rows = [_make_row(campaign, each, plans, now) for each in campaign.sessions.values()]
    return sorted(rows, key=lambda row: row.urgency)


def _make_row(campaign: Campaign, session: SessionState, plans: Plans, now: str) -> SessionRow:
    urgency = _URGENCIES.get(session.status, Urgency.WAITING)
    if urgency is Urgency.WAITING and session.why:
        urgency = Urgency.SENT_BACK
    title = session.planned.title
    if urgency is not Urgency.WORKING:
        return SessionRow(session.id, title, urgency, describe_state(campaign, session, now))
    plan = plans.get(session.run_id)
    drive = plan.drive if plan else None
    words = _describe_step(plan, drive, now) if plan and drive else "begins" if plan else "at work"
    if session.depth:
        words += f", recovery {session.depth} of {MOST_RECOVERIES}"
    return SessionRow(
        session.id, title, urgency, words,
        criteria=_list_criteria(plan, drive) if plan and drive else (),
        agent=drive.agent if drive else campaign.terms.agent if campaign.terms else "",
        seconds=milliseconds_between(session.admitted_at, now) // 1000,
    )  # fmt: skip


def _describe_step(plan: Plan, drive: Drive, now: str) -> str:
    """Say in a few words what the driver of a run does now."""
    if drive.ended:
        return f"ends: {drive.ended}"
    for running in drive.running:
        return f"{running.goal_id} {running.phase} {_count(drive, running.iteration)}"
    step = next_step.choose_step(plan, drive, now)
    if isinstance(step, next_step.Wait):
        return f"paused until {shorten_moment(step.until)}"
    words = _STEPS.get(type(step), "")
    goal_id = getattr(step, "goal_id", "")
    goal = plan.find_goal(goal_id)
    if isinstance(step, next_step.Judge) and goal:
        words += f" {_count(drive, goal.iteration + 1)}"
    return " ".join(part for part in (goal_id, words) if part) or "begins"


def _count(drive: Drive, iteration: int) -> str:
    most = drive.budget.iterations
    return f"{iteration}/{most}" if most else str(iteration)


def _list_criteria(plan: Plan, drive: Drive) -> tuple[str, ...]:
    """List what the last judgement of the goal at work said; nothing before the first."""
    goal_ids = next_step.find_goals_at_work(plan, drive)
    goal = plan.find_goal(goal_ids[0]) if goal_ids else None
    if goal is None or not goal.iteration:
        return ()
    if len(goal.table) <= _MOST_NAMED:
        return tuple(f"{state.id} {state.shown_status}" for state in goal.table)
    counted = Counter(str(state.shown_status) for state in goal.table)
    return tuple(f"{count} {status}" for status, count in counted.items())


def describe_rest(rows: Sequence[SessionRow]) -> str:
    """Say how many rows are not shown, such as `and 180 more wait, 12 done`."""
    counted = Counter(row.urgency for row in rows)
    said = [f"{counted[kind]} {words}" for kind, words in _COUNTED.items() if counted[kind]]
    if not said:
        return ""
    number, _, words = said[0].partition(" ")
    return f"and {', '.join([f'{number} more {words}', *said[1:]])}"


def add_spend(campaign: Campaign, plans: Plans) -> Spend:
    """Add to what ended sessions cost what those at work have used since they were admitted."""
    spend = campaign.spend
    for session in campaign.list_sessions(SessionStatus.WORKING):
        plan = plans.get(session.run_id)
        if plan and plan.drive and plan.drive.began_at >= session.admitted_at:
            spend += plan.drive.spend
    return spend


def show_rows(rows: Sequence[SessionRow]) -> dict[str, Any]:
    """Show what sessions at work do, for programs; by the ids of the sessions."""
    return {
        row.id: {"now": row.words, "criteria": list(row.criteria), "agent": row.agent,
                 "seconds": row.seconds}
        for row in rows
        if row.urgency is Urgency.WORKING
    }  # fmt: skip
