"""What a reading of the change found, beside the verdicts of checks."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.wire.value import MaybeEmpty, Value


class Level(StrEnum):
    """How strong a rule is, from strong to weak."""

    BLOCKING = "blocking"  # it closes the gate
    ASKING = "asking"  # it closes the gate until somebody answers it with a reason
    ADVISORY = "advisory"  # it is shown to the reviewer


STRENGTHS = tuple(Level)


class Finding(Value):
    rule: str
    level: Level
    path: MaybeEmpty
    line: int = 0  # 0 means the file as a whole
    message: MaybeEmpty = ""

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        place = f" {self.path}{line}" if self.path else ""
        return f"{self.rule}{place}: {self.message}"
