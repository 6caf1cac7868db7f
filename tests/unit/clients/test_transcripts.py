"""What the real clients print is understood: each transcript is of a real run."""

import json
from datetime import UTC, datetime, timedelta

from goalkeeper.core.drive.phases import Ending, Spend
from tests.clients import PACKAGES
from tests.tables import for_each
from tests.unit.clients.transcripts import (
    DATA,
    exit_code,
    printed,
    read,
    recorded_version,
    replayed,
)

ENDINGS = {
    ("claude", "success"): Ending.OK,
    ("claude", "helper"): Ending.OK,
    ("claude", "bad-request"): Ending.CRASH,
    ("claude", "server-error"): Ending.OUTAGE,
    ("claude", "overloaded"): Ending.OUTAGE,
    ("claude", "cut"): Ending.OUTAGE,
    ("claude", "rate-limit"): Ending.RATE_LIMITED,
    ("claude", "rate-limit-told"): Ending.RATE_LIMITED,
    ("claude", "usage-limit"): Ending.RATE_LIMITED,
    ("claude", "bad-key"): Ending.AUTH,
    ("claude", "forbidden"): Ending.AUTH,
    ("claude", "no-credit"): Ending.AUTH,
    ("claude", "too-long"): Ending.CONTEXT,
    ("claude", "budget"): Ending.MOST_COST,
    ("codex", "success"): Ending.OK,
    ("codex", "bad-request"): Ending.CRASH,
    ("codex", "server-error"): Ending.OUTAGE,
    ("codex", "overloaded"): Ending.OUTAGE,
    ("codex", "cut"): Ending.OUTAGE,
    ("codex", "rate-limit"): Ending.RATE_LIMITED,
    ("codex", "rate-limit-told"): Ending.RATE_LIMITED,
    ("codex", "usage-limit"): Ending.RATE_LIMITED,
    ("codex", "bad-key"): Ending.AUTH,
    ("codex", "no-credit"): Ending.AUTH,
    ("codex", "too-long"): Ending.CONTEXT,
    ("gemini", "success"): Ending.OK,
    ("gemini", "bad-request"): Ending.CRASH,
    ("gemini", "server-error"): Ending.OUTAGE,  # it tries again until it is ended
    ("gemini", "overloaded"): Ending.OUTAGE,  # as above
    ("gemini", "cut"): Ending.OUTAGE,
    ("gemini", "rate-limit"): Ending.RATE_LIMITED,  # as above
    ("gemini", "rate-limit-told"): Ending.RATE_LIMITED,  # as above
    ("gemini", "daily-limit"): Ending.RATE_LIMITED,
    ("gemini", "unauthenticated"): Ending.AUTH,
    ("gemini", "bad-key"): Ending.AUTH,
    ("gemini", "too-long"): Ending.CONTEXT,
    ("opencode", "success"): Ending.OK,
    ("opencode", "bad-request"): Ending.CRASH,
    ("opencode", "server-error"): Ending.OUTAGE,  # as above
    ("opencode", "cut"): Ending.OUTAGE,  # as above
    ("opencode", "rate-limit"): Ending.RATE_LIMITED,  # as above
    ("opencode", "rate-limit-told"): Ending.RATE_LIMITED,
    ("opencode", "bad-key"): Ending.AUTH,
    ("opencode", "too-long"): Ending.CONTEXT,  # it shortens and repeats for ever
}


def test_every_transcript_has_an_expectation() -> None:
    recorded = {(path.parent.name, path.stem) for path in DATA.glob("*/*.jsonl")}

    assert recorded == set(ENDINGS)


def test_every_transcript_is_of_the_version_that_tests_run() -> None:
    """Else record anew: `python -m tools.clients record`."""
    wanted = {client: version for client, (_, version) in PACKAGES.items()}

    assert {client: recorded_version(client) for client in PACKAGES} == wanted


@for_each("client", PACKAGES)
def test_a_bad_key_stops_a_client_at_once(client: str) -> None:
    assert exit_code(client, "bad-key")


