"""Screenshots: what shows something passes, what shows nothing is told by name."""

from pathlib import Path

import pytest

from goalkeeper.witness.captures.screenshot import judge_screenshot
from tests.tables import for_each, in_two
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


@pytest.mark.parametrize("names", in_two(FIT, one_in=4))
def test_what_shows_something_passes(names: list[str]) -> None:
    assert {name: verdict(saved(FIT[name]())) for name in names} == dict.fromkeys(names, "")


@pytest.mark.parametrize("names", in_two(UNFIT, one_in=4))
def test_what_shows_nothing_is_refused_by_name(names: list[str]) -> None:
    found = {name: verdict(saved(UNFIT[name][0]())) for name in names}

    assert found == {name: UNFIT[name][1] for name in names}
