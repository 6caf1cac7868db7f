"""Picture files: broken, lying, foreign and hostile ones are refused, each for its own reason."""

import json
import random
import struct
import subprocess
import sys
import zlib
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from goalkeeper.witness.captures.picture_outline import MOST_BYTES
from goalkeeper.witness.captures.screenshot import judge_screenshot
from goalkeeper.witness.captures.unfit import Unfit
from tests.tables import for_each
from tests.unit.witness.captures import drawings
from tests.unit.witness.captures.drawings import saved

PAGE = drawings.paragraphs()
PNG = saved(PAGE)
JPEG = saved(PAGE, "JPEG")
WEBP = saved(PAGE, "WEBP")
LOSSLESS = saved(PAGE, "WEBP", lossless=True)
PROGRESSIVE = saved(PAGE, "JPEG", progressive=True)
RESTARTING = saved(PAGE, "JPEG", restart_marker_rows=1)
FILES = {"png": PNG, "jpeg": JPEG, "progressive": PROGRESSIVE, "webp": WEBP, "lossless": LOSSLESS}


def verdict(data: bytes) -> str:
    unfit = judge_screenshot(data)
    return unfit.code if unfit else ""


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(*chunks: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + chunk(b"IEND", b"")


def header(width: int, height: int, depth: int = 8, colour: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))


def deflated_zeros(number: int) -> bytes:
    deflating, piece = zlib.compressobj(9), bytes(1_000_000)
    parts = [deflating.compress(piece) for _ in range(number // len(piece))]
    return b"".join([*parts, deflating.flush()])


def with_jpeg_size(data: bytes, width: int, height: int) -> bytes:
    frame = max(data.find(b"\xff\xc0\x00\x11"), data.find(b"\xff\xc2\x00\x11"))
    return data[: frame + 5] + struct.pack(">HH", height, width) + data[frame + 9 :]


@for_each("name", FILES)
def test_whole_files_pass(name: str) -> None:
    assert verdict(FILES[name]) == ""


@for_each("mode", ["1", "L", "LA", "P", "RGB", "RGBA"])
def test_every_kind_of_png_is_read(mode: str) -> None:
    assert verdict(saved(PAGE.convert(mode))) == ""


@for_each("depth", [1, 2, 4])
def test_few_bits_are_enough(depth: int) -> None:
    assert verdict(saved(PAGE.quantize(2**depth), bits=depth)) == ""


@for_each("mode", ["L", "CMYK"])
def test_every_kind_of_jpeg_is_read(mode: str) -> None:
    assert verdict(saved(PAGE.convert(mode), "JPEG")) == ""


def interlaced(image: Image.Image) -> bytes:
    """Pillow reads interlaced files, but writes none."""
    grey, rows = image.convert("L"), b""
    starts = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2))
    for left, top, across, down in (*starts, (0, 1, 1, 2)):
        for y in range(top, grey.height, down):
            row = grey.crop((0, y, grey.width, y + 1)).tobytes()
            rows += b"\0" + row[left::across]
    head = struct.pack(">IIBBBBB", grey.width, grey.height, 8, 0, 0, 0, 1)
    return png(chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)))


def test_interlaced_ones_are_read() -> None:
    data = interlaced(PAGE)

    assert Image.open(BytesIO(data)).tobytes() == PAGE.convert("L").tobytes()
    assert verdict(data) == ""


@for_each("kind", ["GIF", "BMP", "TIFF", "PDF", "ICO", "PPM", "AVIF", "JPEG2000"])
def test_other_formats_are_refused_by_name(kind: str) -> None:
    names = {"ICO": "icon", "PPM": "Netpbm", "JPEG2000": "JPEG 2000"}

    unfit = judge_screenshot(saved(PAGE, kind))

    assert unfit is not None
    assert unfit.code == "wrong-format"
    assert f"is {names.get(kind, kind)}," in unfit.message


@for_each(
    ("data", "name"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a --><svg/>", "SVG"),
        (b"<!DOCTYPE html><p>I am a screenshot", "HTML"),
    ],
)
def test_drawings_in_text_are_refused_by_name(data: bytes, name: str) -> None:
    unfit = judge_screenshot(data)

    assert unfit is not None
    assert unfit.code == "wrong-format"
    assert name in unfit.message


