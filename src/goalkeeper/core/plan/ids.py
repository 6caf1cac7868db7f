"""Goal ids and run ids are made and recognised here."""

from __future__ import annotations

import re

from goalkeeper.wire.pattern import late_pattern

_RUN_ID = late_pattern(r"\d{8}-\d{6}-[0-9a-f]{4}", re.ASCII)
_LAST_SUFFIX = "ffff"


def goal_id(number: int) -> str:
    return f"G{number:03d}"


def is_run_id(text: str) -> bool:
    return _RUN_ID.fullmatch(text) is not None


def run_id(at: str, suffix: str, *, newest: str = "") -> str:
    """Make an id that sorts after `newest`, also when the clock went back or stood still."""
    stamp = at[0:4] + at[5:7] + at[8:10] + "-" + at[11:13] + at[14:16] + at[17:19]
    made = f"{stamp}-{suffix}"
    if made > newest:
        return made
    stamp, suffix = newest[:15], newest[16:]
    if suffix != _LAST_SUFFIX:
        return f"{stamp}-{int(suffix, 16) + 1:04x}"
    number = int(stamp.replace("-", "")) + 1  # only order matters here, not the calendar
    return f"{str(number)[:8]}-{str(number)[8:]}-0000"
