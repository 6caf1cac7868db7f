"""JPEG: from the start of the image to its end, marker by marker."""

from __future__ import annotations

import re
from collections.abc import Iterator

from goalkeeper.wire.value import Value
from goalkeeper.witness.proofs.picture import (
    Picture,
    corrupt,
    require_sane_size,
    trailing,
    truncated,
)

SIGNATURE = b"\xff\xd8\xff"
_START, _END, _SCAN, _COMMENT = 0xD8, 0xD9, 0xDA, 0xFE
_FRAMES = frozenset({0xC0, 0xC1, 0xC2, 0xC9, 0xCA})  # those that the usual decoders read
_OTHER_FRAMES = frozenset({0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF})
_APPLICATION = range(0xE0, 0xF0)
_COLOURS = frozenset({0xE0, 0xEE})  # what JFIF and Adobe say there decides about colours
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
_SCAN_ENDS = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_MOST_SEGMENTS = 2000
_MOST_SCANS = 100  # a progressive picture has ten or so; each one goes over every block again


class _Segment(Value):
    marker: int
    whole: bytes
    body: bytes
    coded: int = 0  # how many bytes of image data end it, after the head of a scan


def read(data: bytes) -> Picture:
    kept, size, coded = [SIGNATURE[:2]], None, None
    scans = 0
    for segment in _segments(data):
        if segment.marker in _FRAMES | _OTHER_FRAMES:
            if size:
                raise corrupt("two pictures in one")
            size = _size(segment)
            require_sane_size(*size)
        if segment.marker == _SCAN:
            if not size:
                raise corrupt("image data before its dimensions")
            scans += 1
            end = sum(map(len, kept)) + len(segment.whole)
            coded = coded or (end - segment.coded, end)
        if _is_needed(segment.marker):
            kept.append(segment.whole)
    if not size or not coded:
        raise truncated("there is no image data")
    if scans > _MOST_SCANS:
        raise corrupt(f"{scans} scans")
    return Picture("JPEG", *size, b"".join(kept), coded)


def _is_needed(marker: int) -> bool:
    return marker in _COLOURS or (marker not in _APPLICATION and marker != _COMMENT)


def _size(frame: _Segment) -> tuple[int, int]:
    if frame.marker in _OTHER_FRAMES:
        raise corrupt(f"a kind of JPEG that is not in use (SOF {frame.marker - 0xC0})")
    height, width = int.from_bytes(frame.body[1:3]), int.from_bytes(frame.body[3:5])
    if not height or not width:
        raise corrupt("its header has no dimensions")
    return width, height


def _segments(data: bytes) -> Iterator[_Segment]:
    position = 2
    for _ in range(_MOST_SEGMENTS):
        segment, position = _segment(data, position)
        yield segment
        if segment.marker == _END:
            if position != len(data):
                raise trailing(len(data) - position)
            return
    raise corrupt(f"more than {_MOST_SEGMENTS} segments")


def _segment(data: bytes, start: int) -> tuple[_Segment, int]:
    name = start
    while data[name : name + 1] == b"\xff":
        name += 1
    if name >= len(data):
        raise truncated("its end is missing")
    marker = data[name]
    if name == start or marker in (0x00, _START):
        raise corrupt("something that is no JPEG stands between its parts")
    if marker == _END or marker in _BARE:
        return _Segment(marker, b"\xff" + data[name : name + 1], b""), name + 1
    body = name + 1 + int.from_bytes(data[name + 1 : name + 3])
    end = _scan_end(data, body) if marker == _SCAN else body
    if body < name + 3:
        raise corrupt("a segment without a length")
    if end > len(data):
        raise truncated("its last segment is cut off")
    whole = b"\xff" + data[name:end]
    return _Segment(marker, whole, data[name + 3 : body], end - body), end


def _scan_end(data: bytes, start: int) -> int:
    found = _SCAN_ENDS.search(data, start)
    if not found:
        raise truncated("its image data has no end")
    return found.start()
