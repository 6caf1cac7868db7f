"""A value's canonical JSON bytes, and its digest."""

from __future__ import annotations

import hashlib
import json

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def compact(value: object) -> str:
    """JSON on one line; key order is the caller's."""
    return _encode(value)


def digest(value: object) -> str:
    """The SHA-256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode(errors="surrogatepass"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
