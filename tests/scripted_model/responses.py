"""OpenAI Responses: Codex."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.scripted_model.answer import Answer, Event
from tests.scripted_model.request import Message, Request, messages_of, objects, word
from tests.scripted_model.script import Call, FreeformCall

Item = dict[str, Any]


def read(body: Mapping[str, Any]) -> Request:
    said = body.get("input")
    return Request(
        api="responses",
        model=word(body, "model"),
        system=word(body, "instructions"),
        messages=(Message("user", said),) if isinstance(said, str) else messages_of(said),
        tools=tuple(_tools(body.get("tools"))),
        stream=body.get("stream") is True,
    )


def _tools(tools: object) -> Iterator[str]:
    for tool in objects(tools):
        yield word(tool, "name") or word(tool, "type")
        yield from _tools(tool.get("tools"))  # those of a namespace


def whole(answer: Answer) -> dict[str, Any]:
    return _response(answer, _items(answer), _ended(answer)) | {
        "usage": {
            "input_tokens": answer.input_tokens,
            "input_tokens_details": {"cached_tokens": answer.cached_tokens},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.total_tokens,
        }
    }


def _ended(answer: Answer) -> str:
    return "incomplete" if answer.stop else "completed"


def _response(answer: Answer, items: list[Item], status: str) -> dict[str, Any]:
    return {
        "id": answer.id("resp"),
        "object": "response",
        "created_at": answer.now,
        "status": status,
        "model": answer.model,
        "output": items,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": {"reason": answer.stop} if status == "incomplete" else None,
        "instructions": None,
        "metadata": {},
        "usage": None,
    }


def _items(answer: Answer) -> list[Item]:
    items: list[Item] = []
    if answer.thinking:
        summary = [{"type": "summary_text", "text": answer.thinking}]
        items.append({"type": "reasoning", "id": answer.id("rs"), "summary": summary})
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        said = {"type": "message", "id": answer.id("msg"), "role": "assistant"}
        items.append(said | {"status": "completed", "content": content})
    called = enumerate(answer.calls)
    return items + [_called(call, number, answer) for number, call in called]


def _called(call: Call | FreeformCall, number: int, answer: Answer) -> Item:
    same = {"call_id": answer.id("call", number), "name": call.tool, "status": "completed"}
    if isinstance(call, FreeformCall):
        own = {"type": "custom_tool_call", "id": answer.id("ctc", number), "input": call.raw}
        return own | same
    namespace = {"namespace": call.namespace} if call.namespace else {}
    arguments = json.dumps(call.input)
    own = {"type": "function_call", "id": answer.id("fc", number), "arguments": arguments}
    return own | same | namespace


def events(answer: Answer) -> Iterator[Event]:
    for number, (name, fields) in enumerate(_steps(answer)):
        yield Event({"type": name, "sequence_number": number, **fields}, name)


Step = tuple[str, dict[str, Any]]


def _steps(answer: Answer) -> Iterator[Step]:
    response = whole(answer)
    begun = _response(answer, [], "in_progress")
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    for index, item in enumerate(response["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        empty, steps = _STREAMED[item["type"]](item)
        yield "response.output_item.added", {"output_index": index, "item": item | empty}
        for name, fields in steps:
            yield f"response.{name}", place | fields
        yield "response.output_item.done", {"output_index": index, "item": item}
    yield f"response.{_ended(answer)}", {"response": response}


# Each item as it begins, and the steps in which it is filled.


def _message(item: Item) -> tuple[Item, list[Step]]:
    part = item["content"][0]
    place = {"content_index": 0}
    return {"content": [], "status": "in_progress"}, [
        ("content_part.added", place | {"part": part | {"text": ""}}),
        ("output_text.delta", place | {"delta": part["text"], "logprobs": []}),
        ("output_text.done", place | {"text": part["text"], "logprobs": []}),
        ("content_part.done", place | {"part": part}),
    ]


def _reasoning(item: Item) -> tuple[Item, list[Step]]:
    part = item["summary"][0]
    place = {"summary_index": 0}
    return {"summary": []}, [
        ("reasoning_summary_part.added", place | {"part": part | {"text": ""}}),
        ("reasoning_summary_text.delta", place | {"delta": part["text"]}),
        ("reasoning_summary_text.done", place | {"text": part["text"]}),
        ("reasoning_summary_part.done", place | {"part": part}),
    ]


def _function(item: Item) -> tuple[Item, list[Step]]:
    arguments = item["arguments"]
    done = {"name": item["name"], "arguments": arguments}
    return {"arguments": "", "status": "in_progress"}, [
        ("function_call_arguments.delta", {"delta": arguments}),
        ("function_call_arguments.done", done),
    ]


def _custom(item: Item) -> tuple[Item, list[Step]]:
    return {"input": "", "status": "in_progress"}, [
        ("custom_tool_call_input.delta", {"delta": item["input"]}),
        ("custom_tool_call_input.done", {"input": item["input"]}),
    ]


_STREAMED = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _function,
    "custom_tool_call": _custom,
}


def error(status: int, message: str) -> dict[str, Any]:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}
