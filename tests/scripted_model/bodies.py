"""Reads a request's body, however the client packed it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from email.message import Message
from io import BufferedIOBase
from typing import Any


class BodyUnreadable(ValueError):
    """A body that we cannot unpack."""


def read_body(headers: Message, stream: BufferedIOBase) -> bytes:
    try:
        packed = _packed(headers, stream)
    except ValueError as exc:
        raise BodyUnreadable(f"its length makes no sense: {exc}") from exc
    match headers.get("content-encoding", "identity").lower():
        case "identity":
            return packed
        case "gzip":
            return _unpacked(packed)
        case other:
            raise BodyUnreadable(f"content-encoding {other} is not known here")


def _packed(headers: Message, stream: BufferedIOBase) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return b"".join(_chunks(stream))
    length = int(headers.get("content-length", "0"))
    if length < 0:
        raise ValueError(length)
    return stream.read(length)


def _chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    while size := int(stream.readline().partition(b";")[0], 16):
        yield stream.read(size)
        stream.readline()
    while stream.readline().strip():
        pass  # trailers


def _unpacked(packed: bytes) -> bytes:
    try:
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as exc:
        raise BodyUnreadable(f"not gzip: {exc}") from exc


def decoded(data: bytes) -> Any:  # noqa: ANN401  any JSON
    """What the JSON says; other bytes as text."""
    if not data:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data.decode(errors="replace")
