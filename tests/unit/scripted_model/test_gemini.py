from __future__ import annotations

import pytest

from tests.scripted_model import gemini
from tests.scripted_model.answer import NotSpoken
from tests.scripted_model.request import Message, Request
from tests.scripted_model.script import FreeformCall
from tests.unit.scripted_model.examples import FULL, SILENT, datas


def test_a_request_is_understood() -> None:
    body = {
        "model": "pro",
        "stream": True,
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "hello"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "ls"}}]},
        ],
        "tools": [
            {"functionDeclarations": [{"name": "ls"}, {"name": "cat"}]},
            {"googleSearch": {}},
        ],
    }

    said = (Message("user", "hello"), Message("model", ""))
    assert gemini.read(body) == Request(
        "gemini", "pro", "Be brief.", said, ("ls", "cat"), stream=True
    )


def test_the_answer_of_a_tool_is_part_of_what_was_said() -> None:
    answered = {"functionResponse": {"name": "ls", "response": {"output": "a.txt"}}}

    assert "a.txt" in gemini.read({"contents": [{"role": "user", "parts": [answered]}]}).last


def test_a_whole_response() -> None:
    response = gemini.whole(FULL)

    (candidate,) = response["candidates"]
    thought, text, write, read = candidate["content"]["parts"]
    assert thought == {"text": "What if?", "thought": True}
    assert text == {"text": "Writing."}
    assert write["functionCall"]["name"] == "Write"
    assert write["functionCall"]["args"] == {"path": "a", "n": [1, "é"]}
    assert write["functionCall"]["id"] != read["functionCall"]["id"]
    assert candidate["finishReason"] == "STOP"
    assert response["usageMetadata"] == {
        "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120,
        "cachedContentTokenCount": 7,
    }  # fmt: skip


def test_the_stream_is_the_whole_response_in_one_event() -> None:
    assert datas(gemini.events(FULL)) == [gemini.whole(FULL)]


def test_the_script_may_know_another_reason_to_stop() -> None:
    stopped = gemini.whole(SILENT.replace(stop="MAX_TOKENS"))

    assert stopped["candidates"][0]["finishReason"] == "MAX_TOKENS"


def test_a_freeform_tool_cannot_be_called() -> None:
    with pytest.raises(NotSpoken, match="apply_patch"):
        gemini.whole(SILENT.replace(calls=(FreeformCall("apply_patch", ""),)))


def test_errors_are_named_as_the_api_names_them() -> None:
    exhausted = {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED"}

    assert gemini.error(429, "m") == {"error": exhausted}
    assert gemini.error(500, "m")["error"]["status"] == "INTERNAL"
