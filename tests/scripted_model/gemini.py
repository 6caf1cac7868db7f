"""Gemini generateContent: Gemini CLI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.scripted_model.answer import Answer, Event
from tests.scripted_model.request import Request, messages_of, objects, text_of, word

_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def read(body: Mapping[str, Any]) -> Request:
    """Of a body to which the path's `model` and `stream` were added; see `routes`."""
    declared = (tool.get("functionDeclarations") for tool in objects(body.get("tools")))
    return Request(
        api="gemini",
        model=word(body, "model"),
        system=text_of(body.get("systemInstruction")),
        messages=messages_of(body.get("contents")),
        tools=tuple(word(function, "name") for some in declared for function in objects(some)),
        stream=body.get("stream") is True,
    )


def whole(answer: Answer) -> dict[str, Any]:
    content = {"role": "model", "parts": list(_parts(answer))}
    return {
        "candidates": [{"content": content, "finishReason": answer.stop or "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": answer.input_tokens,
            "candidatesTokenCount": answer.output_tokens,
            "totalTokenCount": answer.total_tokens,
            "cachedContentTokenCount": answer.cached_tokens,
        },
        "modelVersion": answer.model,
        "responseId": answer.id("response"),
    }


def _parts(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.thinking:
        yield {"text": answer.thinking, "thought": True}
    if answer.text:
        yield {"text": answer.text}
    for number, call in enumerate(answer.json_calls()):
        called = {"id": answer.id("call", number), "name": call.tool, "args": call.input}
        yield {"functionCall": called}


def events(answer: Answer) -> Iterator[Event]:
    yield Event(whole(answer))


def counted(tokens: int) -> dict[str, Any]:
    return {"totalTokens": tokens}


def error(status: int, message: str) -> dict[str, Any]:
    kind = _ERRORS.get(status, "INTERNAL")
    return {"error": {"code": status, "message": message, "status": kind}}
