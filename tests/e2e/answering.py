"""Answers to what no command settles, and a goal that asks."""

import json
from collections.abc import Mapping
from typing import Any

from tests.e2e.project import Project, contract, criterion
from tests.e2e.world import Answer, Env, Word

QUESTION = {"question": "does the report cover every region?"}
ASKS = criterion("C1", QUESTION)
REPORT = {"report.md": "north 3\nsouth 4\n"}
DIMENSIONS = ("presence", "correctness", "integration", "breakage")


def item(number: int, **more: str) -> dict[str, str]:
    told = {
        "question": f"does the report have property {number}?",
        "result": "pass",
        "coverage": "covered",
        "dimension": DIMENSIONS[number % 4],
    }
    return {**told, **more}


def answers(**more: object) -> dict[str, Any]:
    """Answers about REPORT in which nothing is wrong; None leaves a part out."""
    whole: dict[str, Any] = {
        "q1": {
            "artifact": "report.md",
            "claim": "The report is complete because report.md lists both regions.",
        },
        "q1_5": {"items": [item(number) for number in range(5)]},
        "q2": {
            "failure_mode": "The report could list a region without any number.",
            "check": {"command": ["grep", "-q", "north 3", "report.md"]},
            "finding": "The numbers are there because `grep north report.md` exited 0.",
        },
        "q3": {
            "scope": "integration",
            "claim": "The scope is the whole report because report.md is what readers open.",
        },
    }
    whole |= more
    return {name: said for name, said in whole.items() if said is not None}


def verify(
    project: Project,
    given: Mapping[str, Any] | None = None,
    *more: Word,
    goal: str = "G001",
    env: Env | None = None,
) -> Answer:
    """`verify`, with the answers on standard input."""
    words: tuple[Word, ...] = ("verify", "--goal-id", goal, *more, "--json")
    if given is None:
        return project.run(*words, env=env)
    return project.run(*words, "--answers", "-", input=json.dumps(given).encode(), env=env)


def states(answer: Answer) -> dict[str, str]:
    return {each["step"]: each["state"] for each in answer.json["steps"]}


def codes(answer: Answer) -> dict[str, str]:
    """What is wrong, by where."""
    return {each["path"]: each["code"] for each in answer.json["diagnostics"]}


def asking(project: Project, *criteria: Mapping[str, Any], **more: object) -> Project:
    """A goal that asks, at work, and what the work brought."""
    project.begin(contract(*(criteria or (ASKS,)), **more))
    project.write(REPORT)
    return project


class Timed(Project):
    """A repository whose command believes that it is `now`."""

    now = "2026-03-01T12:00:00.000000Z"

    def clock(self) -> str:
        return self.now
