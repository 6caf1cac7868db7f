"""PNG: every chunk whole, and exactly as much image data as the header says.

Only the chunks that make pixels are handed on, so no text or profile is ever inflated. The image
data is inflated here once, in small pieces and only counted: what would grow beyond the size in
the header is refused before a decoder allocates anything for it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence

from goalkeeper.wire.value import Value
from goalkeeper.witness.proofs.picture import (
    Picture,
    animated,
    corrupt,
    require_sane_size,
    trailing,
    truncated,
    wrong_dimensions,
)

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2))
_PASSES = (*_ADAM7, (0, 1, 1, 2))
_KEPT = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"})
_MOST_CHUNKS = 100_000  # encoders cut the image data into pieces of 4 KB and more
_HEADER_BYTES = 13
_PALETTE = 3
_TRANSPARENCY = {0: 2, 2: 6}  # bytes, for grey and for colour
_BYTE = 8
_PIECE = 1 << 16


class _Chunk(Value):
    name: bytes
    whole: memoryview
    body: memoryview


class _Header(Value):
    width: int
    height: int
    depth: int
    colour: int
    is_interlaced: bool


def read(data: bytes) -> Picture:
    chunks = tuple(_chunks(memoryview(data)))
    header = _header(chunks[0])
    require_sane_size(header.width, header.height)
    _require_order(chunks, header)
    _require_exact(header, [chunk.body for chunk in chunks if chunk.name == b"IDAT"])
    names = _KEPT - {b"tRNS"} if header.depth > _BYTE else _KEPT  # decoders take 8 bits of 16
    kept = b"".join(chunk.whole for chunk in chunks if chunk.name in names)
    return Picture("PNG", header.width, header.height, SIGNATURE + kept)


def _chunks(data: memoryview) -> Iterator[_Chunk]:
    position = len(SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        chunk = _chunk(data, position)
        yield chunk
        position += len(chunk.whole)
        if chunk.name == b"IEND":
            if position != len(data):
                raise trailing(len(data) - position)
            return
    raise corrupt(f"more than {_MOST_CHUNKS} chunks")


def _chunk(data: memoryview, position: int) -> _Chunk:
    start, end = position + 8, position + 8 + int.from_bytes(data[position : position + 4])
    if end + 4 > len(data):
        raise truncated("its last chunk is cut off")
    chunk = _Chunk(bytes(data[position + 4 : start]), data[position : end + 4], data[start:end])
    if not chunk.name.isalpha():
        raise corrupt("a chunk without a name")
    if zlib.crc32(data[position + 4 : end]) != int.from_bytes(data[end : end + 4]):
        raise corrupt(f"the checksum of chunk {chunk.name.decode()} is wrong")
    return chunk


def _header(chunk: _Chunk) -> _Header:
    if chunk.name != b"IHDR" or len(chunk.body) != _HEADER_BYTES:
        raise corrupt("it does not begin with a header")
    width, height = int.from_bytes(chunk.body[:4]), int.from_bytes(chunk.body[4:8])
    depth, colour, compression, filtering, interlacing = chunk.body[8:]
    known = depth in _DEPTHS.get(colour, ()) and interlacing in (0, 1)
    if not (width and height and known) or compression or filtering:
        raise corrupt("its header describes no PNG")
    return _Header(width, height, depth, colour, interlacing == 1)


def _require_order(chunks: Sequence[_Chunk], header: _Header) -> None:
    names = [chunk.name for chunk in chunks]
    if b"acTL" in names:
        raise animated("PNG")
    for name in names:
        if name not in _KEPT and name[:1].isupper():
            raise corrupt(f"an unknown chunk {name.decode()} that may not be ignored")
    if b"IDAT" not in names:
        raise truncated("there is no image data")
    first, number = names.index(b"IDAT"), names.count(b"IDAT")
    if any(names.count(name) > 1 for name in (b"IHDR", b"PLTE", b"tRNS")):
        raise corrupt("two headers or palettes")
    if set(names[first : first + number]) != {b"IDAT"}:
        raise corrupt("its image data is scattered")
    _require_colours({chunk.name: len(chunk.body) for chunk in chunks[:first]}, header)


def _require_colours(sizes: Mapping[bytes, int], header: _Header) -> None:
    entries, rest = divmod(sizes.get(b"PLTE", 3), 3)
    if rest or not 1 <= entries <= 256:  # noqa: PLR2004  one byte selects a colour
        raise corrupt("its palette is too long, too short or torn")
    if header.colour == _PALETTE and b"PLTE" not in sizes:
        raise corrupt("there is no palette")
    most = {**_TRANSPARENCY, _PALETTE: entries}.get(header.colour, 0)
    if sizes.get(b"tRNS", 0) > most:
        raise corrupt("more is transparent than there are colours")


def _require_exact(header: _Header, bodies: Sequence[memoryview]) -> None:
    inflating = zlib.decompressobj()
    expected, found = _expected(header), 0
    for piece in _pieces(bodies):
        if inflating.eof:
            raise trailing(len(piece))
        waiting: bytes | memoryview = piece
        while waiting and found <= expected:
            found += len(_inflated(inflating, waiting))
            waiting = inflating.unconsumed_tail
        if inflating.unused_data:
            raise trailing(len(inflating.unused_data))
        if found > expected:
            raise wrong_dimensions(header.width, header.height, "more")
    if not inflating.eof:
        raise truncated("its image data is incomplete")
    if found != expected:
        raise wrong_dimensions(header.width, header.height, "less")


def _inflated(inflating: zlib._Decompress, waiting: bytes | memoryview) -> bytes:
    try:
        return inflating.decompress(waiting, _PIECE)
    except zlib.error as exc:
        raise corrupt(f"its image data does not inflate ({exc})") from exc


def _pieces(bodies: Sequence[memoryview]) -> Iterator[memoryview]:
    for body in bodies:
        for start in range(0, len(body), _PIECE):
            yield body[start : start + _PIECE]


def _expected(header: _Header) -> int:
    """Bytes of image data: a filter byte and the pixels for each row of each pass."""
    bits = header.depth * _CHANNELS[header.colour]
    passes = _PASSES if header.is_interlaced else ((0, 0, 1, 1),)
    total = 0
    for left, top, across, down in passes:
        columns, rows = -(-(header.width - left) // across), -(-(header.height - top) // down)
        total += rows * (1 + -(-columns * bits // 8)) if columns and rows else 0
    return total
