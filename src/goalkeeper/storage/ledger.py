"""The append-only, hash-chained record of a run.

- A line is one JSON object: seq, at, kind, v, actor, data, prev; `rest` when lines of the
  same command follow. `prev` is the SHA-256 of the previous line's bytes.
- A command's lines are one write and one sync: they are all there or the tail is torn.
- A torn tail is never built upon; only `storage.upkeep.repair` moves it away.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from goalkeeper.app.ports import Entry
from goalkeeper.core import codec as plan_codec
from goalkeeper.core.codec import TooNew
from goalkeeper.core.decode import Malformed, decode, plain
from goalkeeper.core.plan.events import Event
from goalkeeper.core.plan.model import Actor
from goalkeeper.core.snapshot import Position
from goalkeeper.errors import LedgerBroken, LedgerForged, LedgerTorn, StateTooNew, UsageError
from goalkeeper.storage.disk import Disk
from goalkeeper.wire.canonical import compact, sha256
from goalkeeper.wire.value import Value

_LONGEST_LINE_BYTES = 32 << 20  # a brief is at most one megabyte
_PIECE_BYTES = 1 << 18
_HALF_CHARACTER = b"\\ud"  # so begins what JSON can write, and UTF-8 cannot
GENESIS = Position(seq=0, start=0, end=0, head="0" * 64)


class EventCodec(Protocol):
    """What makes lines of events, and events of lines: one for plans, one for campaigns."""

    def encode_event(self, event: Any) -> tuple[str, int, dict[str, Any]]: ...  # noqa: ANN401
    def decode_event(self, kind: str, version: int, data: object) -> Any: ...  # noqa: ANN401


class Batch(Value):
    """The entries of one command, and the position of the ledger after them."""

    entries: tuple[Entry, ...]
    position: Position


class _Line(Value):
    """A line as it is written."""

    seq: int
    at: str
    kind: str
    v: int
    actor: Actor
    data: Mapping[str, object]
    prev: str
    rest: int = 0


def seal_events(
    events: tuple[Event, ...],
    *,
    at: str,
    actor: Actor,
    after: Position,
    codec: EventCodec = plan_codec,
) -> tuple[bytes, Position]:
    """Return the lines of one command, and the position after them."""
    lines: list[bytes] = []
    who = plain(actor)
    position = after
    for index, event in enumerate(events):
        kind, version, data = codec.encode_event(event)
        fields = {
            "seq": position.seq + 1, "at": at, "kind": kind, "v": version,
            "actor": who, "data": data, "prev": position.head,
        }  # fmt: skip
        rest = len(events) - index - 1
        line = compact(fields | {"rest": rest} if rest else fields).encode()
        lines.append(line + b"\n")
        end = position.end + len(line) + 1
        position = Position(position.seq + 1, position.end, end, sha256(line))
    return b"".join(lines), position


class Ledger:
    """An open ledger file. The caller holds the run's lock while it appends."""

    def __init__(
        self, fd: int, path: str, run_id: str, disk: Disk, codec: EventCodec = plan_codec
    ) -> None:
        self._fd = fd
        self.path = path
        self._run_id = run_id
        self._disk = disk
        self._codec = codec

    def append(
        self, events: tuple[Event, ...], *, at: str, actor: Actor, after: Position
    ) -> Position:
        """Append events, durably. `after` is the position that the caller's plan was read at."""
        size = os.fstat(self._fd).st_size
        if size != after.end:
            raise self._broken_error(after.seq + 1, f"it has {size} bytes, expected {after.end}")
        data, position = seal_events(events, at=at, actor=actor, after=after, codec=self._codec)
        if len(data) >= _LONGEST_LINE_BYTES:  # nobody could read it again
            raise UsageError(
                problem=f"a record of {len(data)} bytes is longer than a ledger takes",
                hint="goalkeeper ledger show",
            )
        self._disk.append_whole(self._fd, data)
        return position

    def ends_at(self, position: Position) -> bool:
        """Return whether the line that ends at `position` is the one we remember."""
        if position == GENESIS:
            return True
        line = os.pread(self._fd, position.end - position.start, position.start)
        return line.endswith(b"\n") and sha256(line[:-1]) == position.head

    def read_from_end(self, last: Position) -> Iterator[Entry]:
        """Yield the entries, newest first; each must be the one that the entry after it names."""
        number, head = last.seq, last.head
        for raw in self._read_lines_from_end(last.end):
            if sha256(raw) != head:
                raise self._broken_error(number, "it is not the line that was written")
            entry, head = self._decode_line(raw, number)
            yield entry
            number -= 1

    def _read_lines_from_end(self, end: int) -> Iterator[bytes]:
        """Yield the lines before the newline at `end`, last one first, without their newlines."""
        rest, place = b"", end - 1
        while place > 0:
            start = max(0, place - _PIECE_BYTES)
            first, *whole = (os.pread(self._fd, place - start, start) + rest).split(b"\n")
            yield from reversed(whole)
            rest, place = first, start
        yield rest

    def read_batches(self, after: Position = GENESIS) -> Iterator[Batch]:
        """Yield whole commands after `after`; raise LedgerTorn if the last one is not whole."""
        position, begin = after, after
        entries: list[Entry] = []
        with open(os.dup(self._fd), "rb") as file:
            file.seek(after.end)
            for line in iter(lambda: file.readline(_LONGEST_LINE_BYTES), b""):
                entry, position = self._read_entry(line, position, begin)
                if entries and entry.rest != entries[-1].rest - 1:
                    raise self._broken_error(
                        entry.seq, "it does not continue the command before it"
                    )
                entries.append(entry)
                if not entry.rest:
                    yield Batch(tuple(entries), position)
                    entries, begin = [], position
        if entries:
            reason = f"{entries[-1].rest} line(s) of the command are missing"
            raise self._torn_error(begin, position.end - begin.end, reason)

    def _read_entry(self, line: bytes, after: Position, begin: Position) -> tuple[Entry, Position]:
        number = after.seq + 1
        if len(line) == _LONGEST_LINE_BYTES:
            raise self._broken_error(number, f"it is longer than {_LONGEST_LINE_BYTES} bytes")
        if not line.endswith(b"\n"):
            size = os.fstat(self._fd).st_size
            raise self._torn_error(begin, size - begin.end, "its last line has no end")
        raw = line[:-1]
        entry, before = self._decode_line(raw, number)
        if before != after.head:
            place = f"line {after.seq}" if after.seq else "the beginning"
            raise self._broken_error(number, f"its prev does not match {place}")
        return entry, Position(number, after.end, after.end + len(line), sha256(raw))

    def _decode_line(self, raw: bytes, number: int) -> tuple[Entry, str]:
        """Return the entry, and the digest of the line before it."""
        try:
            told = json.loads(raw.decode())
            if _HALF_CHARACTER in raw.lower():
                compact(told).encode()  # we write no text that is not Unicode
            written = decode(_Line, told)
            if written.seq != number:
                raise self._broken_error(number, f"its seq is {written.seq}, expected {number}")
            event = self._codec.decode_event(written.kind, written.v, written.data)
        except TooNew as exc:
            path = f"{self.path}, line {number}"
            raise StateTooNew(path=path, found=exc, known=exc.known) from exc
        except Malformed as exc:
            raise self._broken_error(number, str(exc)) from exc
        except (ValueError, RecursionError) as exc:
            raise self._broken_error(number, f"it is not a JSON object ({exc})") from exc
        entry = Entry(
            written.seq, written.at, written.actor, event, written.kind, written.rest, written.v
        )
        return entry, written.prev

    def _broken_error(self, line: int, reason: str) -> LedgerBroken:
        return LedgerBroken(path=self.path, line=line, reason=reason, run=self._run_id)

    def forged_error(self, begin: Position, line: int, reason: str) -> LedgerForged:
        """Make the error for an entry that goalkeeper does not write; the rest goes with it."""
        rest = os.fstat(self._fd).st_size - begin.end
        return LedgerForged(
            path=self.path, line=line, torn_bytes=rest, reason=reason, run=self._run_id,
            offset=begin.end,
        )  # fmt: skip

    def _torn_error(self, begin: Position, torn_bytes: int, reason: str) -> LedgerTorn:
        return LedgerTorn(
            path=self.path, line=begin.seq + 1, torn_bytes=torn_bytes, reason=reason,
            run=self._run_id, offset=begin.end,
        )  # fmt: skip
