"""Whether records have a field at all: a count of zero may be a field that nobody writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from goalkeeper.core.claims.evidence import Probe

_LINES = (".jsonl", ".ndjson")


def probe_field(path: str, field: str, data: bytes | None) -> Probe:
    """Whether any record of the file has a value there; null is none."""
    if data is None:
        return Probe(path, field, present=False, error=f"there is no file {path}")
    found = list(_iterate_records(path, data))
    if not found:
        return Probe(path, field, present=False, error=f"{path} holds no JSON records")
    return Probe(path, field, present=any(_find_value(each, field) is not None for each in found))


def _iterate_records(path: str, data: bytes) -> Iterator[Any]:
    if not path.endswith(_LINES):
        document = _decode_record(data)
        if document is not None:
            yield from document if isinstance(document, list) else [document]
        return
    for line in data.splitlines():
        record = _decode_record(line)
        if record is not None:  # a line that is cut off tells nothing of the others
            yield record


def _decode_record(data: bytes) -> Any:  # noqa: ANN401  any JSON
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _find_value(record: Any, field: str) -> Any:  # noqa: ANN401  any JSON
    for name in field.split("."):
        if not isinstance(record, dict):
            return None
        record = record.get(name)
    return record
