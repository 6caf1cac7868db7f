"""Anthropic Messages: Claude Code, and OpenCode with that provider."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.scripted_model.answer import Answer, Event
from tests.scripted_model.request import Request, messages_of, objects, text_of, word

_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_SIGNATURE = "c2NyaXB0ZWQ="


def read(body: Mapping[str, Any]) -> Request:
    return Request(
        api="anthropic",
        model=word(body, "model"),
        system=text_of(body.get("system")),
        messages=messages_of(body.get("messages")),
        tools=tuple(word(t, "name") or word(t, "type") for t in objects(body.get("tools"))),
        stream=body.get("stream") is True,
    )


def whole(answer: Answer) -> dict[str, Any]:
    return {
        "id": answer.id("msg"),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": list(_blocks(answer)),
        "stop_reason": answer.stop or ("tool_use" if answer.calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": answer.cached_tokens,
        },
    }


def _blocks(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.thinking:
        yield {"type": "thinking", "thinking": answer.thinking, "signature": _SIGNATURE}
    if answer.text:
        yield {"type": "text", "text": answer.text}
    for number, call in enumerate(answer.json_calls()):
        yield {
            "type": "tool_use",
            "id": answer.id("toolu", number),
            "name": call.tool,
            "input": call.input,
        }


def events(answer: Answer) -> Iterator[Event]:
    message = whole(answer)
    begun = {"content": [], "stop_reason": None, "usage": message["usage"] | {"output_tokens": 1}}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_start", message=message | begun)
    yield _event("ping")
    for index, block in enumerate(message["content"]):
        empty, deltas = _streamed(block)
        yield _event("content_block_start", index=index, content_block=empty)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    yield _event("message_delta", delta=ended, usage=message["usage"])
    yield _event("message_stop")


def _streamed(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The block as it begins, and what is then added to it."""
    match block["type"]:
        case "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": block["text"]}]
        case "thinking":
            return {**block, "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        case _:
            arguments = json.dumps(block["input"])
            called = {"type": "input_json_delta", "partial_json": arguments}
            return {**block, "input": {}}, [called]


def _event(name: str, **fields: object) -> Event:
    return Event({"type": name, **fields}, name)


def counted(tokens: int) -> dict[str, Any]:
    return {"input_tokens": tokens}


def error(status: int, message: str) -> dict[str, Any]:
    kind = _ERRORS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}
