"""What lanes said of a goal, and whether it is about the files as they are."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.trials import WitnessPort
from goalkeeper.core.drive.lane import NEEDED, Lane, LaneWord, find_standing
from goalkeeper.core.plan.model import Base, Goal
from goalkeeper.core.review import lane_answers


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
    """What blocks nothing, and stands only in the answer itself."""
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
