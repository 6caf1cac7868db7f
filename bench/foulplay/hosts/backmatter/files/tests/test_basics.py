import pytest

from backmatter import PageError, format_pages, parse_pages


def test_numbers_are_read():
    assert parse_pages("9, 3,5") == [3, 5, 9]


def test_numbers_are_written():
    assert format_pages([8, 2, 8]) == "2, 8"


def test_nonsense():
    with pytest.raises(PageError):
        parse_pages("three")


def test_terms_are_sorted(index):
    index.add("type", "3")
    index.add("Paper", "8, 5")
    assert index.terms() == ["Paper", "type"]


def test_pages_are_added(index):
    index.add("type", "3")
    index.add("type", "12, 3")
    assert index.lookup("type") == [3, 12]
