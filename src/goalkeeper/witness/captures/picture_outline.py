"""The outline of a picture file, read before a pixel is decoded.

Pillow decodes the pixels, but it is silent about bytes behind the end of a picture, it inflates the
texts in a PNG, and it allocates the canvas of a WebP before it tells its size. So the parts of the
file are read here from the first to the last, and their content is left to Pillow.
"""

from __future__ import annotations

import zlib

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.captures.unfit import UnfitArtifact

MOST_BYTES = 64_000_000
MOST_PIXELS = 40_000_000  # 8K is 33 million; the decoder of WebP takes 16 bytes for each
LEAST_WIDTH, LEAST_HEIGHT = 320, 180
AGAIN = "take the screenshot again and attach the file as it was written"
_MOST_PARTS = 100_000  # encoders cut the image data of a PNG into pieces of 4 KB and more
_MOST_SCANS = 100  # a progressive JPEG has about ten; each one goes over every block again
_JPEG_MARKER = late_pattern(rb"\xff[^\x00\x01\xd0-\xd7\xff]")  # others stand inside of image data
_JPEG_END, _JPEG_SCAN = 0xD9, 0xDA
_DEPTH_AT, _BYTE = 24, 8  # these are about a PNG


class Picture(Value):
    kind: str
    data: bytes
    deflated: bytes = b""  # the image data of a PNG in one piece
    coded: tuple[int, int] = (0, 0)  # where the image data of a JPEG or WebP lies in `data`


def read_outline(data: bytes) -> Picture | None:
    """Return None if the bytes are no PNG, JPEG or WebP."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _read_png(data)
    if data.startswith(b"\xff\xd8\xff"):
        return _read_jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _read_webp(data)
    return None


def _read_png(data: bytes) -> Picture:
    """Read a PNG. Only the chunks that make pixels are handed on, so that no text is inflated."""
    position, kept, deflated = 8, [data[:8]], []
    for _ in range(_MOST_PARTS):
        start, name = position, data[position + 4 : position + 8]
        position += 12 + int.from_bytes(data[start : start + 4])
        if position > len(data):
            raise truncated_error("its last chunk is cut off")
        if not name.isalpha():
            raise corrupt_error("it has a chunk without a name")
        checksum = int.from_bytes(data[position - 4 : position])
        if zlib.crc32(data[start + 4 : position - 4]) != checksum:
            raise corrupt_error(f"the checksum of chunk {name.decode()} is wrong")
        if name == b"acTL":
            raise animated_error("PNG")
        # Decoders take 8 bits of 16, so that a transparent colour of 16 bits means nothing to them.
        if name[:1].isupper() or (name == b"tRNS" and data[_DEPTH_AT] <= _BYTE):
            kept.append(data[start:position])
        if name == b"IDAT":
            deflated.append(data[start + 8 : position - 4])
        if name == b"IEND":
            require_end(data, position)
            return Picture("PNG", b"".join(kept), b"".join(deflated))
    raise corrupt_error("it has more parts than any encoder writes")


def _read_jpeg(data: bytes) -> Picture:
    position, scans, coded, marker = 2, 0, (0, 0), 0
    for _ in range(_MOST_PARTS):
        found = _JPEG_MARKER.search(data, position)
        if not found:
            raise truncated_error("its end is missing")
        # Any number of 0xff may stand before a marker, and image data behind the head of a scan.
        if marker != _JPEG_SCAN and data[position : found.start()].strip(b"\xff"):
            raise corrupt_error("something that is no JPEG stands between its parts")
        if scans and coded == (0, 0):
            coded = (position, found.start())
        marker, position = data[found.end() - 1], found.end()
        if marker == _JPEG_END:
            require_end(data, position)
            if coded == (0, 0):
                raise truncated_error("there is no image data")
            return Picture("JPEG", data, coded=coded)
        position += int.from_bytes(data[position : position + 2])
        scans += marker == _JPEG_SCAN
        if scans > _MOST_SCANS:
            break
    raise corrupt_error("it has more parts than any encoder writes")


def _read_webp(data: bytes) -> Picture:
    stated = 8 + int.from_bytes(data[4:8], "little")
    if stated > len(data):
        raise truncated_error(f"{stated - len(data)} bytes are missing")
    require_end(data, stated)
    position = 12
    for _ in range(_MOST_PARTS):
        name, start = data[position : position + 4], position + 8
        end = start + int.from_bytes(data[position + 4 : start], "little")
        if end > stated:
            raise truncated_error("its last chunk is cut off")
        if name in (b"ANIM", b"ANMF"):
            raise animated_error("WebP")
        if name in (b"VP8 ", b"VP8L"):
            _require_webp_size(data, name, data[start : start + 10])
            return Picture("WEBP", data, coded=(start, end))
        position = end + end % 2
    raise corrupt_error("it has more parts than any encoder writes")


def _require_webp_size(data: bytes, name: bytes, frame: bytes) -> None:
    if name == b"VP8L":
        bits = int.from_bytes(frame[1:5], "little")
        size = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        width, height = (int.from_bytes(frame[at : at + 2], "little") for at in (6, 8))
        size = width & 0x3FFF, height & 0x3FFF
    canvas = size
    if data[12:16] == b"VP8X":
        canvas = (
            1 + int.from_bytes(data[24:27], "little"),
            1 + int.from_bytes(data[27:30], "little"),
        )
    require_sane_size(*canvas)
    if canvas != size:
        raise dimensions_error(canvas, f"{size[0]}×{size[1]}")


def require_sane_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise UnfitArtifact(
            "too-many-pixels",
            f"the picture is {width}×{height}; at most {MOST_PIXELS // 1_000_000} megapixels "
            "are decoded",
            "capture only the part that shows the result",
        )
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        raise UnfitArtifact(
            "too-small",
            f"the picture is {width}×{height}, at least {LEAST_WIDTH}×{LEAST_HEIGHT} is needed",
            "capture the whole window",
        )


def require_end(data: bytes, end: int) -> None:
    if end < len(data):
        message = f"{len(data) - end} bytes follow the end of the picture"
        raise UnfitArtifact("trailing-bytes", message, AGAIN)


def truncated_error(what: str) -> UnfitArtifact:
    return UnfitArtifact("truncated", f"the file ends early: {what}", AGAIN)


def corrupt_error(what: str) -> UnfitArtifact:
    return UnfitArtifact("corrupt", f"the file is damaged: {what}", AGAIN)


def animated_error(kind: str) -> UnfitArtifact:
    message = f"an animated {kind} is not one picture"
    return UnfitArtifact("animated", message, "attach a still picture of the moment that matters")


def dimensions_error(size: tuple[int, int], holds: str) -> UnfitArtifact:
    message = f"the header says {size[0]}×{size[1]}, but the file holds {holds}"
    return UnfitArtifact("wrong-dimensions", message, AGAIN)
