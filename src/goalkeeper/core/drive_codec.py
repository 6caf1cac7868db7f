"""Drives and their events, read back. Apart from `codec`: most ledgers hold none."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.core.contract.findings import finding
from goalkeeper.core.decode import Fields
from goalkeeper.core.drive import events as drive_events
from goalkeeper.core.drive.lane import INDEPENDENT, Lane, Role, Word
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Record, Spend
from goalkeeper.core.drive.state import Budget, Drive, ExitKind, Reason, Running, Worktree
from goalkeeper.core.plan import events


def drive(f: Fields) -> Drive:
    return Drive(
        f.text("agent"),
        f.choice("depth", Depth),
        _budget(f.inner("budget")),
        f.text("began_at"),
        f.text("clock_at", ""),
        f.number("milliseconds", 0),
        _spend(f.inner("spend")),
        f.number("unpriced", 0),
        _spend(f.inner("earlier")),
        f.each("worktrees", _worktree),
        _running(f.inner("running")) if f.has("running") else None,
        f.choices("done", Phase),
        f.number("attempts", 0),
        _record(f.inner("last")) if f.has("last") else None,
        f.number("crashes", 0),
        f.number("stalls", 0),
        f.number("outages", 0),
        f.number("unchanged", 0),
        f.number("idle", 0),
        f.text("goal_id", ""),
        f.text("tree", ""),
        f.text("judged_tree", ""),
        f.each("findings", finding),
        f.text("paused_until", ""),
        f.text("paused_for", ""),
        f.text("ended", ""),
        f.text("detail", ""),
        f.text("model", ""),
    )


def _budget(f: Fields) -> Budget:
    usual = Budget()
    return Budget(*(f.number(name, value) for name, value in usual.as_dict().items()))


def _terms(f: Fields) -> tuple[str, Depth, Budget, str]:
    budget = _budget(f.inner("budget"))
    return f.text("agent"), f.choice("depth", Depth), budget, f.text("model", "")


def _spend(f: Fields) -> Spend:
    known = f.has("microdollars")
    return Spend(
        f.number("input_tokens", 0), f.number("output_tokens", 0), f.number("cached_tokens", 0),
        f.number("microdollars") if known else None,
    )  # fmt: skip


def _worktree(f: Fields) -> Worktree:
    return Worktree(f.text("goal_id"), f.text("path"), f.text("branch"), f.text("commit", ""))


def _running(f: Fields) -> Running:
    return Running(
        f.text("goal_id"), f.number("iteration"), f.choice("phase", Phase), f.number("attempt"),
        f.text("marker"), f.text("tree"), f.number("pid", 0), f.text("born", ""),
    )  # fmt: skip


def _record(f: Fields) -> Record:
    return Record(
        f.text("client"),
        f.choice("ending", Ending),
        f.text("session", ""),
        f.text("model", ""),
        f.number("exit_code") if f.has("exit_code") else None,
        _spend(f.inner("spend")),
        f.number("tool_calls", 0),
        f.text("resets_at", ""),
        f.text("problem", ""),
        f.text("said", ""),
        f.text("out", ""),
        f.number("milliseconds", 0),
    )


def lane(f: Fields) -> Lane:
    return Lane(
        f.choice("role", Role),
        f.text("tree"),
        f.text("contract"),
        f.choice("word", Word),
        _record(f.inner("process")),
        f.number("pid", 0),
        f.text("answer", ""),
        f.text("folder", ""),
        f.texts("objections"),
        f.text("trust", INDEPENDENT),
    )


def _ended(f: Fields) -> drive_events.PhaseEnded:
    return drive_events.PhaseEnded(
        f.text("goal_id"), f.number("iteration"), f.choice("phase", Phase), f.number("attempt"),
        _record(f.inner("record")), f.text("tree"),
    )  # fmt: skip


READERS: dict[str, tuple[type[events.Event], Callable[[Fields], events.Event]]] = {
    "lane_reported": (
        events.LaneReported,
        lambda f: events.LaneReported(f.text("goal_id"), lane(f.inner("lane"))),
    ),
    "honest_exit": (
        events.HonestExit,
        lambda f: events.HonestExit(
            f.text("goal_id"), f.choice("kind", ExitKind), f.text("evidence", "")
        ),
    ),
    "drive_began": (
        drive_events.DriveBegan,
        lambda f: drive_events.DriveBegan(*_terms(f)),
    ),
    "drive_resumed": (drive_events.DriveResumed, lambda _: drive_events.DriveResumed()),
    "terms_changed": (
        drive_events.TermsChanged,
        lambda f: drive_events.TermsChanged(*_terms(f)),
    ),
    "worktree_made": (
        drive_events.WorktreeMade,
        lambda f: drive_events.WorktreeMade(_worktree(f.inner("worktree")), f.text("tree", "")),
    ),
    "judgement_stood": (
        drive_events.JudgementStood,
        lambda f: drive_events.JudgementStood(f.text("goal_id")),
    ),
    "phase_began": (
        drive_events.PhaseBegan,
        lambda f: drive_events.PhaseBegan(
            _running(f.inner("running")), f.text("agent", ""), f.text("prompt", "")
        ),
    ),
    "phase_spawned": (
        drive_events.PhaseSpawned,
        lambda f: drive_events.PhaseSpawned(
            f.number("pid"), f.text("born", ""), f.text("argv", "")
        ),
    ),
    "phase_ended": (drive_events.PhaseEnded, _ended),
    "phase_skipped": (
        drive_events.PhaseSkipped,
        lambda f: drive_events.PhaseSkipped(
            f.text("goal_id"), f.number("iteration"), f.choice("phase", Phase), f.text("reason")
        ),
    ),
    "refs_moved": (
        drive_events.RefsMoved,
        lambda f: drive_events.RefsMoved(f.text("goal_id"), f.texts("refs")),
    ),
    "drive_paused": (
        drive_events.DrivePaused,
        lambda f: drive_events.DrivePaused(f.text("until"), f.text("why", "")),
    ),
    "drive_ended": (
        drive_events.DriveEnded,
        lambda f: drive_events.DriveEnded(f.choice("reason", Reason), f.text("detail", "")),
    ),
}
