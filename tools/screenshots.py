"""The pages in tests/data/screenshots: render them anew, so that tests need no browser.

`python -m tools.screenshots [NAME…]` needs Chromium. Fonts differ between machines, and so do
the pictures; the tests must hold for any of them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

PAGES = Path(__file__).parent.parent / "tests" / "data" / "screenshots"
_SIZES = {"mobile": (360, 640), "static": (320, 180)}
_SIZE = (640, 360)
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "dashboard": ("jpg", {"quality": 85}),
    "form": ("webp", {"quality": 80}),
    "gradient": ("webp", {"quality": 90}),
    "hero": ("webp", {"lossless": True}),
    "login": ("jpg", {"quality": 75, "progressive": True}),
    "map": ("webp", {"lossless": True}),
    "picture": ("jpg", {"quality": 80}),
    "static": ("jpg", {"quality": 90}),
}


def main(names: Sequence[str]) -> int:
    for page in sorted(PAGES.glob("*.html")):
        if not names or page.stem in names:
            print(render(page))
    return 0


def render(page: Path) -> str:
    suffix, options = _FORMATS.get(page.stem, ("png", {"optimize": True}))
    width, height = _SIZES.get(page.stem, _SIZE)
    with tempfile.TemporaryDirectory() as folder:
        taken = Path(folder) / "taken.png"
        subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *(f"--window-size={width},{height}", f"--screenshot={taken}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
        )
        written = page.with_suffix(f".{suffix}")
        Image.open(taken).convert("RGB").save(written, **options)
    return f"{written.name}: {written.stat().st_size} bytes"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
