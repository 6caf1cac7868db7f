"""Events of strict gates as version 1 wrote them."""

from typing import Any

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.drive.phases import Ending, Record
from goalkeeper.core.plan import events
from goalkeeper.core.review.assessed import Quality, Voice
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord

WRITTEN_GATES: list[tuple[str, dict[str, Any], events.Event]] = [
    (
        "standing_judged",
        {
            "tree": "t",
            "criteria": [
                {
                    "id": "G001/C1",
                    "verdict": "failed",
                    "reason": "exit 1",
                    "evidence": "e",
                    "cached": False,
                }
            ],
        },
        events.StandingJudged("t", (Judged("G001/C1", Verdict.FAILED, "exit 1", "e"),)),
    ),
    (
        "goal_reopened",
        {"goal_id": "G001", "reason": "it does not hold"},
        events.GoalReopened("G001", "it does not hold"),
    ),
    (
        "work_landed",
        {"commit": "c", "tree": "t", "unproven": ["G001/C1"]},
        events.WorkLanded("c", "t", ("G001/C1",)),
    ),
    (
        "goal_completed",
        {
            "goal_id": "G001",
            "evidence": "e",
            "gate": "strict",
            "quality": {
                "tree": "t",
                "digest": "d",
                "lanes": [{"role": "qa", "trust": "independent", "agent": "claude"}],
            },
        },
        events.GoalCompleted(
            "G001",
            "e",
            "strict",
            None,
            Quality("t", "d", (Voice("qa", "independent", "claude"),)),
        ),
    ),
    (
        "lane_reported",
        {
            "goal_id": "G001",
            "lane": {
                "role": "architect",
                "tree": "t",
                "contract": "c",
                "word": "objects",
                "process": {
                    "client": "claude",
                    "ending": "ok",
                    "spend": {
                        "input_tokens": 0,
                        "output_tokens": 0,
                        "cached_tokens": 0,
                        "microdollars": 0,
                    },
                    "tool_calls": 0,
                    "milliseconds": 0,
                },
                "pid": 7,
                "answer": "a",
                "folder": "f",
                "objections": ["o"],
                "trust": "independent",
            },
        },
        events.LaneReported(
            "G001",
            Lane(
                LaneRole.ARCHITECT,
                "t",
                "c",
                LaneWord.OBJECTS,
                Record("claude", Ending.OK),
                7,
                "a",
                "f",
                ("o",),
            ),
        ),
    ),
]
