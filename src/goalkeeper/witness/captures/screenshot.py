"""Screenshots: a PNG, JPEG or WebP that is whole, large enough, and shows something."""

from __future__ import annotations

import re

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.captures import picture_outline
from goalkeeper.witness.captures.unfit import Unfit, UnfitArtifact, require_some

_MEND = "save the screenshot as PNG, JPEG or WebP"
_OTHERS = (
    (late_pattern(rb"GIF8[79]a"), "GIF"),
    (late_pattern(rb"BM.{4}\0\0\0\0", re.DOTALL), "BMP"),
    (late_pattern(rb"II\*\0|MM\0\*|II\+\0|MM\0\+"), "TIFF"),
    (late_pattern(rb"%PDF-"), "PDF"),
    (late_pattern(rb".{4}ftyp(avif|avis)", re.DOTALL), "AVIF"),
    (late_pattern(rb".{4}ftyp(hei[cfmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL), "HEIC"),
    (late_pattern(rb".{4}ftyp", re.DOTALL), "video"),
    (late_pattern(rb"\x1aE\xdf\xa3"), "video"),
    (late_pattern(rb"\0\0\x01\0"), "icon"),
    (late_pattern(rb"\xff\x0a|\0\0\0\x0cJXL "), "JPEG XL"),
    (late_pattern(rb"\0\0\0\x0cjP {2}|\xff\x4f\xff\x51"), "JPEG 2000"),
    (late_pattern(rb"8BPS"), "Photoshop"),
    (late_pattern(rb"qoif"), "QOI"),
    (late_pattern(rb"P[1-7]\s"), "Netpbm"),
    (late_pattern(rb"(\xef\xbb\xbf)?\s*<(?=.{0,2000}<?svg\b)", re.DOTALL | re.IGNORECASE), "SVG"),
    (late_pattern(rb"(\xef\xbb\xbf)?\s*<(!doctype )?html", re.IGNORECASE), "HTML"),
)


def judge_screenshot(data: bytes) -> Unfit | None:
    try:
        require_some(data, picture_outline.MOST_BYTES, picture_outline.AGAIN)
        outline = picture_outline.read_outline(data)
        if outline is None:
            raise _format_error(data)
        from goalkeeper.witness.captures import picture_decoding, pixels  # noqa: PLC0415  dear: Pillow

        image = picture_decoding.decode_picture(outline)
        size, nothing = image.size, pixels.explain_emptiness(image)
        shown = picture_decoding.digest_pixels(image)
        del image  # it may be large, and others of its size follow
        if not nothing:
            picture_decoding.require_true_dimensions(outline, size, shown)
    except UnfitArtifact as worthless:
        return worthless.unfit
    return nothing


def _format_error(data: bytes) -> UnfitArtifact:
    for begins, name in _OTHERS:
        if begins.match(data):
            return UnfitArtifact(
                "wrong-format", f"the file is {name}, not PNG, JPEG or WebP", _MEND
            )
    return UnfitArtifact("not-a-picture", "the file is not a picture that is known", _MEND)
