"""Events make the drive and its lines of work. No rule stands here: every event is accepted."""

from __future__ import annotations

from collections.abc import Container

from goalkeeper.core.contract.judgement import Judgement
from goalkeeper.core.drive import events
from goalkeeper.core.drive.artifacts import PhaseTrace
from goalkeeper.core.drive.phases import Depth, Ending, Record
from goalkeeper.core.drive.state import Drive, LineOfWork, Running, Worktree

_OWN_ENDS = {Ending.OK, Ending.MOST_TURNS, Ending.MOST_COST, Ending.CONTEXT}
_CUT_OFF = _OWN_ENDS - {Ending.OK}  # these ended before a reviewer could answer
_WAITS = {Ending.RATE_LIMITED, Ending.OUTAGE}
_CUT_SHORT = _WAITS | {Ending.AUTH, Ending.INTERRUPTED}


def apply(
    before: Drive | None, event: events.DriveEvent, at: str, active: Container[str]
) -> Drive | None:
    """Return the drive after the event; `active` are the goals that are worked on."""
    if isinstance(event, events.DriveBegan):
        return begin_drive(before, event, at)
    return _change_drive(before, event, at, active) if before else None


def _change_drive(now: Drive, event: events.DriveEvent, at: str, active: Container[str]) -> Drive:
    match event:
        case events.DriveResumed():  # nobody worked in the time between two processes
            return now.replace(clock_at="" if now.paused_until > at else at)
        case events.JudgementAsked():
            return now.replace(lines=tuple(line.replace(rejudge=True) for line in now.lines))
        case events.TermsChanged(agent, depth, budget, model):
            return now.replace(agent=agent, depth=depth, budget=budget, model=model)
        case events.WorktreeMade(worktree, tree):
            return begin_line(count_time(now, at), worktree, tree, active)
        case events.JudgementStood(goal_id, unchecked):
            line = now.line(goal_id)
            return mark_judged(now, line.replace(unchecked=unchecked), at) if line else now
        case events.PhaseBegan(running):
            return begin_phase(count_time(now, at), running)
        case events.PhaseSpawned(goal_id, pid, born):
            return _remember_process(now, goal_id, pid, born)
        case events.PhaseEnded():
            return end_phase(count_time(now, at), event)
        case events.PhaseSkipped(goal_id, _, phase, reason):
            line = now.line(goal_id)
            trace = PhaseTrace(phase, skipped=reason)
            return _with_line(now, line.with_trace(trace)) if line else now
        case events.ArtifactsChecked(goal_id, _, gate):
            line = now.line(goal_id)
            return _with_line(now, line.replace(gate=gate)) if line else now
        case events.ClockJumped(milliseconds) if now.clock_at:  # no time is counted in a pause
            counted = count_time(now, at)
            return counted.replace(
                milliseconds=max(now.milliseconds, counted.milliseconds - milliseconds)
            )
        case events.DrivePaused(until, why):
            return pause_drive(count_time(now, at), until, why)
        case events.DriveEnded(reason, detail):
            return count_time(now, at).replace(ended=str(reason), detail=detail, clock_at="")
        case _:
            return now


# The following functions change the drive.


def begin_drive(before: Drive | None, event: events.DriveBegan, at: str) -> Drive:
    """Begin with new limits, which are of the run as a whole; a phase without an end is kept."""
    after = Drive(
        event.agent, event.depth, event.budget, at, at, model=event.model, left=event.left
    )
    if before is None:
        return after
    lines = tuple(
        _work_again(line).replace(
            last=None, crashes=0, stalls=0, outages=0, unchanged=0, idle=0,
            unchecked_times=min(line.unchecked_times, 1),  # the cause may have been mended
        )
        for line in before.lines
    )  # fmt: skip
    used = {"earlier": before.total, "unpriced": before.unpriced}
    return after.replace(lines=lines, milliseconds=before.milliseconds, **used)


