"""Plans in few words: each test says only what it is about."""

from typing import Any

from goalkeeper.core.campaign.plan import MasterPlan, PlannedCommand, PlannedSession, PlannedStep


def command(text: str, expected: str = "", line: int = 0) -> PlannedCommand:
    return PlannedCommand(text, expected, line)


def step(number: int = 1, **fields: Any) -> PlannedStep:  # noqa: ANN401  fields, by name
    return PlannedStep(number, f"Do {number}").replace(**fields)


def session(*steps: PlannedStep, **fields: Any) -> PlannedSession:  # noqa: ANN401  as above
    return PlannedSession("S01", "Api", steps).replace(**fields)


def plan(*sessions: PlannedSession, **fields: Any) -> MasterPlan:  # noqa: ANN401  as above
    return MasterPlan("", "Plan", "1.7", sessions=sessions).replace(**fields)
