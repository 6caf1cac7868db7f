from __future__ import annotations

import json
from typing import Any

import pytest

from tests.scripted_model import anthropic
from tests.scripted_model.answer import Answer, NotSpoken
from tests.scripted_model.request import Message, Request
from tests.scripted_model.script import FreeformCall
from tests.tables import for_each
from tests.unit.scripted_model.examples import FULL, SILENT, datas


def test_a_request_is_understood() -> None:
    body = {
        "model": "opus",
        "stream": True,
        "system": [{"type": "text", "text": "Be good."}, {"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "ls", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "a.txt"}]},
            {"role": "system", "content": "The sun shines."},
        ],
        "tools": [{"name": "ls", "input_schema": {}}, {"type": "web_search_20250305"}],
    }

    said = (("user", "hello"), ("assistant", ""), ("user", "a.txt"), ("system", "The sun shines."))
    assert anthropic.read(body) == Request(
        "anthropic", "opus", "Be good.\nBe brief.", tuple(Message(*each) for each in said),
        ("ls", "web_search_20250305"), stream=True,
    )  # fmt: skip


def test_a_whole_message() -> None:
    message = anthropic.whole(FULL)

    assert [block["type"] for block in message["content"]] == [
        "thinking", "text", "tool_use", "tool_use",
    ]  # fmt: skip
    first, second = message["content"][2:]
    assert (first["name"], first["input"]) == ("Write", {"path": "a", "n": [1, "é"]})
    assert first["id"] != second["id"]
    assert message["stop_reason"] == "tool_use"
    assert message["usage"]["input_tokens"] == 100
    assert message["usage"]["output_tokens"] == 20
    assert message["usage"]["cache_read_input_tokens"] == 7


def test_text_alone_ends_the_turn_unless_the_script_knows_better() -> None:
    said = SILENT.replace(text="done")

    assert anthropic.whole(said)["stop_reason"] == "end_turn"
    assert anthropic.whole(said.replace(stop="max_tokens"))["stop_reason"] == "max_tokens"


@for_each("answer", [SILENT, FULL, SILENT.replace(text="done")])
def test_the_stream_adds_up_to_the_whole_message(answer: Answer) -> None:
    assert assembled(datas(anthropic.events(answer))) == anthropic.whole(answer)


def assembled(events: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {}
    for event in events:
        match event["type"]:
            case "message_start":
                message = event["message"]
            case "content_block_start":
                assert event["index"] == len(message["content"])
                message["content"].append(event["content_block"])
            case "content_block_delta":
                add(message["content"][event["index"]], event["delta"])
            case "message_delta":
                message |= event["delta"] | {"usage": event["usage"]}
            case "message_stop" | "content_block_stop" | "ping":
                pass
            case other:
                pytest.fail(other)
    assert events[-1] == {"type": "message_stop"}
    return message


def add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    match delta:
        case {"type": "text_delta", "text": text}:
            block["text"] += text
        case {"type": "thinking_delta", "thinking": text}:
            block["thinking"] += text
        case {"type": "signature_delta", "signature": text}:
            block["signature"] += text
        case {"type": "input_json_delta", "partial_json": text}:
            block["input"] = json.loads(text)
        case _:
            pytest.fail(str(delta))


def test_every_event_is_named_for_its_type() -> None:
    assert all(
        event.frame.startswith(f"event: {event.name}\n".encode())
        and isinstance(event.data, dict)
        and event.data["type"] == event.name
        for event in anthropic.events(FULL)
    )


def test_a_freeform_tool_cannot_be_called() -> None:
    with pytest.raises(NotSpoken, match="apply_patch"):
        anthropic.whole(SILENT.replace(calls=(FreeformCall("apply_patch", ""),)))


def test_errors_are_named_as_the_api_names_them() -> None:
    overloaded = {"type": "overloaded_error", "message": "m"}

    assert anthropic.error(529, "m") == {"type": "error", "error": overloaded}
    assert anthropic.error(599, "m")["error"]["type"] == "api_error"