@for_each(("client", "scene"), ENDINGS)
def test_a_real_run_is_understood(client: str, scene: str) -> None:
    record, _ = replayed(client, scene)

    assert record.client == client
    assert record.ending is ENDINGS[client, scene], record.problem
    assert bool(record.problem) is (record.ending is not Ending.OK)


@for_each("client", ["claude", "codex", "gemini", "opencode"])
def test_quoted_words_of_trouble_are_no_trouble(client: str) -> None:
    record, activities = replayed(client, "success")

    assert "429 rate limit reached" in record.said
    assert record.ending is Ending.OK
    assert record.tool_calls == 1
    assert [activity.kind for activity in activities] == ["says", "uses", "says"]
    assert "out.txt" in activities[1].text


@for_each("client", ["claude", "codex", "gemini", "opencode"])
def test_a_session_can_be_found_again(client: str) -> None:
    record, _ = replayed(client, "success")

    assert len(record.session) >= 30


def test_claude_tells_its_model_and_what_it_cost() -> None:
    record, _ = replayed("claude", "success")

    assert record.model.startswith("claude-")
    assert record.spend.microdollars
    assert record.spend.input_tokens > 1000
    assert record.spend.output_tokens == 40


def test_claude_tells_results_twice_and_spend_is_counted_once() -> None:
    """When a helper works in the background, there is a result before it and one after."""
    record, _ = replayed("claude", "helper")

    assert record.spend.output_tokens == 100  # five requests of twenty
    assert record.tool_calls == 2
    assert record.said.startswith("done")  # and not what the helper said


def test_a_request_that_never_succeeded_cost_nothing_where_the_client_says_so() -> None:
    record, _ = replayed("claude", "bad-key")

    assert record.spend == Spend(microdollars=0)


@for_each("client", ["codex", "gemini", "opencode"])
def test_a_cost_that_nobody_tells_is_unknown(client: str) -> None:
    record, _ = replayed(client, "success")

    assert record.spend.microdollars is None
    assert record.spend.input_tokens > 1000
    assert record.spend.output_tokens == 40


def test_the_end_of_a_limit_is_taken_from_its_field() -> None:
    record, _ = replayed("claude", "usage-limit")

    assert record.resets_at == "2026-11-15T14:00:00.000000Z"


def test_a_limit_whose_end_nobody_tells_has_none() -> None:
    record, _ = replayed("gemini", "daily-limit")

    assert record.resets_at == ""


def test_the_end_of_a_limit_is_taken_from_the_words() -> None:
    """By local time, which is five and three quarter hours ahead of UTC in tests."""
    record, _ = replayed("codex", "usage-limit")

    assert "Jan 14th, 2027 2:00 PM" in DATA.joinpath("codex/usage-limit.jsonl").read_text()
    assert record.resets_at == "2027-01-14T08:16:00.000000Z"


def test_a_wait_that_the_provider_asked_for_is_taken_from_the_headers() -> None:
    record, _ = replayed("opencode", "rate-limit-told")
    last = json.loads(printed("opencode", "rate-limit-told")[-1])

    assert last["error"]["data"]["responseHeaders"]["retry-after"] == "1"
    told_at = datetime.fromtimestamp(last["timestamp"] / 1000, UTC)
    assert datetime.fromisoformat(record.resets_at) == told_at + timedelta(seconds=1)


def test_limits_without_an_end_have_none() -> None:
    record, _ = replayed("claude", "rate-limit")

    assert record.resets_at == ""


def test_nobody_takes_back_what_was_spent() -> None:
    told = [
        {"type": "result", "total_cost_usd": cost, "usage": {"input_tokens": tokens}}
        for cost, tokens in ((5.0, 1000), (0.0, 0))
    ]

    record, _ = read("claude", [json.dumps(each).encode() for each in told])

    assert record.spend == Spend(1000, microdollars=5_000_000)
