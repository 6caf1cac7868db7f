"""Events make the drive. No rules here: every event ever written is accepted."""

from __future__ import annotations

from collections.abc import Container

from goalkeeper.core import drive, drive_events
from goalkeeper.core.drive import Drive


def apply(before: Drive | None, event: drive_events.DriveEvent, at: str) -> Drive | None:
    if isinstance(event, drive_events.DriveBegan):
        after = Drive(event.agent, event.depth, event.budget, at, at, model=event.model)
        return _taken_over(after, before) if before else after
    return _after(before, event, at) if before else None


def _taken_over(drive: Drive, before: Drive) -> Drive:
    """Limits and counters begin anew; the work does not, nor is a phase without an end lost."""
    return drive.replace(
        worktrees=before.worktrees, goal_id=before.goal_id, tree=before.tree,
        judged_tree=before.judged_tree, findings=before.findings, done=before.done,
        running=before.running, attempts=before.attempts, earlier=before.total,
        unpriced=before.unpriced,
    )  # fmt: skip


def _after(now: Drive, event: drive_events.DriveEvent, at: str) -> Drive:
    match event:
        case drive_events.DriveResumed():
            return drive.resumed(now, at)
        case drive_events.TermsChanged(agent, depth, budget, model):
            return now.replace(agent=agent, depth=depth, budget=budget, model=model)
        case drive_events.WorktreeMade(worktree, tree):
            others = [place for place in now.worktrees if place.goal_id != worktree.goal_id]
            made = drive.ticked(now, at).replace(worktrees=(*others, worktree), tree=tree)
            return made.replace(
                goal_id=worktree.goal_id, judged_tree="", findings=(), done=(), attempts=0,
                crashes=0, stalls=0, outages=0, unchanged=0, idle=0, last=None,
            )  # fmt: skip
        case drive_events.JudgementStood():
            return drive.judged(now, at)
        case drive_events.PhaseBegan(running):
            return drive.begun(now, running, at)
        case drive_events.PhaseSpawned(pid, born) if now.running:
            return now.replace(running=now.running.replace(pid=pid, born=born))
        case drive_events.PhaseEnded(record=record, tree=tree):
            return drive.ended(now, record, tree, at)
        case drive_events.PhaseSkipped(phase=phase):
            return now.replace(done=(*now.done, phase))
        case drive_events.DrivePaused(until, why):
            return drive.paused(now, until, why, at)
        case drive_events.DriveEnded(reason, detail):
            return drive.ticked(now, at).replace(ended=str(reason), detail=detail, clock_at="")
        case _:
            return now


def changed_terms(
    drive: Drive, terms: drive_events.TermsChanged, given: Container[str]
) -> drive_events.TermsChanged | None:
    """What the drive goes on with: as it began, but for what is given anew; None when that is all.

    `given` names fields of the terms and of the budget.
    """
    limits = {n: v for n, v in terms.budget.as_dict().items() if n in given}
    wanted = drive_events.TermsChanged(
        terms.agent,
        terms.depth if "depth" in given else drive.depth,
        drive.budget.replace(**limits),
        terms.model or (drive.model if terms.agent == drive.agent else ""),
    )
    return wanted if wanted != terms_of(drive) else None


def terms_of(drive: Drive) -> drive_events.TermsChanged:
    return drive_events.TermsChanged(drive.agent, drive.depth, drive.budget, drive.model)
