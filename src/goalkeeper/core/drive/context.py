"""How full a model's context is, by what goalkeeper recorded and not by what an agent says."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.wire.value import Value

_PERCENT = 100
_FRESH_BELOW = 50  # it is a percentage of the limit
_NORMAL_BELOW = 85


class Zone(StrEnum):
    FRESH = "fresh"
    NORMAL = "normal"
    TIGHT = "tight"


class ContextUse(Value):
    """What goalkeeper recorded: tokens in use, the window, and when the client compacts it."""

    input_tokens: int
    window: int
    autocompact_percent: int


def find_limit(context: ContextUse) -> int:
    """Return the number of tokens at which a client compacts by itself."""
    return context.window * context.autocompact_percent // _PERCENT


def find_zone(context: ContextUse) -> Zone | None:
    """Say how near the limit is; None when the record names no limit."""
    most = find_limit(context)
    if most <= 0 or context.input_tokens < 0:
        return None
    used = context.input_tokens * _PERCENT
    if used < most * _FRESH_BELOW:
        return Zone.FRESH
    return Zone.NORMAL if used < most * _NORMAL_BELOW else Zone.TIGHT
