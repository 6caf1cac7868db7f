"""OpenAI Chat Completions: OpenCode, and whatever calls itself compatible."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.scripted_model import responses
from tests.scripted_model.answer import Answer, Event
from tests.scripted_model.request import Request, messages_of, objects, word


def read(body: Mapping[str, Any]) -> Request:
    messages = messages_of(body.get("messages"))
    functions = (tool.get("function") for tool in objects(body.get("tools")))
    return Request(
        api="chat",
        model=word(body, "model"),
        system="\n".join(m.text for m in messages if m.role in {"system", "developer"}),
        messages=messages,
        tools=tuple(word(f, "name") for f in functions if isinstance(f, Mapping)),
        stream=body.get("stream") is True,
    )


def whole(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    message |= {"reasoning_content": answer.thinking} if answer.thinking else {}
    message |= {"tool_calls": calls} if (calls := _calls(answer)) else {}
    choice = {"index": 0, "message": message, "finish_reason": _stop(answer)}
    return _completion(answer, "chat.completion", [choice]) | {"usage": _usage(answer)}


def events(answer: Answer) -> Iterator[Event]:
    yield _chunk(answer, {"role": "assistant", "content": ""})
    if answer.thinking:
        yield _chunk(answer, {"reasoning_content": answer.thinking})
    if answer.text:
        yield _chunk(answer, {"content": answer.text})
    if calls := _calls(answer):
        numbered = [{"index": index, **call} for index, call in enumerate(calls)]
        yield _chunk(answer, {"tool_calls": numbered})
    yield _chunk(answer, {}, stop=_stop(answer))
    used = {"usage": _usage(answer)}
    yield Event(_completion(answer, "chat.completion.chunk", []) | used)
    yield Event("[DONE]")


def _chunk(answer: Answer, delta: dict[str, Any], *, stop: str | None = None) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": stop}
    return Event(_completion(answer, "chat.completion.chunk", [choice]))


def _completion(answer: Answer, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": answer.id("chatcmpl"),
        "object": kind,
        "created": answer.now,
        "model": answer.model,
        "choices": choices,
    }


def _calls(answer: Answer) -> list[dict[str, Any]]:
    return [
        {
            "id": answer.id("call", number),
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.input)},
        }
        for number, call in enumerate(answer.json_calls())
    ]


def _stop(answer: Answer) -> str:
    return answer.stop or ("tool_calls" if answer.calls else "stop")


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.total_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
    }


def error(status: int, message: str) -> dict[str, Any]:
    return responses.error(status, message)  # the same house
