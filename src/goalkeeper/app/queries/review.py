"""What a review of work says."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.reviewing import ReviewResult, ReviewVerdict, Submission


def show_review(
    result: ReviewResult, work: Submission, blockers: tuple[str, ...] = ()
) -> dict[str, Any]:
    """`blockers` are the goals that the findings were recorded as."""
    pairs = zip(result.rows, result.judgement.criteria, strict=True)
    return {
        "ok": result.said is ReviewVerdict.PASS,
        "verdict": result.said,
        "contract": result.strength,
        "base": work.base.as_dict(),
        "candidate": work.candidate.as_dict(),
        "isolation": result.judgement.isolation,
        "criteria": [
            {"id": now.id, "on_base": before.look, "verdict": now.verdict, "reason": now.reason}
            for before, now in pairs
        ],
        "findings": [diagnostic.as_dict() for diagnostic in result.findings],
        "blockers": list(blockers),
    }


def suggest_after_review(result: ReviewResult, blockers: tuple[str, ...]) -> str:
    if result.said is ReviewVerdict.WEAK:
        return "goalkeeper review --spec FILE, with criteria that were red before the work"
    return "goalkeeper complete-goals" if blockers else ""
