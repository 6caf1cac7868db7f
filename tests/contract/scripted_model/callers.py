"""The smallest client of each API: how it asks, and what it makes of an answer."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.error import HTTPError

from tests.patience import patience

SECONDS = 30.0
# Loopback is never reached through a proxy, whatever the environment says.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Got(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:  # noqa: ANN401  any JSON
        return json.loads(self.text)

    @property
    def events(self) -> list[Any]:
        """The data of a stream's events, [DONE] aside."""
        lines = [line.removeprefix("data: ") for line in self.text.splitlines() if line[:1] == "d"]
        return [json.loads(line) for line in lines if line != "[DONE]"]


def fetch(
    url: str,
    body: object = None,
    *,
    method: str = "",
    headers: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Got:
    """GET, or POST when there is a body."""
    data = None if body is None else json.dumps(body).encode()
    method = method or ("GET" if data is None else "POST")
    request = urllib.request.Request(url, data, dict(headers or {}), method=method)
    try:
        with _OPENER.open(request, timeout=patience(seconds)) as answer:
            return Got(answer.status, dict(answer.headers), answer.read().decode())
    except HTTPError as error:
        with error:
            return Got(error.code, dict(error.headers), error.read().decode())


class Caller(NamedTuple):
    """A client of one API."""

    api: str
    whole: Callable[[Any], list[str]]  # the texts and tools of an answer that came at once
    streamed: Callable[[list[Any]], list[str]]

    def ask(
        self,
        url: str,
        said: str = "hello",
        *,
        stream: bool = False,
        tools: tuple[str, ...] = ("ls",),
        seconds: float = SECONDS,
    ) -> Got:
        path, body = _ASKING[self.api](said, stream, tools)
        return fetch(url + path, body, seconds=seconds)

    def heard(self, url: str, said: str = "hello", *, stream: bool = False) -> list[str]:
        got = self.ask(url, said, stream=stream)
        assert got.status == 200, got
        return self.streamed(got.events) if stream else self.whole(got.json)


Asking = tuple[str, dict[str, Any]]


def _anthropic(said: str, stream: bool, tools: tuple[str, ...]) -> Asking:
    body = {"messages": [{"role": "user", "content": said}], "tools": [{"name": t} for t in tools]}
    return "/v1/messages?beta=true", {"model": "m1", "system": "Be.", "stream": stream, **body}


def _responses(said: str, stream: bool, tools: tuple[str, ...]) -> Asking:
    items = [{"type": "message", "role": "user", "content": [{"text": said}]}]
    body = {"input": items, "tools": [{"type": "function", "name": name} for name in tools]}
    return "/v1/responses", {"model": "m1", "instructions": "Be.", "stream": stream, **body}


def _chat(said: str, stream: bool, tools: tuple[str, ...]) -> Asking:
    system = {"role": "system", "content": "Be."}
    functions = [{"type": "function", "function": {"name": name}} for name in tools]
    body = {"messages": [system, {"role": "user", "content": said}], "tools": functions}
    return "/v1/chat/completions", {"model": "m1", "stream": stream, **body}


def _gemini(said: str, stream: bool, tools: tuple[str, ...]) -> Asking:
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    declared = [{"functionDeclarations": [{"name": name} for name in tools]}]
    system = {"parts": [{"text": "Be."}]}
    body = {"contents": [{"role": "user", "parts": [{"text": said}]}], "tools": declared}
    return f"/v1beta/models/m1:{verb}", {"systemInstruction": system, **body}


_ASKING = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}


def _anthropic_whole(message: Any) -> list[str]:  # noqa: ANN401
    return [block.get("text") or block["name"] for block in message["content"]]


def _anthropic_streamed(events: list[Any]) -> list[str]:
    heard = [event["content_block"].get("name") for event in events if "content_block" in event]
    texts = [event["delta"].get("text") for event in events if "delta" in event]
    return [each for each in [*texts, *heard] if each]


def _responses_whole(response: Any) -> list[str]:  # noqa: ANN401
    return [item.get("name") or item["content"][0]["text"] for item in response["output"]]


def _responses_streamed(events: list[Any]) -> list[str]:
    items = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    return _responses_whole({"output": items})


def _chat_whole(completion: Any) -> list[str]:  # noqa: ANN401
    message = completion["choices"][0]["message"]
    calls = [call["function"]["name"] for call in message.get("tool_calls", [])]
    return [each for each in [message["content"], *calls] if each]


def _chat_streamed(events: list[Any]) -> list[str]:
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    calls = [call["function"]["name"] for d in deltas for call in d.get("tool_calls", [])]
    return [each for each in [*(delta.get("content") for delta in deltas), *calls] if each]


def _gemini_whole(response: Any) -> list[str]:  # noqa: ANN401
    parts = response["candidates"][0]["content"]["parts"]
    return [part.get("text") or part["functionCall"]["name"] for part in parts]


def _gemini_streamed(events: list[Any]) -> list[str]:
    return [each for event in events for each in _gemini_whole(event)]


ANTHROPIC = Caller("anthropic", _anthropic_whole, _anthropic_streamed)
RESPONSES = Caller("responses", _responses_whole, _responses_streamed)
CHAT = Caller("chat", _chat_whole, _chat_streamed)
GEMINI = Caller("gemini", _gemini_whole, _gemini_streamed)
CALLERS = (ANTHROPIC, RESPONSES, CHAT, GEMINI)
