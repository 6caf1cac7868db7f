"""What a test file says of one of its tests."""

import pytest

from goalkeeper.tamper.questions.own_text import read_own_text

FILE = """\
import os

LIMIT = 3


@pytest.fixture(autouse=True)
def clean():
    reset()


@pytest.fixture
def here(tmp_path):
    os.chdir(tmp_path)


def load(name):
    return find(name, os.environ["TZ"])


def find(name, zone):
    return (name, zone)


class TestAll:
    def test_one(self):
        assert load("a")

    def test_two(self, here):
        assert walk()
"""


@pytest.mark.parametrize(
    ("test", "has", "has_not"),
    [
        ("test_one", ["LIMIT", "reset()", "TZ", "def find"], ["chdir", "walk"]),
        ("test_two", ["LIMIT", "reset()", "chdir", "walk"], ["TZ", "def find"]),
        ("", ["chdir", "walk", "TZ"], []),
    ],
)
def test_a_test_has_its_own_code_and_what_that_names(
    test: str, has: list[str], has_not: list[str]
) -> None:
    found = read_own_text(FILE, test)

    assert [word for word in has if word not in found] == []
    assert [word for word in has_not if word in found] == []


def test_what_cannot_be_read_is_taken_as_a_whole() -> None:
    assert read_own_text("def (", "test_one") == "def ("
