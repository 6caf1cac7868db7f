"""A picture whose outline is sound is decoded, and a header that belies its data is found."""

from __future__ import annotations

import hashlib
import struct
import zlib
from io import BytesIO

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.captures.picture_outline import (
    Picture,
    corrupt_error,
    dimensions_error,
    require_end,
    require_sane_size,
    truncated_error,
)
from goalkeeper.witness.captures.unfit import UnfitArtifact

_READERS: dict[str, type[ImageFile]] = {
    "PNG": PngImageFile,
    "JPEG": JpegImageFile,
    "WEBP": WebPImageFile,
}
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, MemoryError)
_TAIL = 16  # so many bytes at the end of the image data
_SPOILS = (bytes(_TAIL), b"\x5a\xa5" * (_TAIL // 2))  # one may change no pixel
_MORE = b"\x5a\xa5" * 32  # it is more than a decoder reads ahead
_RESTART = late_pattern(rb"\xff[\xd0-\xd7]")
_ROWS = 256
_PIECE = 1 << 24
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # the channels of a PNG, by its kind of colour
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2))
_PASSES = (((0, 0, 1, 1),), (*_ADAM7, (0, 1, 1, 2)))


def decode_picture(picture: Picture) -> Image.Image:
    try:
        image = _READERS[picture.kind](BytesIO(picture.data))
        require_sane_size(*image.size)
        if picture.kind == "PNG":
            _require_exact(picture, image.size)
        image.load()
        if image.mode == "P" and image.palette is None:
            raise corrupt_error("there is no palette")
        # It fails if more colours are transparent than the palette has.
        image.crop((0, 0, 1, 1)).convert("RGBA")
    except _BROKEN as exc:
        raise corrupt_error(f"it cannot be decoded ({exc})") from exc
    return image


def _require_exact(png: Picture, size: tuple[int, int]) -> None:
    """Count all image data of a PNG, because Pillow ignores what is too much.

    It is inflated in pieces, and only as long as it fits the header, so hostile data takes no
    memory.
    """
    depth, colour, _, _, interlacing = png.data[24:29]
    expected = found = 0
    for left, top, across, down in _PASSES[min(interlacing, 1)]:
        columns, rows = -(-(size[0] - left) // across), -(-(size[1] - top) // down)
        expected += rows * (1 + -(-columns * depth * _CHANNELS.get(colour, 1) // 8))
    inflating, waiting = zlib.decompressobj(), png.deflated
    while waiting and found <= expected:
        found += len(inflating.decompress(waiting, _PIECE))
        waiting = inflating.unconsumed_tail
    require_end(png.deflated, len(png.deflated) - len(inflating.unused_data))
    if found > expected:
        raise dimensions_error(size, "more")
    if not inflating.eof:
        raise truncated_error("its image data is incomplete")
    if found < expected:
        raise dimensions_error(size, "less")


def require_true_dimensions(picture: Picture, size: tuple[int, int], shown: bytes) -> None:
    """Require that a JPEG or WebP has as much data as its header says; `shown` is its digest.

    Decoders invent what is missing and skip what is too much, and do not report it. So the data is
    made longer, which must change no pixel, and its end is spoiled, which must change some. The
    decoder of WebP does report what is missing. Rows that take no bytes at the end of a WebP, as in
    a blank page, can be left out of its header unnoticed.
    """
    start, end = picture.coded
    if start == end:
        return
    data, tail = picture.data, max(start, end - _TAIL)
    if picture.kind == "JPEG":
        # A decoder that misses data takes this, also if it waits for a restart marker.
        restart = 0xD0 + len(_RESTART.findall(data[start:end])) % 8
        longer = data[:end] + _MORE + bytes([0xFF, restart]) + _MORE + data[end:]
        if _digest_decoded(picture.replace(data=longer)) != shown:
            raise dimensions_error(size, "less")
    spoiled = (data[:tail] + spoil[: end - tail] + data[end:] for spoil in _SPOILS)
    if all(_digest_decoded(picture.replace(data=other)) == shown for other in spoiled):
        raise dimensions_error(size, "more")


def _digest_decoded(picture: Picture) -> bytes:
    try:
        return digest_pixels(decode_picture(picture))
    except UnfitArtifact:
        return b""


def digest_pixels(image: Image.Image) -> bytes:
    summed = hashlib.blake2b()
    for top in range(0, image.height, _ROWS):
        rows = image.crop((0, top, image.width, min(top + _ROWS, image.height)))
        summed.update(rows.tobytes())
    return summed.digest()
