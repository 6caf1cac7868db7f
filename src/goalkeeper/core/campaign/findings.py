"""What a critic finds in a plan."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class CriticFinding(Value):
    """One thing that is wrong with a plan, and what its author may do about it."""

    rule: str
    where: str
    line: int
    message: str
    mend: str
    is_blocking: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.message} ({self.mend})"


class PlanPlace(Value):
    """A step or a session that is looked at."""

    where: str
    line: int

    def find(self, rule: str, message: str, mend: str, *, blocks: bool = True) -> CriticFinding:
        return CriticFinding(rule, self.where, self.line, message, mend, blocks)
