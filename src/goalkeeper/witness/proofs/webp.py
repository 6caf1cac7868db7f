"""WebP: one still frame, as large as the canvas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from goalkeeper.witness.proofs.picture import (
    Picture,
    animated,
    corrupt,
    require_sane_size,
    trailing,
    truncated,
    wrong_dimensions,
)

_ANIMATION = 0x02
_MOST_CHUNKS = 1000
_CANVAS_BYTES = 10


def is_webp(data: bytes) -> bool:
    return data[:4] == b"RIFF" and data[8:12] == b"WEBP"


def read(data: bytes) -> Picture:
    chunks = dict(_chunks(data))
    canvas = chunks.get(b"VP8X")
    name = b"VP8L" if b"VP8L" in chunks else b"VP8 "
    if name not in chunks:
        raise truncated("there is no image data")
    start, end = chunks[name]
    frame = _lossless_size(data[start:end]) if name == b"VP8L" else _lossy_size(data[start:end])
    size = _canvas_size(data[slice(*canvas)]) if canvas else frame
    require_sane_size(*size)
    if size != frame:
        raise wrong_dimensions(*size, f"{frame[0]}×{frame[1]}")
    return _kept(data, chunks, Picture("WEBP", *size, b""))


def _kept(data: bytes, chunks: Mapping[bytes, tuple[int, int]], picture: Picture) -> Picture:
    """Without profiles and descriptions; what is left stands in the order of the file."""
    parts, coded, length = [], (0, 0), 12
    for name, (start, end) in chunks.items():
        if name not in (b"VP8X", b"ALPH", b"VP8 ", b"VP8L"):
            continue
        body = data[start:end]
        if name == b"VP8X":
            body = bytes([body[0] & 0x10]) + body[1:]  # alpha may be there, the rest is gone
        if name in (b"VP8 ", b"VP8L"):
            coded = (length + 8, length + 8 + len(body))
        part = name + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)
        parts.append(part)
        length += len(part)
    head = b"RIFF" + (length - 8).to_bytes(4, "little") + b"WEBP"
    return picture.replace(data=head + b"".join(parts), coded=coded)


def _chunks(data: bytes) -> Iterator[tuple[bytes, tuple[int, int]]]:
    stated = 8 + int.from_bytes(data[4:8], "little")
    if stated > len(data):
        raise truncated(f"{stated - len(data)} bytes are missing")
    if stated < len(data):
        raise trailing(len(data) - stated)
    position = 12
    seen: set[bytes] = set()
    while position < stated:
        name = data[position : position + 4]
        start = position + 8
        end = start + int.from_bytes(data[position + 4 : start], "little")
        if start > stated or end > stated:
            raise truncated("its last chunk is cut off")
        if name in (b"ANIM", b"ANMF"):
            raise animated("WebP")
        if name in seen:
            raise corrupt(f"two chunks {name!r}")
        if len(seen) == _MOST_CHUNKS:
            raise corrupt(f"more than {_MOST_CHUNKS} chunks")
        seen.add(name)
        yield name, (start, end)
        position = end + end % 2


def _canvas_size(body: bytes) -> tuple[int, int]:
    if len(body) != _CANVAS_BYTES:
        raise corrupt("its header has no dimensions")
    if body[0] & _ANIMATION:
        raise animated("WebP")
    return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")


def _lossy_size(body: bytes) -> tuple[int, int]:
    if body[3:6] != b"\x9d\x01\x2a" or len(body) < _CANVAS_BYTES:
        raise corrupt("its image data does not begin with a picture")
    width, height = int.from_bytes(body[6:8], "little"), int.from_bytes(body[8:10], "little")
    return width & 0x3FFF, height & 0x3FFF


def _lossless_size(body: bytes) -> tuple[int, int]:
    if body[:1] != b"\x2f":
        raise corrupt("its image data does not begin with a picture")
    bits = int.from_bytes(body[1:5], "little")
    return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
