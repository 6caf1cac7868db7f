"""A plan at work, and a session that is not held: what hooks do for it."""

from typing import Any

import pytest

from goalkeeper.wire.hook import QUESTION_TOOLS
from tests.e2e.holds import Held
from tests.e2e.project import contract, criterion, story

GOOD = contract(criterion("C1", {"command": ["grep", "-q", "good", "answer.txt"]}))
QUESTION: dict[str, Any] = {"tool_name": "AskUserQuestion", "tool_input": {"questions": []}}


@pytest.fixture
def planned(held: Held) -> Held:
    agent = held.surroundings("claude", "s1")
    held.plan(story("Mend the answer", GOOD), env=agent)
    held.ok("complete-goals", env=agent)
    return held


def test_its_plan_is_told_again_and_closes_questions(planned: Held) -> None:
    told = planned.hook("claude", "SessionStart", source="compact").context
    assert "At work is G001, Mend the answer" in told
    assert "next: goalkeeper complete-goals" in told
    assert planned.hook("claude", "SessionStart", source="startup").out == ""

    for tool in sorted(QUESTION_TOOLS):
        denied = planned.tool(tool, {"question": "shall I?"}).denied
        assert "questions to the user are closed" in denied, tool
    assert planned.tool("Bash", {"command": "ls"}).out == ""
    assert planned.stop().out == ""

    assert planned.hook("claude", "SessionStart", "s2", source="compact").out == ""
    assert planned.hook("claude", "PreToolUse", "s2", **QUESTION).out == ""


def test_a_plan_that_is_over_closes_nothing(planned: Held) -> None:
    agent = planned.surroundings("claude", "s1")
    planned.mend()
    words = ("--goal-id", "G001", "--status", "complete", "--evidence", "it is good now")
    planned.ok("checkpoint", *words, env=agent)

    assert planned.hook("claude", "PreToolUse", **QUESTION).out == ""
    assert planned.hook("claude", "SessionStart", source="compact").out == ""


def test_what_ultrawork_left_behind_closes_nothing(held: Held) -> None:
    """Its run is still open after it let go; but nobody works on it."""
    held.arm()
    held.rewrite(max_blocks=1)
    assert held.stop().block
    assert "Ultrawork lets go, NOT proven" in held.stop().notice

    assert held.hook("claude", "PreToolUse", **QUESTION).out == ""
    assert held.hook("claude", "SessionStart", source="resume").out == ""
