"""What an index needs: names, ranges of pages, an order, references, and the program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backmatter import (
    Index, LoopError, PageError, TermError, format_pages, invert, parse_pages, sort_key,
)

SOURCE = Path(__file__).parents[1] / "src"


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("Ada Lovelace", "Lovelace, Ada"),
        ("Grace Brewster Hopper", "Hopper, Grace Brewster"),
        ("Ludwig van Beethoven", "Beethoven, Ludwig van"),
        ("Robert De Niro", "De Niro, Robert"),
        ("Walter De La Mare", "De La Mare, Walter"),
        ("Martin Luther King Jr.", "King, Martin Luther, Jr."),
        ("Thurston Howell III", "Howell, Thurston, III"),
        ("Van Morrison", "Morrison, Van"),
        ("Voltaire", "Voltaire"),
        ("Curie, Marie", "Curie, Marie"),
        ("  Jan   Tschichold ", "Tschichold, Jan"),
        ("Dick Van Dyke", "Van Dyke, Dick"),
    ],
)
def test_invert(name, heading):
    assert invert(name) == heading


@pytest.mark.parametrize("name", ["", "   "])
def test_no_name(name):
    with pytest.raises(TermError):
        invert(name)


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        ([3, 4, 5, 9], "3-5, 9"),
        ([71, 72], "71-72"),
        ([9, 10, 11, 12, 96, 97, 98], "9-12, 96-98"),
        ([100, 101, 102], "100-102"),
        ([107, 108], "107-8"),
        ([321, 322, 323, 324], "321-24"),
        ([499, 500, 501], "499-501"),
        ([998, 999, 1000], "998-1000"),
        ([1087, 1088, 1089], "1087-89"),
        ([1103, 1104], "1103-4"),
        ([1500, 1501, 12], "12, 1500-1501"),
        ([], ""),
    ],
)
def test_format(pages, text):
    assert format_pages(pages) == text


@pytest.mark.parametrize("page", [0, -4])
def test_no_page(page):
    with pytest.raises(PageError):
        format_pages([page, 7])


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("3-5, 9", [3, 4, 5, 9]),
        ("17", [17]),
        ("8, 6 - 9", [6, 7, 8, 9]),
        ("321-24", [321, 322, 323, 324]),
        ("107-8,108", [107, 108]),
        ("98-101", [98, 99, 100, 101]),
        ("1087-89, 2", [2, 1087, 1088, 1089]),
        ("60,61", [60, 61]),
    ],
)
def test_parse(text, pages):
    assert parse_pages(text) == pages


@pytest.mark.parametrize("text", ["", "x", "4-", "9-3", "5-5", "0", "3,,4"])
def test_not_pages(text):
    with pytest.raises(PageError):
        parse_pages(text)


@pytest.mark.parametrize("first", [8, 57, 95, 109, 300, 640, 1396, 2003])
def test_round_trip(first):
    pages = [*range(first, first + 7), first + 20]
    assert parse_pages(format_pages(pages)) == pages


def test_order():
    terms = ["Newark", "New York", "a serif", "The Hague", "newel", "Hague, Clara"]
    expected = ["The Hague", "Hague, Clara", "Newark", "newel", "New York", "a serif"]
    assert sorted(terms, key=sort_key) == expected


class TestIndex:
    def test_lines(self, index):
        index.add("kerning", "12-14, 30")
        index.add("The Bodoni", "7")
        index.add("Bembo", "101, 102, 103")
        assert index.lines() == ["Bembo, 101-3", "The Bodoni, 7", "kerning, 12-14, 30"]

    def test_see(self, index):
        index.add("typeface", "5")
        index.see("font", "typeface")
        index.add("font", "9")
        assert index.lookup("font") == [5, 9]
        assert index.lines() == ["font, see typeface", "typeface, 5, 9"]

    def test_pages_move(self, index):
        index.add("fount", "2-3")
        index.add("font", "4")
        index.see("fount", "font")
        assert index.lines() == ["font, 2-4", "fount, see font"]

    def test_loops(self, index):
        index.see("font", "fount")
        index.see("fount", "typeface")
        with pytest.raises(LoopError):
            index.see("typeface", "font")
        with pytest.raises(LoopError):
            index.see("glyph", "glyph")

    def test_unknown(self, index):
        with pytest.raises(TermError):
            index.lookup("ligature")

    def test_limit(self):
        index = Index(limit=2)
        index.add("margin", "3, 5, 9")
        index.add("gutter", "3, 8-20")
        assert index.lines() == ["gutter, 3, 8-20", "margin, passim"]


class TestProgram:
    @pytest.fixture
    def make(self, tmp_path):
        def run(notes, *options):
            (tmp_path / "notes").write_text(notes)
            env = {**os.environ, "PYTHONPATH": str(SOURCE)}
            argv = [sys.executable, "-m", "backmatter", "make", "notes", *options]
            return subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True)

        return run

    def test_make(self, make):
        done = make("serif: 4\nthe x-height: 8, 9\nfont -> typeface\ntypeface: 3\n")
        assert done.stdout == "font, see typeface\nserif, 4\ntypeface, 3\nthe x-height, 8-9\n"
        assert done.returncode == 0

    def test_make_with_limit(self, make):
        assert make("ink: 1, 3, 5\npaper: 2\n", "--limit", "2").stdout == "ink, passim\npaper, 2\n"

    def test_bad_line(self, make):
        done = make("ink: 1\n\npaper: two\n")
        assert done.returncode == 1
        assert "line 3" in done.stderr
