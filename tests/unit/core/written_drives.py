"""Events of drives as version 1 wrote them."""

from typing import Any

from goalkeeper.core.drive import events as happened
from goalkeeper.core.drive.artifacts import ArtifactCheck, ArtifactGate, ArtifactState
from goalkeeper.core.drive.phases import Depth, Ending, Phase, Record, Spend
from goalkeeper.core.drive.state import Budget, ExitKind, Reason, Running, Worktree
from goalkeeper.core.plan.events import Event, HonestExit

TERMS = {
    "agent": "claude",
    "depth": "full",
    "budget": {
        "iterations": 5, "seconds": 60, "microdollars": 1, "tokens": 2, "phase_seconds": 3,
        "stall_seconds": 4, "pause_seconds": 6, "backoff_seconds": 7,
    },
}  # fmt: skip
PLACE = {"goal_id": "G001", "path": "/yard/G001", "branch": "goalkeeper/r/G001", "commit": "c"}
BEGUN = {
    "goal_id": "G001", "iteration": 2, "phase": "impl", "attempt": 1, "marker": "m", "tree": "t",
    "pid": 0,
}  # fmt: skip
FULL_RECORD = {
    "client": "claude",
    "ending": "rate-limited",
    "session": "s",
    "model": "m",
    "exit_code": 1,
    "spend": {
        "input_tokens": 100, "output_tokens": 20, "cached_tokens": 80, "microdollars": 2500,
    },
    "tool_calls": 3,
    "resets_at": "2026-01-01T15:00:00.000000Z",
    "problem": "a limit",
    "said": "bye",
    "out": "digest",
    "milliseconds": 1200,
}  # fmt: skip
BARE_RECORD = {
    "client": "codex",
    "ending": "crash",
    "spend": {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0},
    "tool_calls": 0,
    "milliseconds": 0,
}


def ended(record: object) -> dict[str, Any]:
    return {"goal_id": "G001", "iteration": 2, "phase": "impl", "attempt": 1, "tree": "t2",
            "record": record}  # fmt: skip


