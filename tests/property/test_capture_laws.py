"""Judges of artifacts: they answer whatever they are given, and a page is a page in any format."""

import json
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from goalkeeper.witness.captures.automation import judge_automation
from goalkeeper.witness.captures.pty import judge_pty
from goalkeeper.witness.captures.screenshot import judge_screenshot
from goalkeeper.witness.captures.unfit import Unfit
from tests.unit.witness.captures.drawings import font, saved, sentence, sixteen_bits

JUDGES: dict[str, Callable[[bytes], Unfit | None]] = {
    "screenshot": judge_screenshot,
    "pty": judge_pty,
    "automation": judge_automation,
}
PAGE = sentence(size=(320, 180))
SEEDS = (
    saved(PAGE),
    saved(PAGE.quantize(4)),
    saved(PAGE, "JPEG"),
    saved(PAGE, "JPEG", progressive=True),
    saved(PAGE, "WEBP"),
    saved(PAGE.convert("RGBA"), "WEBP", lossless=True),
    b"\x1b[1mone\x1b[2J\x1b[3;4Htwo\x1b]0;three\x07\x1b#8\x1b(0\x1b7\x1b8",
    b'{"version": 2, "width": 80, "height": 24}\n[0.1, "o", "\\u001b[1mhello"]\n',
    b'{"schemaVersion": 1, "tool": "t", "actions": [{"type": "click", "timestamp": 1}]}',
)
HEAD = ["schemaVersion", "tool", "surface", "actions", "assertions"]
names = st.sampled_from([*HEAD, "type", "timestamp", "selector", "status"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["web", "click", "passed", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5),
    max_leaves=12,
)
sequences = st.lists(
    st.sampled_from(
        ["\x1b[", "\x1b]", "\x1b", "?", ";", "0", "2", "25", "9999", "m", "H", "J", "K"]
    )
    | st.sampled_from(
        ["h", "l", "r", "L", "@", "P", "X", "\x07", "\r", "\n", "\t", "\b", "あ", "\u0301"]
    )
    | st.characters(),
    max_size=60,
).map("".join)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        data[start : start + draw(st.integers(0, 6))] = draw(st.binary(max_size=6))
    return bytes(data)


@pytest.mark.parametrize("judge", JUDGES)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_refused_for_a_reason(judge: str, data: bytes) -> None:
    unfit = JUDGES[judge](data)

    assert unfit is not None
    assert unfit.code
    assert unfit.message
    assert unfit.mend


@pytest.mark.parametrize("judge", JUDGES)
@given(data=damaged())
def test_damaged_artifacts_get_an_answer(judge: str, data: bytes) -> None:
    unfit = JUDGES[judge](data)

    assert unfit is None or unfit.code


@given(text=sequences)
def test_any_control_sequences_get_an_answer(text: str) -> None:
    unfit = judge_pty(text.encode("utf-8", "replace"))

    assert unfit is None or unfit.code


@given(value=values)
def test_any_json_gets_an_answer(value: object) -> None:
    assert judge_automation(json.dumps(value).encode()) is not None


@st.composite
def pages(draw: st.DrawFn) -> Image.Image:
    """Some lines of text that can be read, anywhere on a page of any colours."""
    width, height = draw(st.integers(320, 480)), draw(st.integers(180, 300))
    dark, light = draw(st.integers(0, 80)), draw(st.integers(175, 255))
    tint = draw(st.tuples(*[st.integers(-20, 20)] * 3))
    shades = [tuple(level + part for part in tint) for level in (dark, light)]
    paper, ink = shades if draw(st.booleans()) else reversed(shades)
    image = Image.new("RGB", (width, height), paper)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, width - 140)), draw(st.integers(0, height - 30))
        words = draw(st.sampled_from(["Aurora is berthed", "3 of 7 boxes left", "Nothing to do"]))
        ImageDraw.Draw(image).text(at, words, ink, font=font(draw(st.integers(12, 20))))
    return image


VARIANTS: dict[str, Callable[[Image.Image], bytes]] = {
    "RGB": saved,
    "grey": lambda page: saved(page.convert("L")),
    "grey with alpha": lambda page: saved(page.convert("LA")),
    "alpha": lambda page: saved(page.convert("RGBA")),
    "palette": lambda page: saved(page.quantize(32)),
    "few colours": lambda page: saved(page.quantize(4), bits=2),
    "16 bits": lambda page: saved(sixteen_bits(page)),
    "JPEG": lambda page: saved(page, "JPEG"),
    "poor JPEG": lambda page: saved(page, "JPEG", quality=25),
    "progressive JPEG": lambda page: saved(page, "JPEG", progressive=True, optimize=True),
    "grey JPEG": lambda page: saved(page.convert("L"), "JPEG"),
    "CMYK": lambda page: saved(page.convert("CMYK"), "JPEG"),
    "WebP": lambda page: saved(page, "WEBP", method=0),
    "lossless WebP": lambda page: saved(page.convert("RGBA"), "WEBP", lossless=True, method=0),
}


@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(page=pages())
def test_a_page_passes_in_every_format(page: Image.Image) -> None:
    verdicts = {name: judge_screenshot(variant(page)) for name, variant in VARIANTS.items()}

    assert verdicts == dict.fromkeys(VARIANTS)
