"""Finds out whether pixels show something, or only a colour, a gradient, plain areas or noise.

*Detail* is where a pixel differs from what its neighbours suggest: |a - b - c + d| for a square of
four. Areas, gradients and straight borders have none; the strokes of letters, rounded corners,
icons, curves and photographs have much. Noise has detail as well, but there it is as strong as the
differences between neighbours, because these do not depend on each other. The ratio of their
squares (*disorder*) is 1 for noise of any strength and for dust, 1.2 to 2 for dithering; it is 0.2
to 0.6 for letters and photographs. It is measured upright and, for slanting lines, diagonally; the
lower one counts.

It is measured in blocks of 16×16 pixels, so one line of text on a large page counts as much as a
page full of it; and at several scales, because coarse noise shows only at a coarse scale. The
numbers below were found on rendered pages, photographs and drawn counter-examples; the tests fail
if they become wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from PIL import Image, ImageChops

from goalkeeper.witness.captures.unfit import Unfit

_CONTRAST = 28  # it is of 255; below are JPEG's blocks, dithering, and what no eye can read
_BLOCK = 16
_LEAST_DETAIL = 6  # a block needs so many pixels: four corners of plain areas are no detail
_MOST_DISORDER, _MOST_UPRIGHT = 0.6, 1.15  # content has no more; dithering is orderly diagonally
_LEAST_SEEN = 24  # pixels of orderly detail are needed; the word "ok" has 70
_LEAST_ORDER = 0.05  # the share of blocks with detail: a few of them are orderly by chance
_CLEAR_DETAIL, _CLEAR_DISORDER = 16, 0.45  # chance makes no such block, so one is enough
_SCALES = (1, 2, 4, 8)
_SHARP = (1, 2)  # what shows only at coarser scales is shading, not content
_NOISE = 0.7  # more disorder than content may have: a screen full of digits comes close
_FULL, _CALM, _CLEAR = 0.9, 0.15, 0.01  # noise has detail all over, few calm blocks, none clear
_TILE = 1024
_SQUARES = [float(level * level) for level in range(256)]
_MARKS = [float(2 * level >= _CONTRAST) for level in range(256)]  # detail is kept halved

_MEND = "take the screenshot when the page or window shows the result"
_NOTHING = (
    Unfit("uniform", "it shows one colour and nothing else", _MEND),
    Unfit("gradient", "it shows a smooth gradient and nothing else", _MEND),
    Unfit("plain", "it shows plain areas with straight borders: no text, no picture", _MEND),
    Unfit("noise", "it shows noise: pixels that have nothing to do with their neighbours", _MEND),
)


class _BlockTally:
    """The counts of the blocks of a picture at one scale."""

    def __init__(self) -> None:
        self.blocks = self.busy = self.calm = self.orderly = self.clear = 0
        self.seen = self.seen_clearly = self.stray = 0.0  # these count pixels of detail

    def add_block(self, detail: float, upright: float, diagonal: float) -> None:
        disorder, is_busy = min(upright, diagonal), detail >= _LEAST_DETAIL
        is_orderly = disorder < _MOST_DISORDER and upright < _MOST_UPRIGHT
        if not is_orderly:
            self.stray += detail
        elif is_busy:
            self.orderly += 1
            self.seen += detail
        if is_orderly and disorder < _CLEAR_DISORDER and detail >= _CLEAR_DETAIL:
            self.clear += 1
            self.seen_clearly += detail
        self.busy += is_busy
        self.calm += is_busy and disorder < _NOISE

    @property
    def is_noise(self) -> bool:
        is_full = self.busy >= _FULL * self.blocks
        return is_full and self.calm < _CALM * self.busy and self.clear < _CLEAR * self.busy

    @property
    def shows_something(self) -> bool:
        by_more_than_chance = self.orderly >= _LEAST_ORDER * self.busy
        return max(self.seen_clearly, self.seen * by_more_than_chance) >= _LEAST_SEEN


def explain_emptiness(image: Image.Image) -> Unfit | None:
    """Return why the pixels show nothing; transparent ones are shown on white and on black."""
    backgrounds = ("white", "black") if image.has_transparency_data else ("white",)
    codes = [_classify_pixels(image, background) for background in backgrounds]
    if not all(codes):
        return None
    return next(unfit for unfit in _NOTHING if unfit.code == codes[0])


def _classify_pixels(image: Image.Image, background: str) -> str:
    tallies = {scale: _BlockTally() for scale in _SCALES}
    edge, lows, highs = 0, [255] * 3, [0] * 3
    for tile in _cut_tiles(image, background):
        for scale, tally in tallies.items():
            _count_blocks(tile.reduce(scale) if scale > 1 else tile, tally)
        # Diagonal neighbours differ at a border of any direction.
        shifted = tile.crop((1, 1, tile.width, tile.height))
        before = tile.crop((0, 0, tile.width - 1, tile.height - 1))
        edge = max(
            edge, _measure_ranges(_take_strongest(ImageChops.difference(before, shifted)))[0][1]
        )
        for channel, (low, high) in enumerate(_measure_ranges(tile.reduce(8))):
            lows[channel], highs[channel] = min(lows[channel], low), max(highs[channel], high)
    if any(tally.is_noise for tally in tallies.values()):
        return "noise"
    if any(tallies[scale].shows_something for scale in _SHARP):
        return ""
    if tallies[1].stray >= _LEAST_SEEN:
        return "noise"
    if edge >= _CONTRAST:
        return "plain"
    spread = max(high - low for low, high in zip(lows, highs, strict=True))
    return "gradient" if spread >= _CONTRAST else "uniform"


def _cut_tiles(image: Image.Image, background: str) -> Iterator[Image.Image]:
    """Yield the picture in pieces, so that little more memory is used than for the picture."""
    for top in range(0, image.height - 2, _TILE):  # tiles overlap by two
        for left in range(0, image.width - 2, _TILE):
            right, bottom = min(left + _TILE + 2, image.width), min(top + _TILE + 2, image.height)
            yield _convert_to_colour(image.crop((left, top, right, bottom)), background)


def _convert_to_colour(tile: Image.Image, background: str) -> Image.Image:
    if tile.has_transparency_data:
        opaque = Image.new("RGBA", tile.size, background)
        return Image.alpha_composite(opaque, tile.convert("RGBA")).convert("RGB")
    if tile.mode.startswith("I"):  # it has 16 bits; `convert` would cut off what is above 255
        tile = tile.convert("I").point(lambda level: level * (1 / 257)).convert("L")
    return tile.convert("RGB")


def _count_blocks(image: Image.Image, tally: _BlockTally) -> None:
    width, height = image.width - 2, image.height - 2
    if width < 1 or height < 1:
        return

    def shift_image(x: int, y: int) -> Image.Image:
        return image.crop((1 + x, 1 + y, 1 + x + width, 1 + y + height))

    here, right, below = shift_image(0, 0), shift_image(1, 0), shift_image(0, 1)
    left, above, across = shift_image(-1, 0), shift_image(0, -1), shift_image(1, 1)
    detail = _take_strongest(_measure_detail(here, across, right, below))
    marks = [share * _BLOCK * _BLOCK for share in _average_blocks(detail, _MARKS)]
    tally.blocks += len(marks)
    if not any(marks):
        return
    upright = _measure_disorder(detail, (here, right), (here, below))
    diagonal = _measure_disorder(
        _take_strongest(_measure_detail(above, below, left, right)), (right, above), (left, above)
    )
    for seen in zip(marks, upright, diagonal, strict=True):
        if seen[0]:
            tally.add_block(*seen)


def _measure_detail(
    one: Image.Image, two: Image.Image, three: Image.Image, four: Image.Image
) -> Image.Image:
    """Return half of |one + two - three - four|, so that it fits."""
    return ImageChops.difference(ImageChops.add(one, two, 2), ImageChops.add(three, four, 2))


def _measure_disorder(crossed: Image.Image, *steps: tuple[Image.Image, Image.Image]) -> list[float]:
    differences = (_take_strongest(ImageChops.difference(*step)) for step in steps)
    ways = [_average_blocks(difference, _SQUARES) for difference in differences]
    return [
        4 * cross / (one + other) if one + other else 0.0  # all may be at the edge
        for cross, one, other in zip(_average_blocks(crossed, _SQUARES), *ways, strict=True)
    ]


def _take_strongest(difference: Image.Image) -> Image.Image:
    red, green, blue = difference.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def _measure_ranges(image: Image.Image) -> list[tuple[int, int]]:
    return [
        (levels[0], levels[-1])
        for channel in image.split()
        if (levels := [level for level, number in enumerate(channel.histogram()) if number])
    ]


def _average_blocks(levels: Image.Image, worth: Sequence[float]) -> array[float]:
    """Return for each block what its pixels are worth, divided by their number."""
    columns, rows = -(-levels.width // _BLOCK), -(-levels.height // _BLOCK)
    whole = levels.crop((0, 0, columns * _BLOCK, rows * _BLOCK))  # the rest is filled up with black
    return array("f", whole.point(worth, "F").reduce(_BLOCK).tobytes())
