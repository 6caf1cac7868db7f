"""The result of the strict gate for one tree, with every voice and its trust."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class Diagnostic(Value):
    """Something that is in the way: where, of what kind, in words, and what mends it."""

    path: str
    code: str
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class Voice(Value):
    """Somebody who reviewed the work; the fields say what is known of them."""

    role: str
    trust: str  # it is independent if goalkeeper started the process itself, else reported
    agent: str = ""
    session: str = ""
    model: str = ""
    tree: str = ""
    transcript: str = ""
    answer: str = ""


class Quality(Value):
    tree: str
    digest: str  # the digest of the gate's document, kept with the evidence
    lanes: tuple[Voice, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
