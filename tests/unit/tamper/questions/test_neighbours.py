"""Neighbours of inputs: close enough that most of them are valid."""

from datetime import datetime

from goalkeeper.tamper.questions.model import NEIGHBOURS
from goalkeeper.tamper.questions.neighbours import change_text_a_little, count_neighbours
from goalkeeper.tamper.questions.numbers import choose_numbers
from goalkeeper.tamper.spoiling.values import Chooser


def is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def test_the_number_of_an_encoding_stays() -> None:
    assert "8859" not in choose_numbers(["iso-8859-1", "ISO-8859-15"], Chooser("a seed", "n"))
    assert choose_numbers(["utf-8", "UTF-16"], Chooser("a seed", "n")) == {}
    assert "8859" in choose_numbers(["8859-1", "lot-8859"], Chooser("a seed", "n"))


def test_an_escape_stays() -> None:
    assert choose_numbers(["http://[fe80::a%25en/", "a%20b"], Chooser("a seed", "n")) == {}
    assert set(choose_numbers(["25 %"], Chooser("a seed", "n"))) == {"25"}


def test_a_moment_is_no_code_with_a_check_digit() -> None:
    """Of codes two digits at once are others, which hardly leaves a month or an hour."""
    moment = "2024-05-16T12:35:25"
    near = [change_text_a_little(moment, Chooser("a seed", f"{n}")) for n in range(200)]

    assert sum(map(is_moment, near)) > 170
    assert count_neighbours([moment]) == NEIGHBOURS
    assert count_neighbours(["978-0-306-40615-7"]) > NEIGHBOURS
