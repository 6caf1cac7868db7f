from __future__ import annotations

import json

import pytest

from tests.scripted_model import chat
from tests.scripted_model.answer import Answer, Event, NotSpoken
from tests.scripted_model.request import Message, Request
from tests.scripted_model.script import FreeformCall
from tests.tables import for_each
from tests.unit.scripted_model.examples import FULL, SILENT, datas


def test_a_request_is_understood() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "hello"}]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
            {"role": "tool", "content": "a.txt"},
        ],
        "tools": [{"type": "function", "function": {"name": "ls"}}, {"type": "odd"}],
    }

    said = (("system", "Be brief."), ("user", "hello"), ("assistant", ""), ("tool", "a.txt"))
    assert chat.read(body) == Request(
        "chat", "m", "Be brief.", tuple(Message(*each) for each in said), ("ls",), stream=False
    )


def test_a_whole_completion() -> None:
    completion = chat.whole(FULL)

    (choice,) = completion["choices"]
    write, read = choice["message"]["tool_calls"]
    assert choice["message"]["content"] == "Writing."
    assert choice["message"]["reasoning_content"] == "What if?"
    assert choice["finish_reason"] == "tool_calls"
    assert write["function"]["name"] == "Write"
    assert json.loads(write["function"]["arguments"]) == {"path": "a", "n": [1, "é"]}
    assert write["id"] != read["id"]
    assert completion["usage"]["prompt_tokens"] == 100
    assert completion["usage"]["prompt_tokens_details"] == {"cached_tokens": 7}
    assert completion["usage"]["total_tokens"] == 120


def test_text_alone_stops_unless_the_script_knows_better() -> None:
    said = SILENT.replace(text="done")

    assert chat.whole(said)["choices"][0]["finish_reason"] == "stop"
    assert chat.whole(said.replace(stop="length"))["choices"][0]["finish_reason"] == "length"


@for_each("answer", [SILENT, FULL, SILENT.replace(text="done")])
def test_the_stream_adds_up_to_the_whole_completion(answer: Answer) -> None:
    chunks = datas(chat.events(answer))
    whole = chat.whole(answer)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    ends = [chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]]
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]

    message = whole["choices"][0]["message"]
    assert "".join(delta.get("content", "") for delta in deltas) == (message["content"] or "")
    assert [call.pop("index") for call in calls] == list(range(len(calls)))
    assert calls == message.get("tool_calls", [])
    assert [end for end in ends if end] == [whole["choices"][0]["finish_reason"]]
    assert chunks[-1]["usage"] == whole["usage"]
    assert len({chunk["id"] for chunk in chunks}) == 1


def test_the_stream_says_when_it_is_done() -> None:
    assert list(chat.events(SILENT))[-1] == Event("[DONE]")


def test_a_freeform_tool_cannot_be_called() -> None:
    with pytest.raises(NotSpoken, match="apply_patch"):
        chat.whole(SILENT.replace(calls=(FreeformCall("apply_patch", ""),)))
