"""What people see while an agent is driven: plain lines, one for each thing that matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Self, TextIO

from goalkeeper.app.ports import Clock
from goalkeeper.cli.render import write_unheard
from goalkeeper.cli.reply import keep_line, visible
from goalkeeper.clients.client import Activity
from goalkeeper.core import next_step
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus, Decision
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.decode import plain
from goalkeeper.core.drive.events import ArtifactsChecked, PhaseSkipped
from goalkeeper.core.plan.model import Goal, GoalStatus, Plan
from goalkeeper.core.review.lane import Lane
from goalkeeper.wire.canonical import compact

_TELL_EVERY = 60  # the seconds between two lines
CLIP = 100
STEP_NAMES: Mapping[type[next_step.Step], str] = {
    next_step.Start: "start",
    next_step.Freeze: "freeze",
    next_step.MakeWorktree: "worktree",
    next_step.Exec: "exec",
    PhaseSkipped: "skip",
    ArtifactsChecked: "artifacts",
    next_step.Recover: "recover",
    next_step.Judge: "judge",
    next_step.Review: "review",
    next_step.Complete: "complete",
    next_step.Stop: "stop",
}


class ProgressLines:
    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._pausing = ""  # the end of the pause, if it was told
        self._judged: dict[str, tuple[int, str]] = {}
        self._complete: set[str] = set()
        self._lanes: dict[str, tuple[Lane, ...]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def see_step(self, plan: Plan, step: next_step.Step) -> None:
        self._tell_news(plan)
        self._tell_step(plan, step)

    def _tell_step(self, plan: Plan, step: next_step.Step) -> None:
        if name := STEP_NAMES.get(type(step)):
            titles = {goal.id: goal.title for goal in plan.goals}
            agent = plan.drive.agent if plan.drive else ""
            self._tell(name, [describe_step(step, titles, agent)], plain(step))

    def hear_activity(self, activity: Activity) -> None:
        self._tell("activity", [f"    {activity.kind} {activity.text[:CLIP]}"], plain(activity))

    def see_note(self, text: str) -> None:
        self._tell("note", [f"    {text}"], {"text": text})

    def see_pause(self, seconds: int, until: str, why: str) -> None:
        if until != self._pausing or seconds % _TELL_EVERY == 0:
            self._pausing = until
            said = f"paused, {why}: {seconds} s left, until {until[:19]}Z"
            self._tell("pause", [said], {"seconds": seconds, "until": until, "why": why})

    def _tell_news(self, plan: Plan) -> None:
        """Tell what the last step brought."""
        for goal in plan.goals:
            judged = (goal.iteration, goal.judgement)  # a tree may be judged twice
            known = self._judged.setdefault(goal.id, judged)
            if goal.iteration and judged != known:
                self._judged[goal.id] = judged
                self._tell_judgement(plan, goal)
            self._tell_reviews(goal)
            if goal.status is GoalStatus.COMPLETE and goal.id not in self._complete:
                self._complete.add(goal.id)
                self._tell("proven", [f"{goal.id}: proven"], {"goal_id": goal.id})

    def _tell_reviews(self, goal: Goal) -> None:
        new = [lane for lane in goal.lanes if lane not in self._lanes.get(goal.id, goal.lanes)]
        self._lanes[goal.id] = goal.lanes
        for lane in new:
            lines = describe_lane(goal.id, lane.role, lane.word, lane.objections)
            told = {"role": lane.role, "word": lane.word, "objections": list(lane.objections)}
            self._tell("lane", lines, {"goal_id": goal.id, **told})

    def _tell_judgement(self, plan: Plan, goal: Goal) -> None:
        line = plan.drive.line(goal.id) if plan.drive else None
        findings = line.findings if line else ()
        lines = describe_criteria(goal.table, findings)
        if goal.decision != Decision.DONE:
            is_unknown = line is not None and bool(line.unchecked)
            lines.append(f"{goal.id}: {'could not be checked' if is_unknown else 'not proven'}")
        told = {"goal_id": goal.id, "iteration": goal.iteration, "decision": goal.decision}
        criteria = {"criteria": plain(goal.table), "findings": plain(findings)}
        self._tell("judgement", lines, {**told, **criteria})

    def _tell(self, _event: str, lines: Sequence[str], _facts: Mapping[str, object]) -> None:
        if any(lines):
            self._say("\n".join(map(keep_line, lines)))

    def _say(self, text: str) -> None:
        write_unheard(self._stream, visible(text))


class ProgressEvents(ProgressLines):
    """Tells programs the same as JSON, with one object a line."""

    def _tell(self, event: str, _lines: Sequence[str], facts: Mapping[str, object]) -> None:
        write_unheard(self._stream, compact({"event": event, "at": self._clock(), **facts}))


def describe_criteria(table: Sequence[CriterionState], findings: Sequence[Finding]) -> list[str]:
    lines = []
    for state in table:
        why = "" if state.status is CriterionStatus.PASS else f"  {state.reason}"
        lines.append(f"    {state.shown_status:9} {state.id}{why}")
    return lines + [f"    {finding.level:9} {finding}" for finding in findings]


def describe_lane(goal_id: str, role: str, word: str, objections: Sequence[str]) -> list[str]:
    return [f"    {word:9} {goal_id} {role}", *(f"              {text}" for text in objections)]


def describe_step(step: next_step.Step, titles: Mapping[str, str], agent: str) -> str:
    """Say what a drive does now; `titles` are those of the goals, by their ids."""
    match step:
        case next_step.MakeWorktree(goal_id):
            return f"{goal_id}: {titles.get(goal_id, '')}"
        case next_step.Exec(goal_id, iteration, phase, attempt, otherwise):
            again = f", attempt {attempt}" if attempt > 1 else ""
            how = ", another way" if otherwise else ""
            return f"{goal_id} iteration {iteration}, {phase}: {agent} works{again}{how}"
        case PhaseSkipped(goal_id, iteration, phase, reason):
            return f"{goal_id} iteration {iteration}, {phase} is skipped: {reason}"
        case ArtifactsChecked(goal_id, iteration, gate):
            said = "; ".join(gate.missing) or "every phase left what it must"
            return f"{goal_id} iteration {iteration}, artifact gate: {said}"
        case next_step.Recover(running):
            return f"{running.goal_id}: goalkeeper was ended while {running.phase} ran"
        case next_step.Judge(goal_id):
            return f"{goal_id}: the witness judges"
        case next_step.Review(goal_id, role):
            return f"{goal_id}: the {role} lane looks at it"
        case next_step.Complete(goal_id):
            return f"{goal_id}: the last proof, in fresh checkouts"
        case next_step.Challenge(goal_id):
            return f"{goal_id}: a fresh examiner is asked whether the contract is right"
        case next_step.Freeze(goal_id):
            return f"{goal_id}: can its contract fail?"
        case _:
            return ""


def open_progress(stream: TextIO, clock: Clock, *, as_json: bool) -> ProgressLines:
    """Open a board that stays in place on a terminal, else lines, or JSON when asked for."""
    if as_json:
        return ProgressEvents(stream, clock)
    if not stream.isatty():
        return ProgressLines(stream, clock)
    board = import_module("goalkeeper.cli.progress_board")  # importing rich takes time
    shown: ProgressLines = board.ProgressBoard(stream, clock)
    return shown
