"""What clients of the scripted model may rely on, whichever API they speak."""

from __future__ import annotations

import http.client
import time

import pytest

from tests.contract.scripted_model.callers import (
    ANTHROPIC,
    CALLERS,
    CHAT,
    GEMINI,
    RESPONSES,
    Caller,
    fetch,
)
from tests.scripted_model.request import Message
from tests.scripted_model.server import Lane

each_api = pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.api)
# What a client would take for the end of a stream.
ENDINGS = (b'"end_turn"', b"response.completed", b'"stop"}', b'"STOP"')
both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@each_api
@both_ways
def test_a_turn_says_text_and_calls_tools(lane: Lane, caller: Caller, stream: bool) -> None:
    lane.script(turns=[{"text": "Both:", "tools": [{"tool": "ls"}, {"tool": "cat"}]}])

    assert caller.heard(lane.url, stream=stream) == ["Both:", "ls", "cat"]


@each_api
@both_ways
def test_turns_come_in_order_and_the_last_repeats(lane: Lane, caller: Caller, stream: bool) -> None:
    lane.script(turns=[{"text": "one"}, {"text": "two"}])

    heard = [caller.heard(lane.url, stream=stream) for _ in range(3)]

    assert heard == [["one"], ["two"], ["two"]]


@each_api
@both_ways
def test_what_was_asked_is_remembered(lane: Lane, caller: Caller, stream: bool) -> None:
    caller.heard(lane.url, "good morning", stream=stream)

    (request,) = lane.requests
    assert request.api == caller.api
    assert request.model == "m1"
    assert request.system == "Be."
    assert request.messages[-1] == Message("user", "good morning")
    assert request.last == "good morning"
    assert request.tools == ("ls",)
    assert request.stream is stream


@each_api
def test_a_request_without_tools_is_answered_aside(lane: Lane, caller: Caller) -> None:
    lane.script(turns=[{"text": "one"}], side={"text": "a title"})

    aside = caller.ask(lane.url, tools=())

    assert caller.whole(aside.json) == ["a title"]
    assert caller.heard(lane.url) == ["one"]


@each_api
def test_a_rule_answers_first(lane: Lane, caller: Caller) -> None:
    rule = {"when": {"api": caller.api, "last": "sub"}, "turns": [{"text": "r"}], "times": 1}
    lane.script(turns=[{"text": "one"}], rules=[rule])

    heard = [caller.heard(lane.url, said) for said in ("hello", "a subtask", "a subtask")]

    assert heard == [["one"], ["r"], ["one"]]


@each_api
@both_ways
def test_an_error_is_sent_as_scripted(lane: Lane, caller: Caller, stream: bool) -> None:
    lane.script(turns=[{"status": 429, "headers": {"Retry-After": "7"}, "body": {"a": [1]}}])

    got = caller.ask(lane.url, stream=stream)

    assert got.status == 429
    assert got.headers["retry-after"] == "7"
    assert got.headers["content-type"] == "application/json"
    assert got.json == {"a": [1]}


def test_the_body_of_an_error_may_be_any_text(lane: Lane) -> None:
    headers = {"Content-Type": "text/html"}
    lane.script(turns=[{"status": 502, "headers": headers, "body": "<h1>Bad Gateway</h1>"}])

    got = ANTHROPIC.ask(lane.url)

    assert (got.status, got.text) == (502, "<h1>Bad Gateway</h1>")
    assert got.headers["content-type"] == "text/html"


@pytest.mark.parametrize(
    ("caller", "status", "kind"),
    [
        (ANTHROPIC, 529, "overloaded_error"),
        (RESPONSES, 500, "server_error"),
        (CHAT, 404, "invalid_request_error"),
        (GEMINI, 429, "RESOURCE_EXHAUSTED"),
    ],
    ids=["anthropic", "responses", "chat", "gemini"],
)
def test_an_error_without_a_body_says_what_the_api_would_say(
    lane: Lane, caller: Caller, status: int, kind: str
) -> None:
    lane.script(turns=[{"status": status}])

    got = caller.ask(lane.url)

    assert got.status == status
    assert kind in {got.json["error"].get("type"), got.json["error"].get("status")}


