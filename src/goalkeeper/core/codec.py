"""Events become JSON objects and events again. The name of an event's class is its kind.

A kind keeps its name and its meaning for ever. When its data changes, its version is raised, and
the class of the event goes on reading what the old version wrote.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.core.plan import events
from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.wire.value import Value


def kind_of(shape: type[Value]) -> str:
    """Return the kind, which is the name of the class: GoalStarted is goal_started."""
    return re.sub("(?!^)(?=[A-Z])", "_", shape.__name__).lower()


EVENT_KINDS = {kind_of(each): each for each in get_args(events.Event) if each is not events.Unknown}
_KINDS = {each: kind for kind, each in EVENT_KINDS.items()}
_VERSIONS = {"phase_spawned": 2}  # all other kinds have version 1


class TooNew(ValueError):
    """An event of a known kind in a version this goalkeeper cannot read."""

    def __init__(self, kind: str, version: int, known: int) -> None:
        super().__init__(f"{kind} v{version}")
        self.known = f"v{known}"


def version_of(kind: str) -> int:
    """Return the version in which events of this kind are written."""
    return _VERSIONS.get(kind, 1)


def encode_event(event: events.Event) -> tuple[str, int, dict[str, Any]]:
    """Return the event's kind, version and data."""
    if isinstance(event, events.Unknown):
        return event.kind, version_of(event.kind), dict(event.data)
    data: dict[str, Any] = plain(event)
    if isinstance(event, events.SteeringAccepted | events.SteeringRejected):
        data["change"] = {"kind": event.change.kind, **plain(event.change)}
    kind = _KINDS[type(event)]
    return kind, version_of(kind), data


def decode_event(kind: str, version: int, data: object) -> events.Event:
    """Raise Malformed when the data does not fit its kind, TooNew when we are too old."""
    if kind not in EVENT_KINDS:
        if not isinstance(data, dict):
            raise Malformed("is not an object")
        return events.Unknown(kind, data)
    if version > version_of(kind):
        raise TooNew(kind, version, version_of(kind))
    event: events.Event = decode(EVENT_KINDS[kind], data)
    if isinstance(event, events.GoalCheckpointed) and event.status is CheckpointStatus.COMPLETE:
        raise Malformed("is complete, which only goal_completed tells", "status")
    return event
