"""Reads JSON that every reader understands alike.

A name that is given twice, NaN, half a character and nesting without end are refused.
"""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 64


class NameGivenTwice(ValueError):
    """An object has a name twice, and two readers might each believe another of the two."""


class NestedTooDeep(ValueError):
    """Lists and objects are nested deeper than a reader may have to go."""


def parse(given: str | bytes, *, deepest: int = DEEPEST) -> Any:  # noqa: ANN401  parsed by the caller
    """Return the value; raise ValueError for anything that is not plain JSON."""
    text = given.decode() if isinstance(given, bytes) else given
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_refuse_doubled)
    except RecursionError as exc:
        raise NestedTooDeep(f"it is nested deeper than {deepest}") from exc
    _require_flat(value, deepest)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # half a surrogate is not text
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _refuse_doubled(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    once: dict[str, Any] = {}
    for name, value in pairs:
        if name in once:
            raise NameGivenTwice(f"'{name[:60]}' is given twice")
        once[name] = value
    return once


def _require_flat(value: object, deepest: int) -> None:
    layer, depth = [value] if isinstance(value, dict | list) else [], 0
    while layer:
        depth += 1
        if depth > deepest:
            raise NestedTooDeep(f"it is nested deeper than {deepest}")
        layer = [
            item
            for each in layer
            for item in (each.values() if isinstance(each, dict) else each)
            if isinstance(item, dict | list)
        ]
