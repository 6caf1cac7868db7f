"""Removes secrets from events before they are written or change a plan.

Only words that somebody chose are redacted. Ids, digests, paths and contracts decide something, and
stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from goalkeeper.core import codec
from goalkeeper.core.plan.events import Event
from goalkeeper.system.redaction import Redactor

AnyEvent = TypeVar("AnyEvent", bound=Event)
_SAID = frozenset(
    """
    detail evidence lacks left_to_user mend message note objections overrides prior problem
    problems rationale reason said summary unproven why
    """.split()  # noqa: SIM905  a column of quoted names says no more
)
_PROSE = frozenset({"constraints", "new", "objective", "old", "title"})  # agents work by these


class EventRedactor(Redactor):
    """The redactor of a command; it also knows which fields of events are words."""

    def redact_events(self, events: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        ways = {
            "brief": self.clean_brief,
            **dict.fromkeys(_SAID, self.clean_text),
            **dict.fromkeys(_PROSE, self.clean_prose),
        }
        return tuple(_redact_event(event, ways) for event in events)


def _redact_event(event: AnyEvent, ways: Mapping[str, Callable[[str], str]]) -> AnyEvent:
    kind, version, data = codec.encode_event(event)
    redacted = _redact_fields(data, ways)
    if redacted == data:
        return event
    return cast("AnyEvent", codec.decode_event(kind, version, redacted))  # of the same kind


def _redact_fields(data: Any, ways: Mapping[str, Callable[[str], str]], name: str = "") -> Any:  # noqa: ANN401  JSON
    if isinstance(data, str):
        return ways[name](data) if name in ways else data
    if isinstance(data, Mapping):
        return {key: _redact_fields(value, ways, key) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_redact_fields(value, ways, name) for value in data]
    return data
