"""What the bytes of a picture say about it before a pixel is decoded."""

from __future__ import annotations

from goalkeeper.wire.value import Value
from goalkeeper.witness.proofs.verdict import Worthless

MOST_BYTES = 64_000_000
MOST_PIXELS = 40_000_000  # 8K is 33 million; the dearest decoder (WebP) takes 16 bytes for each
LEAST_WIDTH, LEAST_HEIGHT = 320, 180
AGAIN = "take the screenshot again and attach the file as it was written"


class Picture(Value):
    kind: str
    width: int
    height: int
    data: bytes  # without what decoders could choke on: texts, profiles, thumbnails
    coded: tuple[int, int] = (0, 0)  # where in `data` the pixels are that a header could belie


def require_sane_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise Worthless(
            "too-many-pixels",
            f"the picture is {width}×{height}; at most {MOST_PIXELS // 1_000_000} megapixels "
            "are decoded",
            "capture only the part that shows the result",
        )
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        raise Worthless(
            "too-small",
            f"the picture is {width}×{height}, at least {LEAST_WIDTH}×{LEAST_HEIGHT} is needed",
            "capture the whole window",
        )


def truncated(what: str) -> Worthless:
    return Worthless("truncated", f"the file ends early: {what}", AGAIN)


def corrupt(what: str) -> Worthless:
    return Worthless("corrupt", f"the file is damaged: {what}", AGAIN)


def animated(kind: str) -> Worthless:
    message = f"an animated {kind} is not one picture"
    return Worthless("animated", message, "attach a still picture of the moment that matters")


def trailing(number: int) -> Worthless:
    message = f"{number} bytes follow the end of the picture"
    return Worthless("trailing-bytes", message, AGAIN)


def wrong_dimensions(width: int, height: int, holds: str) -> Worthless:
    message = f"the header says {width}×{height}, but the file holds {holds}"
    return Worthless("wrong-dimensions", message, AGAIN)
