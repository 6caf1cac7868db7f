"""The APIs that are spoken here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from tests.scripted_model import anthropic, chat, gemini, responses
from tests.scripted_model.answer import Answer, Event
from tests.scripted_model.request import Request


class Wire(Protocol):
    """Each module of an API has these functions."""

    def read(self, body: Mapping[str, Any]) -> Request: ...

    def whole(self, answer: Answer) -> dict[str, Any]:
        """The answer at once."""

    def events(self, answer: Answer) -> Iterator[Event]:
        """The same answer as a stream."""

    def error(self, status: int, message: str) -> dict[str, Any]: ...


WIRES: Mapping[str, Wire] = {
    "anthropic": anthropic,
    "responses": responses,
    "chat": chat,
    "gemini": gemini,
}
COUNTED: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "anthropic": anthropic.counted,
    "gemini": gemini.counted,
}
_MODEL = {"id": "scripted-model", "object": "model", "type": "model", "owned_by": "goalkeeper"}
MODELS = {"object": "list", "data": [_MODEL], "models": [{"name": "models/scripted-model"}]}
