"""What a reading of the change found, beside the verdicts of checks."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.decode import Fields
from goalkeeper.wire.value import Value


class Level(StrEnum):
    BLOCKING = "blocking"  # closes the gate
    ADVISORY = "advisory"  # shown to the reviewer


class Finding(Value):
    rule: str
    level: Level
    path: str
    line: int  # 0: the file as a whole
    message: str

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        place = f" {self.path}{line}" if self.path else ""
        return f"{self.rule}{place}: {self.message}"


def finding(f: Fields) -> Finding:
    """As it was written."""
    return Finding(
        f.text("rule"), f.choice("level", Level), f.text("path", ""), f.number("line", 0),
        f.text("message", ""),
    )  # fmt: skip
