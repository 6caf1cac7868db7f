"""The strict gate comes to a result for one tree, with every voice and its weight."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class Diagnostic(Value):
    """Something is in the way: where, of what kind, in words, and what mends it."""

    path: str
    code: str
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class Voice(Value):
    """Somebody reviewed the work; the fields say what can be told of them."""

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
