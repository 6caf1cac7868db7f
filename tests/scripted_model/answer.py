"""A reply made ready for one request: nothing is left to look up when it is encoded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from goalkeeper.wire.value import Value
from tests.scripted_model.request import Request
from tests.scripted_model.script import Call, FreeformCall, Reply

_DIRECTORY = "{{cwd}}"


class NotSpoken(ValueError):
    """The script asks for something that the client's API cannot say."""


class Answer(Value):
    key: str  # makes its ids unlike those of other answers
    now: int  # seconds since the epoch
    model: str
    text: str
    thinking: str
    calls: tuple[Call | FreeformCall, ...]
    stop: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def id(self, prefix: str, number: int = 0) -> str:
        return f"{prefix}_{self.key}{number:02d}"

    def json_calls(self) -> list[Call]:
        """The calls, for the APIs that know of no others."""
        for call in self.calls:
            if isinstance(call, FreeformCall):
                raise NotSpoken(f"custom_tool {call.tool}: only the Responses API has such tools")
        return [call for call in self.calls if isinstance(call, Call)]


class Event(Value):
    """A server-sent event."""

    data: Mapping[str, Any] | str
    name: str = ""

    @property
    def frame(self) -> bytes:
        data = self.data if isinstance(self.data, str) else json.dumps(self.data)
        named = f"event: {self.name}\n" if self.name else ""
        return f"{named}data: {data}\n\n".encode()


def answer_to(request: Request, reply: Reply, *, key: str, now: int) -> Answer:
    usage = reply.usage
    return Answer(
        key=key,
        now=now,
        model=reply.model or request.model,
        text=reply.text,
        thinking=reply.thinking,
        calls=tuple(_placed(reply.calls, request.directory or ".")),
        stop=reply.stop,
        input_tokens=request.tokens if usage.input is None else usage.input,
        output_tokens=usage.output,
        cached_tokens=usage.cache_read,
    )


def _placed(calls: Iterable[Call | FreeformCall], directory: str) -> Iterable[Call | FreeformCall]:
    for call in calls:
        match call:
            case Call():
                yield call.replace(input=_filled(call.input, directory))
            case FreeformCall():
                yield call.replace(raw=_filled(call.raw, directory))


def _filled(value: Any, directory: str) -> Any:  # noqa: ANN401  any JSON
    match value:
        case str():
            return value.replace(_DIRECTORY, directory)
        case list() | tuple():
            return [_filled(item, directory) for item in value]
        case Mapping():
            return {name: _filled(item, directory) for name, item in value.items()}
        case _:
            return value
