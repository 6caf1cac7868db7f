"""Events make the drive. No rules here: every event ever written is accepted."""

from __future__ import annotations

from collections.abc import Container

from goalkeeper.core.drive import events, state
from goalkeeper.core.drive.state import Drive


def apply(before: Drive | None, event: events.DriveEvent, at: str) -> Drive | None:
    if isinstance(event, events.DriveBegan):
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


def _after(now: Drive, event: events.DriveEvent, at: str) -> Drive:
    match event:
        case events.DriveResumed():
            return state.resumed(now, at)
        case events.TermsChanged(agent, depth, budget, model):
            return now.replace(agent=agent, depth=depth, budget=budget, model=model)
        case events.WorktreeMade(worktree, tree):
            others = [place for place in now.worktrees if place.goal_id != worktree.goal_id]
            made = state.ticked(now, at).replace(worktrees=(*others, worktree), tree=tree)
            return made.replace(
                goal_id=worktree.goal_id, judged_tree="", findings=(), done=(), attempts=0,
                crashes=0, stalls=0, outages=0, unchanged=0, idle=0, last=None,
            )  # fmt: skip
        case events.JudgementStood():
            return state.judged(now, at)
        case events.PhaseBegan(running):
            return state.begun(now, running, at)
        case events.PhaseSpawned(pid, born) if now.running:
            return now.replace(running=now.running.replace(pid=pid, born=born))
        case events.PhaseEnded(record=record, tree=tree):
            return state.ended(now, record, tree, at)
        case events.PhaseSkipped(phase=phase):
            return now.replace(done=(*now.done, phase))
        case events.DrivePaused(until, why):
            return state.paused(now, until, why, at)
        case events.DriveEnded(reason, detail):
            return state.ticked(now, at).replace(ended=str(reason), detail=detail, clock_at="")
        case _:
            return now


def changed_terms(
    drive: Drive, terms: events.TermsChanged, given: Container[str]
) -> events.TermsChanged | None:
    """What the drive goes on with: as it began, but for what is given anew; None when that is all.

    `given` names fields of the terms and of the budget.
    """
    limits = {n: v for n, v in terms.budget.as_dict().items() if n in given}
    wanted = events.TermsChanged(
        terms.agent,
        terms.depth if "depth" in given else drive.depth,
        drive.budget.replace(**limits),
        terms.model or (drive.model if terms.agent == drive.agent else ""),
    )
    return wanted if wanted != terms_of(drive) else None


def terms_of(drive: Drive) -> events.TermsChanged:
    return events.TermsChanged(drive.agent, drive.depth, drive.budget, drive.model)