def _work_again(line: LineOfWork) -> LineOfWork:
    """Let an iteration that the artifact gate stopped be worked again in full."""
    return line.replace(traces=(), gate=None, attempts=0) if line.closed_gate else line


def count_time(drive: Drive, at: str) -> Drive:
    """Count the time since the last event as working time."""
    return drive.replace(milliseconds=drive.used_ms(at), clock_at=at)


def pause_drive(drive: Drive, until: str, why: str) -> Drive:
    """Pause the drive: no line starts a phase before the end, and the trouble counts as settled."""
    lines = tuple(
        line.replace(last=None) if line.last and line.last.ending in _WAITS else line
        for line in drive.lines
    )
    return drive.replace(lines=lines, paused_until=until, paused_for=why, clock_at="")


def find_terms(drive: Drive) -> events.TermsChanged:
    """Return the terms that the drive has now."""
    return events.TermsChanged(drive.agent, drive.depth, drive.budget, drive.model)


def find_new_terms(
    drive: Drive, terms: events.DriveBegan, given: Container[str]
) -> events.TermsChanged | None:
    """Find the terms that a drive goes on with; None if nothing given anew differs from its own.

    `given` names fields of the terms and of the budget.
    """
    limits = {n: v for n, v in terms.budget.as_dict().items() if n in given}
    wanted = events.TermsChanged(
        terms.agent,
        terms.depth if "depth" in given else drive.depth,
        drive.budget.replace(**limits),
        terms.model or (drive.model if terms.agent == drive.agent else ""),
    )
    return wanted if wanted != find_terms(drive) else None


# The following functions change a line of work.


def begin_line(drive: Drive, worktree: Worktree, tree: str, active: Container[str]) -> Drive:
    """Begin work on a goal, perhaps anew; lines that nobody works on any more are set down."""
    others = [
        line if line.running or line.goal_id in active else LineOfWork(line.worktree)
        for line in drive.lines
        if line.goal_id != worktree.goal_id
    ]
    return drive.replace(lines=(*others, LineOfWork(worktree, tree)))


def put_down_line(drive: Drive, goal_id: str) -> Drive:
    """End the work on a goal; nothing is left of it but its worktree."""
    line = drive.line(goal_id)
    return _with_line(drive, LineOfWork(line.worktree)) if line else drive


def begin_phase(drive: Drive, running: Running) -> Drive:
    after = drive.replace(paused_until="")
    line = drive.line(running.goal_id)
    if line is None:
        return after
    return _with_line(after, line.replace(running=running, attempts=running.attempt))


def _remember_process(drive: Drive, goal_id: str, pid: int, born: str) -> Drive:
    for line in drive.lines:
        if line.running and goal_id in {"", line.goal_id}:  # see `PhaseSpawned` for the empty id
            running = line.running.replace(pid=pid, born=born)
            return _with_line(drive, line.replace(running=running))
    return drive


def end_phase(drive: Drive, event: events.PhaseEnded) -> Drive:
    """End a phase. Work that was done counts, however its process ended."""
    line, record = drive.line(event.goal_id), event.record
    if line is None or line.running is None:
        return drive
    paid = drive.replace(
        spend=drive.spend + record.spend,
        unpriced=drive.unpriced + (record.spend.microdollars is None),
    )
    commit = event.commit or line.commit
    after = line.replace(running=None, last=record, tree=event.tree, commit=commit)
    return _with_line(paid, _count_phase(after, line.running, event, drive.depth))