WRITTEN_DRIVES: list[tuple[str, dict[str, Any], Event]] = [
    (
        "drive_began",
        TERMS,
        happened.DriveBegan("claude", Depth.FULL, Budget(5, 60, 1, 2, 3, 4, 6, 7)),
    ),
    ("drive_resumed", {}, happened.DriveResumed()),
    (
        "terms_changed",
        TERMS,
        happened.TermsChanged("claude", Depth.FULL, Budget(5, 60, 1, 2, 3, 4, 6, 7)),
    ),
    (
        "worktree_made",
        {"worktree": PLACE, "tree": "t"},
        happened.WorktreeMade(Worktree("G001", "/yard/G001", "goalkeeper/r/G001", "c"), "t"),
    ),
    (
        "drive_began",
        TERMS | {"prior": ["none"], "left": ["G001/C1"]},
        happened.DriveBegan(
            "claude", Depth.FULL, Budget(5, 60, 1, 2, 3, 4, 6, 7), "", ("none",), ("G001/C1",)
        ),
    ),
    (
        "criteria_left",
        {"goal_id": "G001", "criteria": ["C1"]},
        happened.CriteriaLeft("G001", ("C1",)),
    ),
    ("judgement_stood", {"goal_id": "G001"}, happened.JudgementStood("G001")),
    (
        "judgement_stood",
        {"goal_id": "G001", "unchecked": ["C1: it hit the limit on time"]},
        happened.JudgementStood("G001", ("C1: it hit the limit on time",)),
    ),
    ("judgement_asked", {}, happened.JudgementAsked()),
    ("clock_jumped", {"milliseconds": 7200000}, happened.ClockJumped(7_200_000)),
    (
        "phase_began",
        {"running": BEGUN, "agent": "claude", "prompt": "p"},
        happened.PhaseBegan(Running("G001", 2, Phase.IMPL, 1, "m", "t"), "claude", "p"),
    ),
    (
        "phase_spawned",
        {"goal_id": "G001", "pid": 77, "born": "123", "argv": "a"},
        happened.PhaseSpawned("G001", 77, "123", "a"),
    ),
    (
        "phase_ended",
        ended(FULL_RECORD),
        happened.PhaseEnded(
            "G001", 2, Phase.IMPL, 1,
            Record(
                "claude", Ending.RATE_LIMITED, "s", "m", 1, Spend(100, 20, 80, 2500), 3,
                "2026-01-01T15:00:00.000000Z", "a limit", "bye", "digest", 1200,
            ),
            "t2",
        ),
    ),
    (
        "phase_ended",
        ended(BARE_RECORD),
        happened.PhaseEnded(
            "G001", 2, Phase.IMPL, 1,
            Record("codex", Ending.CRASH, spend=Spend(microdollars=None)), "t2",
        ),
    ),
    (
        "phase_ended",
        ended(BARE_RECORD) | {"lacks": ["no plan"], "is_clear": True},
        happened.PhaseEnded(
            "G001", 2, Phase.IMPL, 1,
            Record("codex", Ending.CRASH, spend=Spend(microdollars=None)), "t2", "", ("no plan",),
            True,
        ),
    ),
    (
        "phase_skipped",
        {"goal_id": "G001", "iteration": 2, "phase": "plan", "reason": "small"},
        happened.PhaseSkipped("G001", 2, Phase.PLAN, "small"),
    ),
    (
        "artifacts_checked",
        {
            "goal_id": "G001",
            "iteration": 2,
            "gate": {
                "checks": [{"id": "A2", "name": "plan", "state": "missing", "detail": "none"}],
            },
        },
        happened.ArtifactsChecked(
            "G001", 2,
            ArtifactGate((ArtifactCheck("A2", "plan", ArtifactState.MISSING, "none"),)),
        ),
    ),
    (
        "refs_moved",
        {"goal_id": "G001", "refs": ["refs/heads/main gone"]},
        happened.RefsMoved("G001", ("refs/heads/main gone",)),
    ),
    (
        "drive_paused",
        {"until": "2026-01-01T15:00:00.000000Z", "why": "outage: 503"},
        happened.DrivePaused("2026-01-01T15:00:00.000000Z", "outage: 503"),
    ),
    (
        "drive_ended",
        {"reason": "max-cost", "detail": "$2.50"},
        happened.DriveEnded(Reason.MAX_COST, "$2.50"),
    ),
    ("drive_ended", {"reason": "done"}, happened.DriveEnded(Reason.DONE)),
    (
        "honest_exit",
        {"goal_id": "G001", "kind": "needs-human", "evidence": "no key"},
        HonestExit("G001", ExitKind.NEEDS_HUMAN, "no key"),
    ),
]  # fmt: skip

# Kind, data, and the field that does not fit.
UNFIT_DRIVES: list[tuple[str, object, str]] = [
    ("drive_began", {"agent": "x", "depth": "deep", "budget": {}}, "depth"),
    ("drive_began", {"agent": "x", "depth": "full"}, "budget"),
    ("drive_began", {"agent": "x", "depth": "full", "budget": {"tokens": "9"}}, "budget.tokens"),
    ("terms_changed", TERMS | {"depth": "deep"}, "depth"),
    ("worktree_made", {"worktree": {"goal_id": "G001"}, "tree": "t"}, "worktree.path"),
    ("criteria_left", {"goal_id": "G001", "criteria": [1]}, "criteria"),
    ("phase_began", {"running": BEGUN | {"phase": "rest"}}, "running.phase"),
    ("phase_began", {"running": BEGUN | {"attempt": True}}, "running.attempt"),
    ("phase_spawned", {}, "pid"),
    ("phase_ended", ended(FULL_RECORD | {"ending": "well"}), "record.ending"),
    ("phase_ended", ended(FULL_RECORD | {"exit_code": "1"}), "record.exit_code"),
    ("phase_ended", ended(FULL_RECORD | {"spend": 3}), "record.spend"),
    (
        "phase_ended",
        ended(FULL_RECORD | {"spend": {"microdollars": 0.5}}),
        "record.spend.microdollars",
    ),
    ("phase_skipped", {"goal_id": "G001", "iteration": 1, "phase": "plan"}, "reason"),
    (
        "artifacts_checked",
        {"goal_id": "G001", "iteration": 1, "gate": {"checks": 1}},
        "gate.checks",
    ),
    ("refs_moved", {"goal_id": "G001", "refs": [1]}, "refs"),
    ("drive_paused", {"why": "x"}, "until"),
    ("drive_ended", {"reason": "tired"}, "reason"),
    ("honest_exit", {"goal_id": "G001", "kind": "lazy"}, "kind"),
]
