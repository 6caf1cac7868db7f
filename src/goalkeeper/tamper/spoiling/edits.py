"""Pieces of a text that are replaced by others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from goalkeeper.wire.value import Value


class Change(Value):
    """A piece of a text, in bytes, and what takes its place."""

    start: int
    end: int
    text: str


def apply_changes(text: str, changes: Iterable[Change]) -> str:
    """Apply changes; equal ones once."""
    data = text.encode(errors="replace")
    parts: list[bytes] = []
    done = 0
    for change in _sort(changes):
        parts += [data[done : change.start], change.text.encode()]
        done = change.end
    return b"".join((*parts, data[done:])).decode(errors="replace")


def _sort(changes: Iterable[Change]) -> Iterator[Change]:
    yield from sorted(set(changes), key=lambda each: (each.start, each.end))
