"""Events of strict gates as version 1 wrote them."""

from typing import Any

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import FindingAnswer
from goalkeeper.core.contract.judgement import Judged
from goalkeeper.core.draft.model import Draft, DraftedTest, Examiner, Opinion, Standing
from goalkeeper.core.drive.phases import Ending, Record
from goalkeeper.core.plan import events
from goalkeeper.core.review.assessed import Quality, Voice
from goalkeeper.core.review.lane import Lane, LaneRole, LaneWord

WRITTEN_GATES: list[tuple[str, dict[str, Any], events.Event]] = [
    (
        "finding_answered",
        {
            "goal_id": "G001",
            "answer": {
                "rule": "test-vanished",
                "path": "tests/test_a.py",
                "messages": ["C1: test_a is gone"],
                "content": "100644 b",
                "reason": "r",
                "by": "agent",
            },
        },
        events.FindingAnswered(
            "G001",
            FindingAnswer(
                "test-vanished",
                "tests/test_a.py",
                ("C1: test_a is gone",),
                "100644 b",
                "r",
                "agent",
            ),
        ),
    ),
    (
        "examiner_answered",
        {
            "goal_id": "G001",
            "examiner": {
                "number": 2,
                "round": 1,
                "agent": "claude",
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
                "prompt": "p",
                "answer": "a",
                "problems": ["x"],
                "model": "m",
            },
        },
        events.ExaminerAnswered(
            "G001",
            Examiner(2, 1, "claude", Record("claude", Ending.OK), "p", "a", ("x",), "m"),
        ),
    ),
    (
        "contract_challenged",
        {
            "goal_id": "G001",
            "opinion": {
                "word": "stands",
                "because": "b",
                "about": "a",
                "agent": "claude",
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
                "prompt": "p",
                "model": "m",
            },
        },
        events.ContractChallenged(
            "G001", Opinion("stands", "b", "a", "claude", Record("claude", Ending.OK), "p", "m")
        ),
    ),
    (
        "contract_drafted",
        {
            "goal_id": "G001",
            "draft": {
                "contract": "{}",
                "tests": [
                    {
                        "id": "C1",
                        "text": "it",
                        "examiner": 1,
                        "standing": "weak",
                        "rule": "notices-nothing",
                        "reason": "r",
                        "held_out": True,
                        "killed": 0,
                    }
                ],
                "round": 1,
                "examiners": 2,
                "faults": 4,
                "killed": 3,
                "questions": ["q"],
                "assumptions": ["s"],
                "names": ["n"],
                "accepted_by": "human",
            },
        },
        events.ContractDrafted(
            "G001",
            Draft(
                "{}",
                (DraftedTest("C1", "it", 1, Standing.WEAK, "notices-nothing", "r", held_out=True),),
                1,
                2,
                4,
                3,
                ("q",),
                ("s",),
                ("n",),
                "human",
            ),
        ),
    ),
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
