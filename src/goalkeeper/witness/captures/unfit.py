"""The values that judges of captures share: what a capture shows, and why it proves nothing."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class Unfit(Value):
    code: str
    message: str
    mend: str


class UnfitArtifact(Exception):
    """The bytes prove nothing; `unfit` says why."""

    def __init__(self, code: str, message: str, mend: str) -> None:
        super().__init__(message)
        self.unfit = Unfit(code, message, mend)


def require_some(data: bytes, most: int, mend: str) -> None:
    if not data:
        raise UnfitArtifact("empty", "the file is empty", mend)
    if len(data) > most:
        megabytes = most // 1_000_000
        message = f"the file has {len(data)} bytes, at most {megabytes} MB are read"
        raise UnfitArtifact("too-large", message, mend)


class TerminalCapture(Value):
    columns: int
    lines: int
    output: str