def _count_phase(
    line: LineOfWork, running: Running, event: events.PhaseEnded, depth: Depth
) -> LineOfWork:
    """Count what the end of a phase means for the phases after it."""
    record = event.record
    if running.is_review:  # its lane says what it found
        return _count_trouble(line, Ending.CRASH if record.ending in _CUT_OFF else record.ending)
    if line.tree == running.tree and record.ending not in _OWN_ENDS:
        return _count_trouble(line, record.ending)
    told = line.judged_tree if line.hit_limit else line.told_limit
    got_on = line.replace(crashes=0, stalls=0, outages=0, told_limit=told)
    if record.ending in _CUT_SHORT:
        return _count_trouble(got_on, record.ending)
    is_clear = bool(event.is_clear)
    trace = PhaseTrace(running.phase, record.session, lacks=event.lacks, is_clear=is_clear)
    if event.lacks:
        times = line.find_trace(running.phase).unusable + 1
        return got_on.with_trace(trace.replace(unusable=times))
    worked = got_on.with_trace(trace).replace(attempts=0)
    return worked if worked.missing_phases(depth) else _count_unchanged(worked, record)


def _count_trouble(line: LineOfWork, ending: Ending) -> LineOfWork:
    match ending:
        case Ending.CRASH | Ending.TIMEOUT:
            return line.replace(crashes=line.crashes + 1)
        case Ending.STALLED:
            return line.replace(stalls=line.stalls + 1)
        case Ending.OUTAGE | Ending.RATE_LIMITED:
            return line.replace(outages=line.outages + 1)
        case _:
            return line


def _count_unchanged(line: LineOfWork, record: Record) -> LineOfWork:
    """Count work that changed nothing. It is not judged again; the agent is asked once more."""
    if (line.tree, line.commit) != (line.judged_tree, line.judged_commit):
        return line
    idle = line.idle + (record.tool_calls == 0)
    return line.replace(traces=(), unchanged=line.unchanged + 1, idle=idle)


def take_judgement(drive: Drive, goal_id: str, judgement: Judgement, at: str) -> Drive:
    """Record that the goal was judged; it concerns the line only if the line's tree was judged."""
    line = drive.line(goal_id)
    if line is None or line.tree != judgement.tree:
        return drive
    seen = line.replace(
        findings=judgement.findings,
        unchecked=judgement.unchecked,
        hit_limit=judgement.hit_limit,
    )
    return mark_judged(drive, seen, at)


def mark_judged(drive: Drive, line: LineOfWork, at: str) -> Drive:
    """Mark the line's tree as judged. A judgement that an agent asks for at work does not count."""
    if line.running:
        return _with_line(drive, line)
    is_fresh = (line.tree, line.commit) != (line.judged_tree, line.judged_commit)
    counted = count_time(drive, at) if drive.clock_at else drive  # people may judge in a pause
    times = 0 if is_fresh else line.unchecked_times
    judged = line.replace(
        traces=(),
        gate=None,
        rejudge=False,
        unchecked_times=times + 1 if line.unchecked else 0,
        judged_tree=line.tree,
        judged_commit=line.commit,
        unchanged=0 if is_fresh else line.unchanged,
        idle=0 if is_fresh else line.idle,
    )
    return _with_line(counted, judged)


def ask_judgement(drive: Drive, goal_id: str) -> Drive:
    """Ask for one more judgement of the line's tree, though no file of it has changed."""
    line = drive.line(goal_id)
    if line is None or not line.is_under_way:
        return drive
    for phase in () if line.running else line.missing_phases(drive.depth):
        line = line.with_trace(PhaseTrace(phase, skipped="a judgement is asked for"))
    return _with_line(drive, line.replace(judged_tree=""))


def take_review(drive: Drive, goal_id: str, process: Record, why_unusable: str) -> Drive:
    """Take a lane's answer. A reviewer without a usable answer counts as one that crashed."""
    line = drive.line(goal_id)
    if line is None or drive.ended or not line.is_under_way:
        return drive
    if why_unusable:
        last = process.replace(problem=why_unusable)
        return _with_line(drive, line.replace(crashes=line.crashes + 1, last=last))
    return _with_line(drive, line.replace(attempts=0, crashes=0, stalls=0, outages=0, last=None))


def _with_line(drive: Drive, changed: LineOfWork) -> Drive:
    lines = (changed if line.goal_id == changed.goal_id else line for line in drive.lines)
    return drive.replace(lines=tuple(lines))
