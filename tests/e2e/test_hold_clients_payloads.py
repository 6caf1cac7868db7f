"""What each client hands to its hooks, and what it is answered: in its own words, and no others."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.holds import CLIENTS, PROMPT, STOP, Held, installed
from tests.tables import for_each, sampled

# What Codex and Claude Code know in an answer; Codex turns away all of it for one more.
STOP_FIELDS = {"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason"}
# How a client says that a stop follows a block.
AGAIN: dict[str, dict[str, Any]] = {"cursor": {"loop_count": 1}} | {
    client: {"stop_hook_active": True} for client in ("claude", "codex", "gemini", "copilot")
}
COPILOT_CAMEL = {"sessionId": "s1", "timestamp": 1794761506845, "stopReason": "end_turn"}


@pytest.fixture(scope="module")
def armed_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    world = Held(tmp_path_factory.mktemp("armed"), "cooldown = 0\nmax_blocks = 2")
    for client in CLIENTS:
        world.prompt("ulw mend the answer", client)
    world.settle()
    world.keep()
    yield world
    world.settle()


def as_copilot_says_it(world: Held) -> bytes:
    """Of hooks that are configured with names like agentStop, the payload names no event."""
    return json.dumps({**COPILOT_CAMEL, "cwd": str(world.root)}).encode()


@pytest.mark.parametrize("client", sampled(CLIENTS, one_in=2))
def test_every_client_is_held_until_its_work_is_proven(armed: Held, client: str) -> None:
    said = armed.stop(client)
    assert "V1 failed" in said.block
    told = client in {"claude", "gemini", "opencode"}  # the others have no place for it there
    assert ("Not proven yet" in said.notice, armed.hold(client)["blocks"]) == (told, 1)

    armed.mend()
    said = armed.stop(client, **AGAIN.get(client, {}))

    assert said.block == ""
    assert (armed.hold(client)["ended"], armed.is_watched(client)) == ("proven", False)
    assert ("Proven on tree" in said.notice) is (client not in {"copilot", "cursor"})


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_is_let_go_by_the_same_words(armed: Held, client: str) -> None:
    armed.prompt("stop ultrawork", client)

    assert armed.hold(client)["ended"] == "off"
    said = armed.stop(client)
    assert (said.block, armed.stop(client).json) == ("", {})  # told once more, then nothing
    assert ("was turned off" in said.notice) is (client not in {"copilot", "cursor"})
    others = [other for other in CLIENTS if other != client]
    assert all(armed.is_watched(other) for other in others)


@pytest.mark.parametrize("client", CLIENTS)
def test_an_ordinary_prompt_and_a_stop_of_a_free_session_say_nothing(
    armed: Held, client: str
) -> None:
    for said in (armed.prompt("go on", client, "free"), armed.stop(client, "free")):
        assert said.json == {}
        assert said.out == "" or client in {"cursor", "gemini"}


@pytest.mark.parametrize("client", CLIENTS)
def test_an_event_that_is_not_ours_is_left_alone(armed: Held, client: str) -> None:
    """Scenarios 29 and 43: no answer, and never an exit code but 0."""
    before = armed.hold(client)
    for event in ("TaskCompleted", "SubagentStop", "NoSuchEvent"):
        said = armed.stop(client, hook_event_name=event, task_id="1", task_subject="x")
        assert said.json == {}
    assert armed.hold(client) == before


def test_the_name_in_the_payload_is_all_that_is_needed(armed: Held) -> None:
    """Scenario 29: Claude Code names the event in hook_event_name, and nowhere else."""
    payload = {"session_id": "s1", "hook_event_name": "Stop"}
    assert "V1 failed" in armed.send("claude", "Stop", json.dumps(payload).encode()).block


@pytest.mark.thorough
def test_a_session_that_the_environment_does_not_name_is_held_too(armed: Held) -> None:
    env = {"CLAUDE_CODE_SESSION_ID": "", "CLAUDECODE": "", "GEMINI_SESSION_ID": ""}
    assert armed.stop("claude", env=env).block
    assert armed.stop("gemini", env=env).block
    assert armed.stop("claude", "free", env=env).out == ""


def test_codex_is_told_what_its_strict_schema_has(armed: Held) -> None:
    """Scenario 31."""
    said = armed.stop("codex", turn_id="t1", last_assistant_message=None)
    assert set(said.json) == {"decision", "reason"}
    assert said.json["decision"] == "block"
    assert said.json["reason"].strip()

    armed.mend()
    assert set(armed.stop("codex", stop_hook_active=True).json) <= STOP_FIELDS
    assert armed.stop("codex").out == ""


def test_codex_is_told_the_contract_in_its_schema(held: Held) -> None:
    """Scenario 32: context of more than some 2,500 tokens would be cut."""
    said = held.prompt("ulw mend the answer", "codex")

    assert set(said.json) == {"systemMessage", "hookSpecificOutput"}
    specific = said.json["hookSpecificOutput"]
    assert set(specific) == {"hookEventName", "additionalContext"}
    assert specific["hookEventName"] == "UserPromptSubmit"
    assert len(specific["additionalContext"]) < 4 * 2500


@pytest.mark.thorough
def test_our_limit_ends_what_codex_would_never_end(armed: Held) -> None:
    """Scenario 33: many stops under one turn."""
    answers = [armed.stop("codex", turn_id="t1", stop_hook_active=n > 0) for n in range(50)]

    assert [bool(said.block) for said in answers] == [True] * 2 + [False] * 48
    assert "NOT proven (max_blocks)" in answers[2].notice
    assert {said.out for said in answers[3:]} == {""}


def test_gemini_is_denied_the_end(armed: Held) -> None:
    """Scenario 34: what it finds on stderr it would take for an answer; the rig looks there."""
    said = armed.stop("gemini")
    assert set(said.json) == {"decision", "reason", "systemMessage"}
    assert said.json["decision"] == "deny"

    assert armed.stop("gemini", permission_mode="plan").out == "{}\n"


def test_gemini_is_told_the_contract_in_json(held: Held) -> None:
    """Scenario 35."""
    said = held.prompt("ulw mend the answer", "gemini")

    specific = said.json["hookSpecificOutput"]
    assert specific["hookEventName"] == "BeforeAgent"
    assert "sh check.sh" in specific["additionalContext"]


def test_gemini_hands_our_reason_back_as_a_prompt(armed: Held) -> None:
    """Scenario 8."""
    reason = armed.stop("gemini").block
    before = armed.hold("gemini")

    assert armed.prompt(reason, "gemini").out == "{}\n"

    assert armed.hold("gemini") == before


def test_copilot_is_held_under_both_names_of_its_events(armed: Held) -> None:
    """Scenario 36."""
    said = armed.stop("copilot")
    assert set(said.json) == {"decision", "reason"}
    assert said.json["decision"] == "block"
    assert said.out.count("\n") == 1

    armed.restore()
    camel = armed.send("copilot", "Stop", as_copilot_says_it(armed))

    assert camel.json == said.json
    assert armed.hold("copilot")["blocks"] == 1


def test_cursor_is_sent_a_message(armed: Held) -> None:
    """Scenario 37."""
    said = armed.stop("cursor")
    assert set(said.json) == {"followup_message"}
    assert "V1 failed" in said.json["followup_message"]


@pytest.mark.parametrize("told", [{"status": "aborted"}, {"status": "error"}, {"loop_count": 2}])
def test_cursor_is_let_go(armed: Held, told: dict[str, Any]) -> None:
    """Scenario 37."""
    assert armed.stop("cursor", **told).out == "{}\n"
    assert armed.hold("cursor")["blocks"] == 0


def test_cursor_begins_with_a_byte_order_mark(armed: Held) -> None:
    """Scenario 28."""
    payload = json.dumps(armed.payload("cursor", "stop", "s1")).encode()
    assert armed.send("cursor", "stop", b"\xef\xbb\xbf" + payload).block


def test_a_stop_that_copilot_delivers_twice_counts_once(armed: Held) -> None:
    """Scenario 38: Copilot runs what is installed for Claude Code as well, with its own payload."""
    armed.rest()
    first = armed.stop("copilot")
    second = armed.stop("copilot", line=installed()["claude", "Stop"])

    assert first.block
    assert second.json == first.json
    assert armed.hold("copilot")["blocks"] == 1
    assert armed.hold("claude")["blocks"] == 0


def test_a_stop_that_cursor_delivers_twice_is_followed_up_once(armed: Held) -> None:
    """Scenario 38: two messages might both be queued."""
    armed.rest()
    first = armed.stop("cursor", generation_id="g1")
    second = armed.stop("cursor", generation_id="g1", line=installed()["claude", "Stop"])

    assert (bool(first.block), second.out) == (True, "{}\n")
    assert armed.hold("cursor")["blocks"] == 1


def test_opencode_is_told_what_to_do_in_our_own_words(held: Held) -> None:
    """Scenario 39: the shim acts on it."""
    on = held.prompt("ulw mend the answer", "opencode")
    assert set(on.json) == {"context", "notice"}
    held.settle()

    idle = held.stop("opencode")
    assert set(idle.json) == {"block", "notice"}
    assert idle.json["block"].startswith("[goalkeeper]")

    held.hook("opencode", "session.error", error="MessageAbortedError")
    assert "MessageAbortedError" in held.hold("opencode")["paused_for"]
    assert held.hold("opencode")["blocks"] == 1

    held.mend()
    assert set(held.stop("opencode").json) == {"notice"}


def test_opencode_names_a_command_beside_its_prompt(armed: Held) -> None:
    """Its commands come as the prompt they stand for, with their name beside."""
    said = armed.prompt("stop ultrawork", "opencode", command_name="goalkeeper:stop-continuation")
    assert "off" in said.notice
    assert armed.hold("opencode")["ended"] == "off"


def test_a_client_inside_another_is_known_by_its_payload(armed: Held) -> None:
    """A Codex that was started from a shell of Claude Code inherits its variables."""
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "of-claude"}
    assert armed.stop("codex", env=env).block
    assert armed.hold("codex")["blocks"] == 1


@for_each("client", CLIENTS)
def test_every_prompt_and_stop_has_a_command_of_its_own(client: str) -> None:
    lines = installed()
    assert lines[client, PROMPT[client]] != lines[client, STOP[client]]
    assert all(line.endswith("; exit 0") for line in lines.values())
