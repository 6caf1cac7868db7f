"""A session from its beginning to its end: resumed, compacted, cleared, beside others."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.holds import Held
from tests.e2e.project import contract, criterion, story

STOPPED = {"command_name": "goalkeeper:stop-continuation", "expansion_type": "slash_command"}
IS_GOOD = {"command": ["grep", "-q", "good", "answer.txt"]}
IS_LONG = {"command": ["grep", "-q", "very", "answer.txt"]}


@pytest.fixture(scope="module")
def armed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    world = Held(tmp_path_factory.mktemp("armed"))
    world.arm()
    world.arm(session="s2")
    world.keep()
    yield world
    world.settle()


@pytest.mark.parametrize(
    "told",
    [
        {"prompt": "/goalkeeper:stop-continuation"},
        {"prompt": "/goalkeeper:stop-continuation now, please"},
        {"hook_event_name": "UserPromptExpansion", "prompt": "The user has ended it.", **STOPPED},
    ],
    ids=["typed", "with words", "expanded"],
)
def test_the_way_out_frees_this_session_and_no_other(armed: Held, told: dict[str, Any]) -> None:
    """Scenario 40: code does it, not a model; and it outlasts what befalls a session."""
    said = armed.hook("claude", "UserPromptSubmit", **told)

    assert "Ultrawork is off for this session" in said.notice
    for source in ("compact", "resume"):
        assert armed.hook("claude", "SessionStart", source=source).out == ""
        assert armed.stop().block == ""
    assert armed.hold()["ended"] == "off"
    assert armed.stop(session="s2").block


def test_a_command_of_somebody_else_is_not_ours(armed: Held) -> None:
    before = armed.hold()
    for prompt in ("/other:stop-continuation", "/stop-continuation", "/help stop ultrawork"):
        assert armed.prompt(prompt).out == ""
    assert armed.hold() == before


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_what_the_model_forgot_it_is_told_again(armed: Held, source: str) -> None:
    """Scenario 41."""
    armed.stop()

    said = armed.hook("claude", "SessionStart", source=source)

    assert said.json["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    for part in ("ulw mend the answer", "V1 failed", "1 of 8 blocks used", "stop ultrawork"):
        assert part in said.context


@pytest.mark.parametrize("source", ["startup", "fork"])
def test_a_new_session_inherits_nothing(armed: Held, source: str) -> None:
    """Scenario 41."""
    assert armed.hook("claude", "SessionStart", "s3", source=source).out == ""
    assert armed.stop(session="s3").out == ""
    assert armed.stop().block


def test_a_session_that_is_cleared_is_free(armed: Held) -> None:
    """Scenario 41."""
    assert armed.hook("claude", "SessionStart", source="clear").out == ""
    assert (armed.hold()["ended"], armed.is_watched()) == ("cleared", False)
    assert armed.stop().out == ""
    assert armed.stop(session="s2").block


def test_a_session_that_ends_stays_held_unless_it_was_cleared(armed: Held) -> None:
    """It may be resumed."""
    assert armed.hook("claude", "SessionEnd", reason="other").out == ""
    assert armed.stop().block

    assert armed.hook("claude", "SessionEnd", reason="clear").out == ""
    assert armed.hold()["ended"] == "cleared"
    assert armed.stop().out == ""


@pytest.mark.parametrize("trigger", ["auto", "manual"])
def test_a_compaction_is_noted_and_never_hindered(armed: Held, trigger: str) -> None:
    """Scenario 42."""
    before = armed.hold()

    said = armed.hook("claude", "PreCompact", trigger=trigger, custom_instructions=None)

    assert said.out == ""
    assert armed.hold() == before | {"compactions": 1}


def test_two_sessions_are_counted_and_proven_each_on_its_own(armed: Held) -> None:
    armed.stop()
    assert [armed.hold(session=name)["blocks"] for name in ("s1", "s2")] == [1, 0]
    assert armed.hold()["run"] != armed.hold(session="s2")["run"]

    armed.mend()
    assert "Proven" in armed.stop().notice

    assert armed.is_watched(session="s2")
    assert "Proven" in armed.stop(session="s2").notice


def test_the_same_id_with_another_client_is_another_session(armed: Held) -> None:
    assert armed.stop("codex", "s1").out == ""
    assert armed.prompt("stop ultrawork", "codex", "s1").out == ""
    assert armed.is_watched()


@pytest.mark.thorough
def test_a_session_with_a_run_is_held_to_that_runs_contract(held: Held) -> None:
    agent = held.surroundings("claude", "s1")
    goals = (contract(criterion("C1", IS_GOOD)), contract(criterion("C2", IS_LONG)))
    run_id = held.plan("\n".join(story(f"Part {n}", each) for n, each in enumerate(goals, 1)),
                       env=agent)  # fmt: skip

    said = held.prompt("ulw see it through")
    held.settle()

    assert held.hold()["run"] == run_id
    assert "G001 C1: C1 holds" in said.context
    assert "G002 C2: C2 holds" in said.context
    assert "C1 failed" in held.stop().block

    held.mend()
    assert "C2 failed" in held.stop().block  # what is proven is recorded, and costs no block
    held.write("answer.txt", "very long\n")
    assert "G001/C1 failed" in held.stop().block

    held.write("answer.txt", "very good\n")
    words = ("--run", run_id, "--status", "complete", "--evidence", "it is good now")
    held.ok("checkpoint", "--goal-id", "G002", *words, env=agent)
    held.write("answer.txt", "very long\n")
    told = held.stop().block
    assert "It was proven, and files changed since" in told
    assert "G001/C1 failed, C1 holds" in told

    held.write("answer.txt", "very good\n")
    assert "Proven" in held.stop().notice
    assert held.hold()["ended"] == "proven"


def test_another_sessions_run_is_not_in_the_way(held: Held) -> None:
    other = held.surroundings("claude", "s9")
    run_id = held.plan(story("Part", contract(criterion("C1", IS_GOOD))), env=other)

    held.prompt("ulw mend the answer")
    held.settle()

    assert held.hold()["run"] != run_id


def test_a_human_ends_it_from_a_terminal(armed: Held) -> None:
    answer = armed.on_terminal("ulw", "off", "--client", "claude", "--session", "s1")

    assert answer.code == 0, answer
    assert armed.hold()["ended"] == "off"
    assert "was turned off" in armed.stop().notice
    assert (armed.stop().out, armed.is_watched()) == ("", False)
    assert armed.stop(session="s2").block


def test_the_honest_way_out_lets_the_agent_go(armed: Held) -> None:
    """Nothing is proven; but it was said, and is on record."""
    armed.stop()
    agent = armed.surroundings("claude", "s1")
    words = ("--goal-id", "G001", "--as", "needs-human", "--evidence", "which answer is good?")
    armed.ok("blocked", "--run", armed.hold()["run"], *words, env=agent)

    said = armed.stop(stop_hook_active=True)

    assert said.block == ""
    assert "Ultrawork ends, NOT proven" in said.notice
    assert "which answer is good?" in said.notice
    assert (armed.hold()["ended"], armed.is_watched()) == ("given up", False)
