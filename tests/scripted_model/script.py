"""What a scripted model says. docs/testing.md shows how it is written; see `reading`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalkeeper.wire.value import Value

APIS = ("anthropic", "responses", "chat", "gemini")


class Call(Value):
    tool: str
    input: Mapping[str, Any] = {}
    namespace: str = ""  # Codex asks for one with tools of MCP servers and of its own agents


class FreeformCall(Value):
    """A tool that takes text, not JSON: the Responses API calls it a custom tool."""

    tool: str
    raw: str


class Usage(Value):
    """Tokens, as the client is told. None: estimated from what it sent."""

    input: int | None = None
    output: int = 20
    cache_read: int = 0


class Reply(Value):
    text: str = ""
    thinking: str = ""
    calls: tuple[Call | FreeformCall, ...] = ()
    usage: Usage = Usage()
    stop: str = ""  # empty: what the API says of such a reply
    model: str = ""  # empty: the one that was asked
    delay: float = 0  # seconds
    cut: bool = False  # the connection breaks in the middle


class Failure(Value):
    """An HTTP error. A body that is text is sent as it stands; None is what the API would say."""

    status: int
    headers: Mapping[str, str] = {}
    body: Any = None
    delay: float = 0


Turn = Reply | Failure


class When(Value):
    """What a rule asks of a request; patterns are searched for, empty ones ask nothing."""

    api: str = ""
    model: str = ""
    system: str = ""
    last: str = ""
    all: str = ""
    tool: str = ""
    notools: bool = False


class Rule(Value):
    when: When
    turns: tuple[Turn, ...]
    times: int | None = None  # None: always


class Script(Value):
    turns: tuple[Turn, ...] = (Reply("done"),)
    rules: tuple[Rule, ...] = ()
    side: Turn | None = None


DEFAULT = Script(side=Reply("ok"))
