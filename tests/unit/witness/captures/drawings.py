"""Pictures to be judged: pages as a browser could show them, and what only looks like pictures."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import BytesIO
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

SIZE = (640, 360)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:  # noqa: ANN401  Pillow's
    if kind == "PNG":
        options.setdefault("compress_level", 1)
    written = BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def jpeg(image: Image.Image, quality: int) -> Image.Image:
    return Image.open(BytesIO(saved(image.convert("RGB"), "JPEG", quality=quality)))


def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def blank(colour: str = "white", size: tuple[int, int] = SIZE) -> Image.Image:
    return Image.new("RGB", size, colour)


def drawn(
    draw: Callable[[ImageDraw.ImageDraw], object],
    colour: str = "white",
    size: tuple[int, int] = SIZE,
) -> Image.Image:
    image = blank(colour, size)
    draw(ImageDraw.Draw(image))
    return image


def sentence(
    text: str = "The service is running.",
    *,
    at: tuple[int, int] = (20, 20),
    ink: str = "black",
    paper: str = "white",
    height: int = 16,
    size: tuple[int, int] = SIZE,
) -> Image.Image:
    return drawn(lambda draw: draw.text(at, text, ink, font=font(height)), paper, size)


def with_sentence(image: Image.Image, ink: str = "white") -> Image.Image:
    image = image.convert("RGB")
    ImageDraw.Draw(image).text((60, 120), "Bread, every morning", ink, font=font(24))
    return image


def on_glass(text: str, ink: str) -> Image.Image:
    image = Image.new("RGBA", SIZE, (0, 0, 0, 0))
    ImageDraw.Draw(image).text((20, 20), text, ink, font=font(18))
    return image


def hidden_under_glass() -> Image.Image:
    image = sentence().convert("RGBA")
    image.putalpha(0)
    return image


def sixteen_bits(image: Image.Image) -> Image.Image:
    levels = image.convert("L").tobytes()
    return Image.frombytes(
        "I;16", image.size, bytes(byte for level in levels for byte in (level, level))
    )


def gradient(size: tuple[int, int] = SIZE, *, turned: int = 0) -> Image.Image:
    ramp = Image.linear_gradient("L").rotate(turned).resize(size, Image.Resampling.BICUBIC)
    other = ramp.transpose(Image.Transpose.FLIP_TOP_BOTTOM).point(lambda level: level * 0.7 + 40)
    return Image.merge("RGB", (ramp, other, ramp.point(lambda level: 255 - level // 2)))


def diagonal() -> Image.Image:
    return gradient((1000, 1000)).rotate(30, Image.Resampling.BICUBIC).crop((180, 320, 820, 680))


def halo(size: tuple[int, int] = SIZE) -> Image.Image:
    round_one = Image.radial_gradient("L").resize(size, Image.Resampling.BICUBIC)
    return Image.merge(
        "RGB", (round_one.point(lambda level: 255 - level // 3), round_one, round_one)
    )


def blobs() -> Image.Image:
    chance = random.Random(4)
    image = blank("#334466")
    draw = ImageDraw.Draw(image)
    for _ in range(9):
        x, y, hue = chance.randrange(640), chance.randrange(360), chance.randrange(360)
        draw.ellipse((x - 90, y - 90, x + 90, y + 90), f"hsl({hue}, 60%, 60%)")
    return image.filter(ImageFilter.GaussianBlur(40))


def noise(
    size: tuple[int, int] = SIZE,
    *,
    tile: int = 1,
    channels: str = "RGB",
    least: int = 0,
    most: int = 255,
) -> Image.Image:
    chance = random.Random(7)
    small = (-(-size[0] // tile), -(-size[1] // tile))
    data = chance.randbytes(small[0] * small[1] * len(channels))
    table = [least + (most - least) * level // 255 for level in range(256)]
    image = Image.frombytes(channels, small, data.translate(bytes(table)))
    grown = image.resize((small[0] * tile, small[1] * tile), Image.Resampling.NEAREST)
    return grown.crop((0, 0, *size))


def speckled(image: Image.Image, share: float) -> Image.Image:
    chance = random.Random(3)
    image = image.copy()
    for _ in range(int(share * image.width * image.height)):
        image.putpixel((chance.randrange(image.width), chance.randrange(image.height)), (0, 0, 0))
    return image


def grainy(image: Image.Image, strength: int) -> Image.Image:
    lighter = ImageChops.add(image.convert("RGB"), noise(image.size, most=2 * strength))
    return ImageChops.subtract(lighter, Image.new("RGB", image.size, (strength,) * 3))


def stripes(width: int) -> Image.Image:
    pattern = Image.frombytes("L", (2, 1), b"\0\xff").resize(
        (2 * width, 360), Image.Resampling.NEAREST
    )
    return tiled(pattern)


def chequers(width: int) -> Image.Image:
    pattern = Image.frombytes("L", (2, 2), b"\0\xff\xff\0")
    return tiled(pattern.resize((2 * width, 2 * width), Image.Resampling.NEAREST))


def tiled(pattern: Image.Image) -> Image.Image:
    image = Image.new(pattern.mode, SIZE)
    for x in range(0, SIZE[0], pattern.width):
        for y in range(0, SIZE[1], pattern.height):
            image.paste(pattern, (x, y))
    return image.convert("RGB")


def grid() -> Image.Image:
    def draw(draw: ImageDraw.ImageDraw) -> None:
        for x in range(0, 640, 60):
            draw.line((x, 0, x, 360), "#999")
        for y in range(0, 360, 20):
            draw.line((0, y, 640, y), "#999")

    return drawn(draw)


def dotted() -> Image.Image:
    dot = blank(size=(16, 16))
    dot.putpixel((8, 8), (90, 90, 90))
    return tiled(dot)


def out_of_focus() -> Image.Image:
    return landscape().filter(ImageFilter.GaussianBlur(9))


def spinner() -> Image.Image:
    large = drawn(
        lambda draw: draw.arc((1160, 600, 1400, 840), 0, 270, "#36c", 40), size=(2560, 1440)
    )
    return large.resize(SIZE, Image.Resampling.LANCZOS)


def hatching() -> Image.Image:
    def draw(draw: ImageDraw.ImageDraw) -> None:
        for x in range(-360, 640, 12):
            draw.line((x, 0, x + 360, 360), "#246")
        draw.polygon(((200, 80), (500, 140), (330, 300)), "#fc6")

    return drawn(draw)


def paragraphs(size: tuple[int, int] = SIZE, *, height: int = 11) -> Image.Image:
    chance = random.Random(1)
    words = ["".join(chance.choices(LETTERS[:26], k=chance.randint(2, 9))) for _ in range(400)]

    def draw(draw: ImageDraw.ImageDraw) -> None:
        for row, top in enumerate(range(8, size[1] - height, height + 4)):
            draw.text((8, top), " ".join(words[row * 9 : row * 9 + 9]), "#222", font=font(height))

    return drawn(draw, "white", size)


def chart() -> Image.Image:
    chance = random.Random(2)

    def draw(draw: ImageDraw.ImageDraw) -> None:
        draw.line((30, 10, 30, 330, 630, 330), "#888")
        level = 200.0
        points = [(x, level := level + chance.uniform(-9, 9)) for x in range(30, 620, 3)]
        draw.line(points, "#c33")

    return drawn(draw)


def scatter() -> Image.Image:
    chance = random.Random(6)

    def draw(draw: ImageDraw.ImageDraw) -> None:
        draw.line((30, 10, 30, 330, 630, 330), "#888")
        for _ in range(300):
            x, y = chance.gauss(330, 110), chance.gauss(170, 60)
            draw.ellipse((x, y, x + 4, y + 4), "#2a6")

    return drawn(draw)


def stars() -> Image.Image:
    image = ImageChops.invert(speckled(blank(), 0.004))
    ImageDraw.Draw(image).text((500, 10), "SCORE 1240", "#8f8", font=font(16))
    return image


def quick_response_code() -> Image.Image:
    code = noise((29, 29), channels="L").point(lambda level: 255 * (level > 127))
    page = blank()
    page.paste(code.resize((290, 290), Image.Resampling.NEAREST).convert("RGB"), (175, 35))
    return page


def heat_map() -> Image.Image:
    image = blank()
    image.paste(noise((560, 300), tile=20), (60, 10))
    draw = ImageDraw.Draw(image)
    for hour in range(0, 28, 4):
        draw.text((60 + hour * 20, 318), f"{hour} h", "black", font=font(12))
    return image


def player() -> Image.Image:
    """A film that is only static, in a page around it."""
    image = blank("#181818")
    image.paste(noise((400, 225)), (20, 20))
    ImageDraw.Draw(image).text((20, 260), "Signal lost · 0:42 / 3:10", "#eee", font=font(18))
    return image


def landscape(size: tuple[int, int] = SIZE) -> Image.Image:
    """As a camera sees it: shades, an edge, texture that fades, grain."""
    width, height = size
    chance = random.Random(8)
    image = gradient(size).point(lambda level: 90 + level // 2)
    draw = ImageDraw.Draw(image)
    ridge = float(height // 2)
    for x in range(width):
        ridge += chance.uniform(-1.6, 1.6)
        draw.line((x, ridge, x, height), (40, 70 + x % 23, 50))
    for _ in range(width * 2):
        x, y = chance.randrange(width), chance.randrange(height // 2, height)
        reach = 2 + y / height * 6
        draw.line((x, y, x + chance.uniform(-3, 3), y - reach), (60, chance.randrange(70, 150), 50))
    return grainy(image.filter(ImageFilter.GaussianBlur(0.6)), 5)


def fractal() -> Image.Image:
    image = Image.effect_mandelbrot((320, 180), (-2.2, -1.2, 1.0, 1.2), 60)
    return image.resize(SIZE, Image.Resampling.BICUBIC)


def maze() -> Image.Image:
    chance = random.Random(12)

    def draw(draw: ImageDraw.ImageDraw) -> None:
        for x in range(0, 640, 16):
            for y in range(0, 360, 16):
                ends = (x, y, x + 16, y + 16) if chance.random() < 0.5 else (x + 16, y, x, y + 16)
                draw.line(ends, "#235", width=2)

    return drawn(draw, "#eef")
