"""Why a client stopped."""

from datetime import UTC, datetime

from goalkeeper.clients.limits import (
    Complaint,
    find_ending,
    find_last_complaint,
    read_complaint,
    understand_complaint,
)
from goalkeeper.core.drive.phases import Ending
from tests.tables import for_each

NOW = datetime(2026, 11, 15, 11, 5, 43, tzinfo=UTC)


@for_each(
    ("message", "ending"),
    [
        ("You've hit your 5-hour limit · resets 2:05pm (UTC)", Ending.RATE_LIMITED),
        ("You’ve hit your usage limit. Try again at 6:18 AM.", Ending.RATE_LIMITED),
        ("You've hit your team's shared budget.", Ending.RATE_LIMITED),
        ("Claude AI usage limit reached|1794751200", Ending.RATE_LIMITED),
        ("exceeded retry limit, last status: 429 Too Many Requests", Ending.RATE_LIMITED),
        ("You have exhausted your daily quota on this model.", Ending.RATE_LIMITED),
        ("Rate limit exceeded, slow down.", Ending.RATE_LIMITED),
        ("Rate-limited by the provider.", Ending.RATE_LIMITED),
        ("Too many requests, slow down.", Ending.RATE_LIMITED),
        ("You have reached your weekly limit.", Ending.RATE_LIMITED),
        ("The usage limit of this account is used up.", Ending.RATE_LIMITED),
        ("Weekly limit reached ∙ resets 2am", Ending.RATE_LIMITED),
        ("Quota exceeded for requests of this model.", Ending.RATE_LIMITED),
        ("You've hit your monthly spend limit.", Ending.AUTH),
        ("You're out of usage credits. See Usage in Settings", Ending.AUTH),
        ("Credit balance is too low", Ending.AUTH),
        ("Quota exceeded. Check your plan and billing details.", Ending.AUTH),
        ("Not logged in · Please run /login", Ending.AUTH),
        ("Login expired · Please run /login", Ending.AUTH),
        ("unexpected status 401 Unauthorized: Incorrect API key provided", Ending.AUTH),
        ("unexpected status 403 Forbidden", Ending.AUTH),
        ("Invalid auth method selected.", Ending.AUTH),
        ("API key not valid. Please pass a valid API key.", Ending.AUTH),
        ("unexpected status 503 Service Unavailable", Ending.OUTAGE),
        ("API Error: 529 Overloaded.", Ending.OUTAGE),
        ("We’re currently experiencing high demand", Ending.OUTAGE),
        ("stream disconnected before completion", Ending.OUTAGE),
        ("TypeError: fetch failed (ECONNREFUSED)", Ending.OUTAGE),
        ("API Error: Connection error.", Ending.OUTAGE),
        ("Prompt is too long", Ending.CONTEXT),
        ("Codex ran out of room in the model's context window.", Ending.CONTEXT),
        ("The input token count (12) exceeds the maximum number of tokens", Ending.CONTEXT),
        ("Reached max session turns for this session.", Ending.MOST_TURNS),
        ("--dangerously-skip-permissions cannot be used with root/sudo", Ending.NOT_STARTED),
        ("No conversation found with session ID: x", None),
        ("disk quota exceeded", None),
        ("", None),
    ],
)
def test_a_message_tells_why(message: str, ending: Ending | None) -> None:
    assert find_ending(Complaint(message)) is ending


def test_the_clients_own_word_counts_more_than_the_status_and_that_more_than_the_message() -> None:
    assert find_ending(Complaint("overloaded", "prompt_too_long", 429)) is Ending.CONTEXT
    assert find_ending(Complaint("overloaded", "", 429)) is Ending.RATE_LIMITED
    assert find_ending(Complaint("rate limit", "a word that we do not know", 400)) is (
        Ending.RATE_LIMITED
    )


@for_each(
    "kind",
    [
        "rate_limit",
        "rate_limit_error",
        "rate_limit_exceeded",
        "usage_limit_reached",
        "RESOURCE_EXHAUSTED",
    ],
)
def test_every_providers_own_word_for_a_limit_is_known(kind: str) -> None:
    assert find_ending(Complaint("try again", kind)) is Ending.RATE_LIMITED


@for_each("status", [500, 502, 503, 504, 529])
def test_every_server_error_is_an_outage(status: int) -> None:
    assert find_ending(Complaint("", status=status)) is Ending.OUTAGE


def test_no_money_until_a_known_moment_is_a_limit_and_not_the_end() -> None:
    verdict = understand_complaint(Complaint("You're out of usage credits · resets 3pm (UTC)"), NOW)

    assert verdict.ending is Ending.RATE_LIMITED
    assert verdict.resets_at == "2026-11-15T15:01:00.000000Z"


def test_what_was_told_apart_counts_more_than_the_words() -> None:
    told = Complaint("hit your limit · resets 3pm (UTC)", resets_at="2026-11-15T14:59:00.000000Z")

    assert understand_complaint(told, NOW).resets_at == "2026-11-15T14:59:00.000000Z"


def test_only_a_limit_has_an_end() -> None:
    verdict = understand_complaint(Complaint("Overloaded, try again in 5 seconds"), NOW)

    assert verdict.ending is Ending.OUTAGE
    assert verdict.resets_at == ""


def test_what_nobody_knows_is_a_crash_that_keeps_its_words() -> None:
    verdict = understand_complaint(Complaint("the moon\nis full"), NOW)

    assert (verdict.ending, verdict.problem) == (Ending.CRASH, "the moon is full")


def test_what_the_provider_said_is_taken_out_of_the_clients_wrapping() -> None:
    wrapped = (
        '[API Error: {"error":{"code":401,"message":"Who are you?","status":"UNAUTHENTICATED"}}]'
    )

    assert read_complaint(wrapped) == Complaint("Who are you?", "UNAUTHENTICATED", 401)


def test_of_the_error_output_the_last_word_that_is_understood_counts() -> None:
    errors = b"""Warning: 256-color support not detected.
Attempt 1 failed with status 500. Retrying
Attempt 2 failed with status 429. Retrying with backoff... _ApiError: oh
    at throwErrorIfNotOK (file:///x.js:1:2) {
  status: 429
}
some last words
"""
    assert find_last_complaint(errors).message.startswith("Attempt 2 failed with status 429")


def test_error_output_that_says_nothing_we_know_gives_its_last_line() -> None:
    errors = b"one\ntwo \x1b[31mred\x1b[0m\n   at f (x.js:1)\n}\n\n"

    assert find_last_complaint(errors) == Complaint("two red")
