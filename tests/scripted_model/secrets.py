"""Keys are taken out of a request before anything else sees it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

SET = "<set>"
_NAMES = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
_QUERY = re.compile(r"([?&])([^=&]*)=([^&]*)")
_LEAST = 8  # shorter ones may be ordinary words


def hidden_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: SET if _NAMES.search(name) else value for name, value in headers.items()}


def hidden_target(target: str) -> str:
    def hide(found: re.Match[str]) -> str:
        return f"{found[1]}{found[2]}={SET}" if _NAMES.search(found[2]) else found[0]

    return _QUERY.sub(hide, target)


def secrets_in(headers: Mapping[str, str], target: str) -> list[str]:
    sent = [value for name, value in headers.items() if _NAMES.search(name)]
    sent += [value for _, name, value in _QUERY.findall(target) if _NAMES.search(name)]
    words = [value.split()[-1] for value in sent if value.strip()]  # after `Bearer`
    return [word for word in words if len(word) >= _LEAST]


def hidden_body(body: Any, secrets: Iterable[str]) -> Any:  # noqa: ANN401  any JSON
    """An agent may have printed its environment: keys travel in conversations, too."""
    match body:
        case str():
            return functools.reduce(lambda text, each: text.replace(each, SET), secrets, body)
        case list():
            return [hidden_body(item, secrets) for item in body]
        case dict():
            return {name: hidden_body(item, secrets) for name, item in body.items()}
        case _:
            return body
