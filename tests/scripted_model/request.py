"""What a client asked, the same whichever API it speaks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from goalkeeper.wire.value import Value

_INSTRUCTING = ("system", "developer")
_SAYING = ("text", "thinking", "content", "parts", "output")
_CHARACTERS_PER_TOKEN = 4
# How the clients tell the model where they work.
_DIRECTORY = (
    re.compile(r"<cwd>([^<]+)</cwd>"),
    re.compile(r"(?i)working directory: *([^\n]+)"),
    re.compile(r"(?i)working in the directory:? *([^\n]+)"),
    re.compile(r"Workspace Directories:\**\s*\n\s*- ([^\n]+)"),
)


class Message(Value):
    role: str  # where the API gives none, the kind of item
    text: str


class Request(Value):
    api: str
    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    stream: bool

    @property
    def last(self) -> str:
        """Who speaks last may be the client itself: instructions do not count."""
        said = [m for m in self.messages if m.role not in _INSTRUCTING] or self.messages
        return said[-1].text if said else ""

    @property
    def all(self) -> str:
        return "\n".join(message.text for message in self.messages)

    @property
    def directory(self) -> str:
        """Where the client says that it works; empty when it does not say."""
        told = f"{self.system}\n{self.all}"
        found = (match for pattern in _DIRECTORY if (match := pattern.search(told)))
        return next((match[1].strip().rstrip(".,`") for match in found), "")

    @property
    def tokens(self) -> int:
        return estimated_tokens(self.system + self.all)


def estimated_tokens(text: str | bytes) -> int:
    return max(1, len(text) // _CHARACTERS_PER_TOKEN)


def messages_of(items: object) -> tuple[Message, ...]:
    return tuple(
        Message(word(item, "role") or word(item, "type"), text_of(item)) for item in objects(items)
    )


def text_of(content: object) -> str:
    """All that is said in a message, however its content is nested."""
    return "\n".join(_texts(content))


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str) and content:
        yield content
    elif isinstance(content, list):
        for item in content:
            yield from _texts(item)
    elif isinstance(content, Mapping):
        for name in _SAYING:
            yield from _texts(content.get(name))
        if "functionResponse" in content:
            yield json.dumps(content["functionResponse"], ensure_ascii=False)


def objects(items: object) -> list[Mapping[str, Any]]:
    """Clients may send what we have not seen yet: what is no object is passed over."""
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def word(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
