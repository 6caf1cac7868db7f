"""The output of a program, of any length: its size, its digest, its head and its tail."""

from __future__ import annotations

import hashlib

from goalkeeper.wire.value import Value


class Stream(Value):
    """The output of a program. The digest covers all of it, even if the middle was not kept."""

    head: bytes
    tail: bytes
    size: int
    sha256: str

    @property
    def whole(self) -> bytes | None:
        kept = self.head + self.tail
        return kept if len(kept) == self.size else None

    @property
    def text(self) -> str:
        whole = self.whole
        if whole is not None:
            return _decode_output(whole)
        left_out = self.size - len(self.head) - len(self.tail)
        return (
            f"{_decode_output(self.head)}\n[{left_out} bytes left out]\n{_decode_output(self.tail)}"
        )


class OutputCapture:
    """Counts and digests a stream of any length, and keeps its head and its tail."""

    def __init__(self, keep_bytes: int) -> None:
        self.size = 0
        self._half = keep_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._digest = hashlib.sha256()

    def add_bytes(self, data: bytes) -> None:
        self.size += len(data)
        self._digest.update(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > self._half:
            del self._tail[: len(self._tail) - self._half]

    def to_stream(self) -> Stream:
        digest = self._digest.hexdigest()
        return Stream(bytes(self._head), bytes(self._tail), self.size, digest)


def _decode_output(data: bytes) -> str:
    return data.decode(errors="backslashreplace")
