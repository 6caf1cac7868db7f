"""Events of verifications as version 1 wrote them."""

from typing import Any

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan import events as happened
from goalkeeper.core.plan.events import Event

SEEN = Judgement("t", "c", "d", "sandbox", (Judged("C1", Verdict.PASSED),), uncached=True)
SEEN_WRITTEN = {
    "tree": "t",
    "commit": "c",
    "contract": "d",
    "isolation": "sandbox",
    "criteria": [{"id": "C1", "verdict": "passed", "cached": False}],
    "uncached": True,
}

WRITTEN_VERIFICATIONS: list[tuple[str, dict[str, Any], Event]] = [
    (
        "step_verified",
        {"goal_id": "G001", "step": "q1", "inputs": "i", "note": "artifact=report.md"},
        happened.StepVerified("G001", "q1", "i", "artifact=report.md"),
    ),
    (
        "step_verified",
        {"goal_id": "G001", "step": "q1", "inputs": "i", "note": "n", "answers": "a"},
        happened.StepVerified("G001", "q1", "i", "n", "a"),
    ),
    (
        "verification_failed",
        {"goal_id": "G001", "criteria": ["C1"], "tree": "t", "problems": ["q2: it fails"]},
        happened.VerificationFailed("G001", ("C1",), "t", ("q2: it fails",)),
    ),
    (
        "verification_failed",
        {"goal_id": "G001", "criteria": ["C1"], "tree": "t", "problems": ["p"], "steps": ["q2"]},
        happened.VerificationFailed("G001", ("C1",), "t", ("p",), ("q2",)),
    ),
    (
        "questions_answered",
        {
            "goal_id": "G001", "criteria": ["C1", "C2"], "tree": "t", "contract": "d",
            "reason": "answered", "answers": "a", "overrides": ["o"],
        },
        happened.QuestionsAnswered("G001", ("C1", "C2"), "t", "d", "answered", "a", ("o",)),
    ),
    (
        "questions_answered",
        {
            "goal_id": "G001", "criteria": ["C1"], "tree": "t", "contract": "d", "reason": "r",
            "answers": "a", "left_to_user": ["a decision"], "summary": "a draft",
        },
        happened.QuestionsAnswered(
            "G001", ("C1",), "t", "d", "r", "a", left_to_user=("a decision",), summary="a draft"
        ),
    ),
    (
        "abbreviation_refused",
        {"goal_id": "G001", "step": "q1_5", "condition": "zone tight", "reason": "no record"},
        happened.AbbreviationRefused("G001", "q1_5", "zone tight", "no record"),
    ),
    (
        "hypothesis_expired",
        {"goal_id": "G001", "evidence": "its time is over"},
        happened.HypothesisExpired("G001", "its time is over"),
    ),
    (
        "hypothesis_deferred",
        {"goal_id": "G001", "until": "2026-03-02T12:00:00Z"},
        happened.HypothesisDeferred("G001", "2026-03-02T12:00:00Z"),
    ),
    (
        "cycle_achieved",
        {
            "goal_id": "G001", "cycle": "monday", "evidence": "e", "gate": "standard",
            "judgement": SEEN_WRITTEN,
        },
        happened.CycleAchieved("G001", "monday", "e", "standard", SEEN),
    ),
]  # fmt: skip
