"""Decoding pictures whose bytes were found sound, and finding headers that belie their data."""

from __future__ import annotations

import hashlib
import re
import struct
from io import BytesIO

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from goalkeeper.witness.proofs.picture import Picture, corrupt, wrong_dimensions
from goalkeeper.witness.proofs.verdict import Worthless

_READERS: dict[str, type[ImageFile]] = {
    "PNG": PngImageFile,
    "JPEG": JpegImageFile,
    "WEBP": WebPImageFile,
}
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, struct.error, MemoryError)
_TAIL = 16  # bytes at the end of the coded pixels
_SPOILS = (bytes(_TAIL), b"\x5a\xa5" * (_TAIL // 2))  # two: one may happen to change no pixel
_MORE = b"\x5a\xa5" * 32  # more than a decoder reads ahead
_RESTART = re.compile(rb"\xff[\xd0-\xd7]")
_ROWS = 256


def decoded(picture: Picture) -> Image.Image:
    try:
        image: Image.Image = _READERS[picture.kind](BytesIO(picture.data))
        image.load()
    except _BROKEN as exc:
        raise corrupt(f"it cannot be decoded ({exc})") from exc
    if image.size != (picture.width, picture.height):
        raise wrong_dimensions(picture.width, picture.height, f"{image.width}×{image.height}")
    return image


def require_true_dimensions(picture: Picture, shown: bytes) -> None:
    """The coded pixels of a JPEG or WebP are as many as the header says; `shown` is their digest.

    Decoders make up what is missing and skip what is too much, without a word. So the data is
    made longer, which must change no pixel, and its end is spoiled, which must change some.
    A WebP's decoder does complain about what is missing. Rows that take no bytes at its end, as
    in a blank page, can be left out of its header unnoticed.
    """
    start, end = picture.coded
    if start == end:
        return
    data, tail = picture.data, max(start, end - _TAIL)
    if picture.kind == "JPEG":
        longer = data[:end] + _more(data[start:end]) + data[end:]
        if _digest(picture.replace(data=longer)) != shown:
            raise wrong_dimensions(picture.width, picture.height, "less")
    spoiled = (data[:tail] + spoil[: end - tail] + data[end:] for spoil in _SPOILS)
    if all(_digest(picture.replace(data=other)) == shown for other in spoiled):
        raise wrong_dimensions(picture.width, picture.height, "more")


def _more(coded: bytes) -> bytes:
    """Data that a decoder takes if it misses some, also where it waits for a restart marker."""
    restarts = len(_RESTART.findall(coded))
    return _MORE + bytes([0xFF, 0xD0 + restarts % 8]) + _MORE


def _digest(picture: Picture) -> bytes:
    try:
        return digest(decoded(picture))
    except Worthless:
        return b""


def digest(image: Image.Image) -> bytes:
    summed = hashlib.blake2b()
    for top in range(0, image.height, _ROWS):
        rows = image.crop((0, top, image.width, min(top + _ROWS, image.height)))
        summed.update(rows.tobytes())
    return summed.digest()
