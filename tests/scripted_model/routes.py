"""What a path asks for. Suffixes decide, so a client's base URL may end in /v1 or not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum, auto
from typing import Any
from urllib.parse import unquote

from goalkeeper.wire.value import Value

_LANE = re.compile(r"/s/([^/?]+)(.*)", re.DOTALL)
_GEMINI = re.compile(r"/models/([^/:]+):(generate|streamGenerate)Content$")
_CALLS = {"/messages": "anthropic", "/responses": "responses", "/chat/completions": "chat"}
_COUNTS = {"/count_tokens": "anthropic", ":countTokens": "gemini"}


class Kind(StrEnum):
    MODEL = auto()
    COUNT = auto()
    MODELS = auto()
    ALIVE = auto()
    HEALTH = auto()
    LOG = auto()
    SCRIPT = auto()
    OUTSIDE = auto()  # we are taken for a proxy
    NOWHERE = auto()


_CONTROLS = {
    ("GET", "/__health"): Kind.HEALTH,
    ("GET", "/__log"): Kind.LOG,
    ("POST", "/__script"): Kind.SCRIPT,
}


class Route(Value):
    kind: Kind
    lane: str = ""
    api: str = ""
    said: Mapping[str, Any] = {}  # Gemini says in the path what the others say in the body


def route(method: str, target: str) -> Route:
    if method == "CONNECT" or not target.startswith("/"):
        return Route(Kind.OUTSIDE)
    lane, rest = _lane(target)
    path = rest.partition("?")[0]
    if method == "HEAD":
        return Route(Kind.ALIVE, lane)
    if kind := _CONTROLS.get((method, path)):
        return Route(kind, lane)
    if method == "GET" and path.endswith("/models"):
        return Route(Kind.MODELS, lane)
    return _posted(lane, path) if method == "POST" else Route(Kind.NOWHERE, lane)


def _lane(target: str) -> tuple[str, str]:
    found = _LANE.fullmatch(target)
    return (unquote(found[1]), found[2]) if found else ("", target)


def _posted(lane: str, path: str) -> Route:
    if gemini := _GEMINI.search(path):
        said = {"model": gemini[1], "stream": gemini[2] == "streamGenerate"}
        return Route(Kind.MODEL, lane, "gemini", said)
    for kind, endings in ((Kind.MODEL, _CALLS), (Kind.COUNT, _COUNTS)):
        for ending, api in endings.items():
            if path.endswith(ending):
                return Route(kind, lane, api)
    return Route(Kind.NOWHERE, lane)