@each_api
@both_ways
@pytest.mark.parametrize("said", [{}, {"text": "a sentence"}], ids=["silent", "talking"])
def test_a_cut_connection_ends_in_the_middle(
    lane: Lane, caller: Caller, stream: bool, said: dict[str, str]
) -> None:
    lane.script(turns=[{**said, "cut": True}, {"text": "whole again"}])

    with pytest.raises(http.client.IncompleteRead) as caught:
        caller.ask(lane.url, stream=stream)

    begun, _, _ = caught.value.partial.rpartition(b"\n\n")
    assert caught.value.partial
    assert not any(ending in begun for ending in ENDINGS)
    assert caller.heard(lane.url, stream=stream) == ["whole again"]


def test_a_delayed_answer_comes_later(lane: Lane) -> None:
    lane.script(turns=[{"text": "at last", "delay": 0.2}])
    before = time.monotonic()

    assert CHAT.heard(lane.url) == ["at last"]
    assert time.monotonic() - before >= 0.2


def test_a_client_that_will_not_wait_was_heard_all_the_same(lane: Lane) -> None:
    lane.script(turns=[{"status": 500, "delay": 3600}, {"text": "done"}])

    with pytest.raises(TimeoutError):
        CHAT.ask(lane.url, "are you there?", seconds=0.2)

    assert [request.last for request in lane.requests] == ["are you there?"]
    assert CHAT.heard(lane.url) == ["done"]


def test_usage_is_told_as_scripted(lane: Lane) -> None:
    lane.script(turns=[{"text": "x", "usage": {"input": 170000, "output": 3, "cache_read": 9}}])

    assert ANTHROPIC.ask(lane.url).json["usage"]["input_tokens"] == 170000
    assert RESPONSES.ask(lane.url).json["usage"]["total_tokens"] == 170003
    assert CHAT.ask(lane.url).json["usage"]["completion_tokens"] == 3
    assert GEMINI.ask(lane.url).json["usageMetadata"]["cachedContentTokenCount"] == 9


def test_a_call_knows_where_the_client_works(lane: Lane) -> None:
    lane.script(turns=[{"tool": "write", "input": {"path": "{{cwd}}/a.txt"}}])

    message = ANTHROPIC.ask(lane.url, "Working directory: /srv/repo\nGo on.").json

    assert message["content"][0]["input"] == {"path": "/srv/repo/a.txt"}


def test_a_freeform_tool_is_called_with_text(lane: Lane) -> None:
    lane.script(turns=[{"custom_tool": "apply_patch", "raw": "*** Begin Patch"}])

    (call,) = RESPONSES.ask(lane.url).json["output"]

    assert (call["type"], call["input"]) == ("custom_tool_call", "*** Begin Patch")


@pytest.mark.parametrize("caller", [ANTHROPIC, CHAT, GEMINI], ids=lambda caller: caller.api)
@both_ways
def test_what_an_api_cannot_say_is_an_error_that_is_logged(
    lane: Lane, caller: Caller, stream: bool
) -> None:
    lane.script(turns=[{"custom_tool": "apply_patch", "raw": ""}])

    got = caller.ask(lane.url, stream=stream)

    assert got.status == 400
    assert "only the Responses API" in got.json["error"]["message"]
    assert "cannot be said" in fetch(f"{lane.url}/__log").json[-1]["why"]


def test_no_two_answers_share_an_id(lane: Lane) -> None:
    lane.script(turns=[{"tools": [{"tool": "ls"}, {"tool": "ls"}]}])

    calls = [block["id"] for _ in range(5) for block in ANTHROPIC.ask(lane.url).json["content"]]

    assert len(set(calls)) == 10
