"""What the strict gate comes to: bound to one tree, with every voice and its weight."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class Diagnostic(Value):
    """One thing in the way: where, what kind, in words, and what mends it."""

    path: str
    code: str
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class Voice(Value):
    """Who reviewed the work, as far as anybody can tell."""

    role: str
    trust: str  # independent: a process of goalkeeper's own, of no agent's choosing; or reported
    agent: str = ""
    session: str = ""
    model: str = ""
    tree: str = ""
    transcript: str = ""
    answer: str = ""


class Quality(Value):
    tree: str
    digest: str  # of the gate's document, kept with the evidence
    lanes: tuple[Voice, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
