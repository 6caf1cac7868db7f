from __future__ import annotations

import json
from typing import Any

from tests.scripted_model import responses
from tests.scripted_model.answer import Answer
from tests.scripted_model.request import Message, Request
from tests.scripted_model.script import Call, FreeformCall
from tests.tables import for_each
from tests.unit.scripted_model.examples import FULL, SILENT, datas

PATCHING = SILENT.replace(calls=(FreeformCall("apply_patch", "*** Begin Patch\n"),))
STOPPED = SILENT.replace(text="half a", stop="max_output_tokens")


def test_a_request_is_understood() -> None:
    body = {
        "model": "gpt",
        "stream": True,
        "instructions": "Be brief.",
        "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "rules"}]},
            {"type": "message", "role": "user", "content": [{"text": "hello"}]},
            {"type": "function_call", "name": "ls", "arguments": "{}"},
            {"type": "function_call_output", "output": "a.txt"},
        ],
        "tools": [
            {"type": "function", "name": "exec_command"},
            {"type": "custom", "name": "apply_patch"},
            {"type": "web_search"},
            {"type": "namespace", "name": "mcp__echo", "tools": [{"name": "up"}]},
        ],
    }

    said = (
        ("developer", "rules"), ("user", "hello"), ("function_call", ""),
        ("function_call_output", "a.txt"),
    )  # fmt: skip
    assert responses.read(body) == Request(
        "responses", "gpt", "Be brief.", tuple(Message(*each) for each in said),
        ("exec_command", "apply_patch", "web_search", "mcp__echo", "up"), stream=True,
    )  # fmt: skip


def test_input_may_be_text_alone() -> None:
    assert responses.read({"input": "hello"}).messages == (Message("user", "hello"),)


def test_a_whole_response() -> None:
    response = responses.whole(FULL)

    reasoning, message, write, read = response["output"]
    assert reasoning["summary"] == [{"type": "summary_text", "text": "What if?"}]
    assert message["content"][0]["text"] == "Writing."
    assert write["name"] == "Write"
    assert json.loads(write["arguments"]) == {"path": "a", "n": [1, "é"]}
    assert write["call_id"] != read["call_id"]
    assert response["status"] == "completed"
    assert response["usage"]["input_tokens"] == 100
    assert response["usage"]["input_tokens_details"] == {"cached_tokens": 7}
    assert response["usage"]["total_tokens"] == 120


def test_a_namespace_is_told_where_there_is_one() -> None:
    calls = (Call("up", {}, "mcp__echo"), Call("ls"))

    with_one, without = responses.whole(SILENT.replace(calls=calls))["output"]

    assert with_one["namespace"] == "mcp__echo"
    assert "namespace" not in without


def test_a_freeform_tool_is_given_text() -> None:
    (call,) = responses.whole(PATCHING)["output"]

    assert call["type"] == "custom_tool_call"
    assert (call["name"], call["input"]) == ("apply_patch", "*** Begin Patch\n")


def test_a_stop_that_is_scripted_leaves_the_response_incomplete() -> None:
    response = responses.whole(STOPPED)

    assert response["status"] == "incomplete"
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}


@for_each("answer", [SILENT, FULL, PATCHING, STOPPED])
def test_the_stream_adds_up_to_the_whole_response(answer: Answer) -> None:
    events = datas(responses.events(answer))
    whole = responses.whole(answer)

    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[0]["response"]["output"] == []
    assert events[-1]["type"] == f"response.{whole['status']}"
    assert events[-1]["response"] == whole
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == whole["output"]
    assert [assembled(events, item["id"]) for item in done] == [said(item) for item in done]


def assembled(events: list[dict[str, Any]], item_id: str) -> str:
    return "".join(event.get("delta", "") for event in events if event.get("item_id") == item_id)


def said(item: dict[str, Any]) -> str:
    match item["type"]:
        case "message":
            text = item["content"][0]["text"]
        case "reasoning":
            text = item["summary"][0]["text"]
        case "function_call":
            text = item["arguments"]
        case _:
            text = item["input"]
    return str(text)


def test_errors_tell_ours_from_theirs() -> None:
    assert responses.error(500, "m")["error"]["type"] == "server_error"
    assert responses.error(400, "m")["error"]["type"] == "invalid_request_error"