@for_each("data", [b"a screenshot, honestly", b"RIFF\0\0\0\0WAVE", b"\0" * 5000])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    assert verdict(data) == "not-a-picture"


def test_nothing_is_refused() -> None:
    assert judge_screenshot(b"") == Unfit(
        "empty",
        "the file is empty",
        "take the screenshot again and attach the file as it was written",
    )


@for_each(("kind", "options"), [("PNG", {}), ("WEBP", {"lossless": True})])
def test_films_are_refused(kind: str, options: dict[str, bool]) -> None:
    frames = [drawings.sentence(f"Frame {number}") for number in range(2)]
    data = saved(PAGE, kind, save_all=True, append_images=frames, duration=100, **options)

    assert verdict(data) == "animated"


@for_each("name", FILES)
def test_a_file_that_ends_early_is_refused_wherever_it_ends(name: str) -> None:
    data = FILES[name]
    chance = random.Random(1)
    ends = {len(data) - 1, len(data) - 2, len(data) // 2, 40}
    ends |= {chance.randrange(30, len(data)) for _ in range(40)}

    assert {end: verdict(data[:end]) for end in ends} == dict.fromkeys(ends, "truncated")


@for_each("name", FILES)
def test_bytes_after_the_end_are_refused(name: str) -> None:
    assert verdict(FILES[name] + b"PK\x03\x04 hidden") == "trailing-bytes"


def test_bytes_after_the_image_data_of_a_png_are_refused() -> None:
    pixels = zlib.compress(bytes(361 * 640))

    assert verdict(png(header(640, 360), chunk(b"IDAT", pixels + b"hidden"))) == "trailing-bytes"


def test_a_png_with_a_wrong_bit_is_refused_wherever_it_is() -> None:
    chance = random.Random(2)
    for _ in range(40):
        wrong = bytearray(PNG)
        wrong[chance.randrange(8, len(PNG))] ^= 1 << chance.randrange(8)

        assert verdict(bytes(wrong)) in {"corrupt", "truncated"}


def test_a_wrong_checksum_is_told_with_the_name_of_its_part() -> None:
    wrong = bytearray(PNG)
    wrong[PNG.index(b"IDAT") + 4] ^= 1

    unfit = judge_screenshot(bytes(wrong))

    assert unfit is not None
    assert unfit.message == "the file is damaged: the checksum of chunk IDAT is wrong"


@for_each("name", ["jpeg", "progressive"])
@for_each("foreign", [b"a lie here", b"Z" * 1_000_000, b"\xff\x00"])
def test_nothing_may_stand_between_the_parts_of_a_jpeg(name: str, foreign: bytes) -> None:
    data = FILES[name]
    end = 4 + int.from_bytes(data[4:6])

    assert verdict(data[:end] + foreign + data[end:]) == "corrupt"
    assert verdict(data[:end] + b"\xff\xff" + data[end:]) == ""


def test_a_checksum_may_not_be_wrong_even_where_no_pixel_is() -> None:
    texts = PngInfo()
    texts.add_text("Comment", "taken on a Tuesday")

    assert verdict(saved(PAGE, pnginfo=texts).replace(b"Tuesday", b"tuesday")) == "corrupt"


@for_each(
    ("colour", "chunks"),
    [
        (3, []),
        (3, [chunk(b"PLTE", bytes(6)), chunk(b"tRNS", bytes(300))]),
        (0, [chunk(b"tRNS", bytes(1))]),
        (0, [chunk(b"IHDR", bytes(12))]),
        (0, [chunk(b"IHDR", bytes(13))]),
        (7, []),
    ],
)
def test_a_png_that_contradicts_itself_is_refused(colour: int, chunks: list[bytes]) -> None:
    pixels = chunk(b"IDAT", zlib.compress(bytes(360 * 641)))

    assert verdict(png(header(640, 360, colour=colour), *chunks, pixels)) == "corrupt"


def test_a_png_may_name_one_colour_transparent() -> None:
    assert verdict(saved(PAGE.convert("L"), transparency=255)) == ""
    assert verdict(saved(PAGE, transparency=(255, 255, 255))) == ""
    assert verdict(saved(PAGE.quantize(8), transparency=0)) == ""


@for_each(("width", "height"), [(640, 364), (640, 300), (648, 360), (600, 360)])
def test_a_png_has_the_dimensions_of_its_header(width: int, height: int) -> None:
    rows = PAGE.convert("L").tobytes()
    pixels = b"".join(b"\0" + rows[start : start + 640] for start in range(0, len(rows), 640))
    data = png(header(width, height), chunk(b"IDAT", zlib.compress(pixels)))

    assert verdict(data) == "wrong-dimensions"


@for_each("name", ["jpeg", "progressive", "restarting"])
@for_each("larger", [(0, 32), (0, -32), (32, 0), (-32, 0), (0, 700)])
def test_a_jpeg_has_the_dimensions_of_its_header(name: str, larger: tuple[int, int]) -> None:
    data = {"restarting": RESTARTING, **FILES}[name]

    assert verdict(with_jpeg_size(data, 640 + larger[0], 360 + larger[1])) == "wrong-dimensions"


def test_a_webp_has_the_dimensions_of_its_header() -> None:
    taller = WEBP[:26] + struct.pack("<HH", 640, 424) + WEBP[30:]
    canvas = saved(PAGE, "WEBP", exif=b"Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0")
    wider = canvas[:24] + struct.pack("<I", 700)[:3] + canvas[27:]

    assert verdict(canvas) == ""
    assert verdict(taller) == "corrupt"
    assert verdict(wider) == "wrong-dimensions"


@for_each("size", [(319, 400), (400, 179), (16, 16)])
def test_small_pictures_are_refused(size: tuple[int, int]) -> None:
    assert verdict(saved(drawings.sentence("ok", at=(0, 0), size=size))) == "too-small"


def test_the_smallest_screenshot_passes() -> None:
    assert verdict(saved(drawings.sentence(size=(320, 180)))) == ""


@for_each("size", [(1025, 180), (1026, 181), (1027, 1030)])
def test_a_picture_may_be_a_little_larger_than_what_is_looked_at_at_once(
    size: tuple[int, int],
) -> None:
    assert verdict(saved(drawings.sentence(size=size))) == ""


def test_large_files_are_not_even_looked_at() -> None:
    assert verdict(bytes(MOST_BYTES + 1)) == "too-large"


BOMBED = """
import json, resource, sys
from pathlib import Path
from goalkeeper.witness.captures.screenshot import judge_screenshot
import goalkeeper.witness.captures.picture_decoding, goalkeeper.witness.captures.pixels
most = 300_000_000 + int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (most, most))
files = sorted(Path(sys.argv[1]).iterdir())
unfits = {path.name: judge_screenshot(path.read_bytes()) for path in files}
print(json.dumps({name: unfit.code if unfit else "" for name, unfit in unfits.items()}))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_bombs_are_refused_before_they_go_off(tmp_path: Path) -> None:
    pixels, texts = deflated_zeros(400_000_000), PngInfo()
    texts.add(b"zTXt", b"Comment\0\0" + pixels)
    texts.add(b"iTXt", b"Comment\0\1\0\0\0" + pixels)
    chunks = [chunk(b"tEXt", b"")] * 200_000
    huge = {
        "claims little": (png(header(640, 360), chunk(b"IDAT", pixels)), "wrong-dimensions"),
        "claims much": (png(header(20_000, 20_000), chunk(b"IDAT", pixels)), "too-many-pixels"),
        "claims all": (png(header(2**31 - 1, 2**31 - 1), chunk(b"IDAT", b"")), "too-many-pixels"),
        "texts": (saved(PAGE, pnginfo=texts), ""),
        "profile": (saved(PAGE, icc_profile=bytes(50_000_000)), ""),
        "chunks": (png(header(640, 360), *chunks), "corrupt"),
        "jpeg": (with_jpeg_size(JPEG, 65_500, 65_500), "too-many-pixels"),
        "webp": (WEBP[:26] + struct.pack("<HH", 16_383, 16_383) + WEBP[30:], "too-many-pixels"),
    }
    for name, (data, _) in huge.items():
        (tmp_path / name).write_bytes(data)

    ran = subprocess.run(
        [sys.executable, "-c", BOMBED, tmp_path], check=True, capture_output=True, text=True
    )

    assert json.loads(ran.stdout) == {name: code for name, (_, code) in huge.items()}
