"""What lanes and reviews say, what is in the way of the strict gate, and the form for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.app.reviewing import ReviewResult, ReviewVerdict, Submission
from goalkeeper.app.trials import WitnessPort
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.decode import plain
from goalkeeper.core.plan.model import Base, Goal
from goalkeeper.core.review import lane_answers
from goalkeeper.core.review.assessed import Quality
from goalkeeper.core.review.lane import NEEDED, Lane, LaneWord, find_standing
from goalkeeper.core.review.shape import SECTIONS


def show_lanes(witness: WitnessPort, goal: Goal, candidate: Base) -> dict[str, Any]:
    seen = find_standing(goal.lanes, candidate.tree, goal.frozen.digest if goal.frozen else "")
    is_clear = all(role in seen and seen[role].word is LaneWord.CLEAR for role in NEEDED)
    lanes = [
        {
            **_show_lane(lane),
            "advisory": _find_advice(witness, lane),
            "current": seen.get(lane.role) == lane,
        }
        for lane in goal.lanes
    ]
    return {"ok": is_clear, "goal_id": goal.id, "tree": candidate.tree, "lanes": lanes}


def _find_advice(witness: WitnessPort, lane: Lane) -> list[str]:
    """Find advice that blocks nothing; only the answer itself has it."""
    raw = (witness.read_kept(lane.answer) or {}).get("answer")
    return list(lane_answers.list_advisory_findings(lane.role, raw)) if raw else []


def _show_lane(lane: Lane) -> dict[str, Any]:
    process = lane.process
    return {
        "role": lane.role,
        "word": lane.word,
        "tree": lane.tree,
        "contract": lane.contract,
        "answer": lane.answer,
        "objections": list(lane.objections),
        "agent": process.client,
        "trust": lane.trust,
        "session": process.session,
        "model": process.model,
        "pid": lane.pid,
        "transcript": process.out,
        "microdollars": process.spend.microdollars,
        "ending": process.ending,
    }


def show_review(
    result: ReviewResult, work: Submission, reports: Mapping[str, Any]
) -> dict[str, Any]:
    """Show a review; `reports` are the answers of its lanes by their digests.

    `blockers` are the goals that its findings are recorded as later.
    """
    pairs = zip(result.rows, result.judgement.criteria, strict=True)
    return {
        "ok": result.said is ReviewVerdict.PASS,
        "verdict": result.said,
        "contract": result.strength,
        "gate": work.gate,
        "base": work.base.as_dict(),
        "candidate": work.candidate.as_dict(),
        "isolation": result.judgement.isolation,
        "conditions": result.judgement.conditions,
        "criteria": [
            {"id": now.id, "on_base": before.look, "verdict": now.verdict, "reason": now.reason}
            for before, now in pairs
        ],
        "findings": [diagnostic.as_dict() for diagnostic in result.findings],
        "lanes": [
            {**_show_lane(lane), "report": reports.get(lane.answer)} for lane in result.lanes
        ],
        "unasked": list(result.unasked),
        "blockers": [],
    }


def suggest_after_review(result: ReviewResult, blockers: Sequence[str]) -> str:
    if result.said is ReviewVerdict.WEAK:
        return "goalkeeper review --spec FILE, with criteria that were red before the work"
    return "goalkeeper complete-goals" if blockers else ""


def show_quality(goal: Goal, quality: Quality) -> dict[str, Any]:
    found = quality.diagnostics
    return {
        "ok": not found,
        "goal_id": goal.id,
        "tree": quality.tree,
        "diagnostics": [diagnostic.as_dict() for diagnostic in found],
        "lanes": [voice.as_dict() for voice in quality.lanes],
    }


def make_template(contract: Contract) -> dict[str, Any]:
    coverage = [
        {
            "id": f"contract-{criterion.id}",
            "contractRef": criterion.id,
            "obligation": criterion.text,
            "status": "todo",
            "surfaceEvidenceRefs": [],
            "adversarialCaseRefs": [],
        }
        for criterion in contract.criteria
    ]
    blank = {
        name: {field: plain(shape.default) for field, shape in section.fields.items()}
        for name, section in SECTIONS.items()
    }
    blank["executorQa"]["contractCoverage"] = coverage
    return blank
