"""The real clients, from launch to record, against a scripted model."""

from __future__ import annotations

import pytest

from goalkeeper.core.drive.phases import Ending
from goalkeeper.wire.clients import AGENTS
from tests.clients import PACKAGES
from tests.contract.clients.conftest import SetUp
from tests.contract.clients.scenes import DONE, OUT, RESETS_AT, SIDE, TROUBLE, WORK, WRITTEN
from tests.scripted_model.server import Lane

pytestmark = [pytest.mark.needs("node"), pytest.mark.timeout(180)]
every_client = pytest.mark.parametrize("name", AGENTS)
# What clients print of trouble was recorded from these very versions, and is read by
# tests/unit/clients/test_transcripts.py. Gemini CLI and OpenCode take seconds of both cores to
# start.
LEAN = ("claude", "codex")
lean_clients = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in LEAN else pytest.mark.thorough) for name in AGENTS],
)

AWKWARD = (
    "--dash first\n-p x\n\"double\" 'single' `back` $HOME $(id) \\n \\ {braces} <tag> & ; |\t"
    "\r\n é 漢 🐘 @out.txt !bang #hash, a NUL: \0, an escape: \x1b[31m\n"
)


def heard(lane: Lane, prompt: str) -> bool:
    """Whether the model got these very words as a message, or as a part of one."""
    return any(prompt in message.text for request in lane.requests for message in request.messages)


@lean_clients
def test_a_client_hears_its_prompt_works_in_the_worktree_and_goes_on_when_asked(
    name: str, stage_of: SetUp, lane: Lane
) -> None:
    stage = stage_of(name)
    checkout = stage.place / "checkout"
    checkout.mkdir()
    stage.environ |= {"PWD": str(checkout), "OLDPWD": str(checkout), "GIT_DIR": str(checkout)}
    prompt = AWKWARD + 4000 * "words that nobody has to look at, one line of many\n" + "the end"
    lane.script(turns=[WORK[name], DONE, {"text": "the second"}], side=SIDE)
    asked = stage.asked()
    ran = stage.run(asked, prompt.encode())
    record = ran.record

    assert (stage.worktree / OUT).read_text() == WRITTEN
    assert list(checkout.iterdir()) == []
    assert record.ending is Ending.OK, record.problem
    assert name not in {"claude", "gemini"} or record.session == asked.session
    assert record.tool_calls == 1
    assert record.said == DONE["text"]
    assert record.spend.output_tokens == 40
    assert record.spend.input_tokens > 1000
    assert (record.spend.microdollars is not None) is (name == "claude")
    assert [activity.kind for activity in ran.activities] == ["says", "uses", "says"]
    assert len(prompt) > 199_000
    assert heard(lane, prompt)

    again = stage.run(stage.asked(resume=record.session), b"the second question").record

    assert (again.session, again.said) == (record.session, "the second")
    assert any(DONE["text"] in message.text for message in lane.requests[-1].messages)
    # Codex tells what the whole thread has used; the others, what this run did.
    assert again.spend.output_tokens == (60 if name == "codex" else 20)


@pytest.mark.thorough
@every_client
def test_a_session_that_nobody_knows_is_not_replaced_by_another(
    name: str, stage_of: SetUp, lane: Lane
) -> None:
    lane.script(turns=[DONE], side=SIDE)
    stage = stage_of(name)
    unknown = "ses_0000000000000000000000000" if name == "opencode" else stage.asked().session
    record = stage.run(stage.asked(resume=unknown), b"hello").record

    assert record.ending is Ending.CRASH
    assert "session" in record.problem.lower() or "thread" in record.problem
    assert lane.requests == ()


@pytest.mark.thorough
def test_a_subscriptions_limit_is_known_with_its_end(stage_of: SetUp, lane: Lane) -> None:
    turn = TROUBLE["claude"]["usage-limit"]
    lane.script(turns=[turn], side=turn)
    stage = stage_of("claude")
    stage.subscribe()
    record = stage.run(stage.asked(), b"hello").record

    assert RESETS_AT == 1_794_751_200
    assert (record.ending, record.resets_at) == (
        Ending.RATE_LIMITED,
        "2026-11-15T14:00:00.000000Z",
    )


@pytest.mark.thorough
def test_a_budget_is_kept_by_the_client_that_can(stage_of: SetUp, lane: Lane) -> None:
    lane.script(turns=[WORK["claude"]], side=SIDE)
    stage = stage_of("claude")
    record = stage.run(stage.asked(microdollars=10), b"write out.txt").record

    assert record.ending is Ending.MOST_COST
    assert len(lane.requests) == 1


@lean_clients
def test_a_client_is_known_without_asking_anybody(name: str, stage_of: SetUp, lane: Lane) -> None:
    stage = stage_of(name)
    probe = stage.client.probe(stage.environ)

    assert (probe.client, probe.version, probe.problem) == (name, PACKAGES[name][1], "")
    assert probe.program.endswith(f"/{name}")
    assert probe.auth == {"claude": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}.get(name, "")
    assert probe.cost_known is (name == "claude")
    assert lane.requests == ()
