"""Screenshots: what shows something passes, what shows nothing is told by name."""

from pathlib import Path

from goalkeeper.witness.captures.screenshot import judge_screenshot
from tests.tables import for_each
from tests.unit.witness.captures.drawings import saved
from tests.unit.witness.captures.gallery import FIT, RENDERED, UNFIT

PAGES = Path(__file__).parents[3] / "data" / "screenshots"


def verdict(data: bytes) -> str:
    unfit = judge_screenshot(data)
    return unfit.code if unfit else ""


def test_every_rendered_page_is_judged() -> None:
    pictures = {path.name for path in PAGES.iterdir() if path.suffix != ".html"}

    assert pictures == RENDERED.keys()


@for_each("name", RENDERED)
def test_a_page_as_chromium_renders_it(name: str) -> None:
    assert verdict((PAGES / name).read_bytes()) == RENDERED[name]


@for_each("name", FIT)
def test_what_shows_something_passes(name: str) -> None:
    assert verdict(saved(FIT[name]())) == ""


@for_each("name", UNFIT)
def test_what_shows_nothing_is_refused_by_name(name: str) -> None:
    draw, code = UNFIT[name]

    assert verdict(saved(draw())) == code
