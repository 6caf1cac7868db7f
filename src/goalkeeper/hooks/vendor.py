"""Whether the client keeps a goal of its own in this session: two loops would fight."""

from __future__ import annotations

import os

from goalkeeper.hooks.files import plain_file
from goalkeeper.wire.light_json import NotJson, loads

_TAIL_BYTES = 1 << 19
_STATUS = b'"goal_status"'


def has_goal(transcript: str) -> bool:
    """Claude Code writes what becomes of a goal into its transcript; the last word counts."""
    try:
        fd = plain_file(transcript)
    except OSError:
        return False
    try:
        size = os.fstat(fd).st_size
        told = os.pread(fd, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
    finally:
        os.close(fd)
    for line in reversed(told.split(b"\n")):
        status = _status(line) if _STATUS in line else None
        if status is not None:
            return status.get("met") is False
    return False


def _status(line: bytes) -> dict[str, object] | None:
    try:
        told = loads(line)
    except NotJson:
        return None
    found = told.get("attachment") if isinstance(told, dict) else None
    is_status = isinstance(found, dict) and found.get("type") == "goal_status"
    return found if is_status else None
