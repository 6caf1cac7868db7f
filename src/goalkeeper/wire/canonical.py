"""Writes a value as canonical JSON, and computes its digest."""

from __future__ import annotations

import hashlib
import json

# We write trees and never cycles: to look for cycles would slow every append for nothing.
_encoder = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
)


def compact(value: object) -> str:
    """Write JSON on one line; the caller gives the order of keys."""
    return _encoder.encode(value)


def digest(value: object) -> str:
    """Return the SHA-256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode(errors="surrogatepass"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
