"""What is around a program that asks, and which tests mean it."""

import pytest

from goalkeeper.tamper.questions.around import SURROUNDINGS, is_named_in, put_in_order
from goalkeeper.tamper.questions.model import Question

BY_NAME = {each.name: each for each in SURROUNDINGS}
PATHS = frozenset({"src", "src/prices.py", "bin", "bin/shop", "README.md"})


def ask(call: str) -> Question:
    return Question(call, "3", (), 1, has_digits=False)


@pytest.mark.parametrize(
    ("name", "meant", "other"),
    [
        ("time zone", "the day in local time", "datetime(2024, 1, 1, tzinfo=timezone.utc)"),
        ("time zone", "datetime.fromtimestamp(0)", "datetime.fromtimestamp(0, timezone.utc)"),
        ("time zone", "new Date(2024, 0, 31)", 'new Date("2024-01-31T10:00Z")'),
        ("time zone", 'TZ = "Europe/Rome"', "localhost"),
        ("locale", 'setlocale(LC_ALL, "de_DE")', "LCD"),
        ("folder", "monkeypatch.chdir(tmp_path)", "tmp_path / 'out.txt'"),
        ("folder", "process.cwd()", "a scwd"),
        ("order", "@pytest.fixture(autouse=True)", "beforeEach(() => {})"),
        ("order", "def setUp(self):", "sorted(words)"),
    ],
)
def test_tests_that_speak_of_it_mean_it(name: str, meant: str, other: str) -> None:
    assert BY_NAME[name].is_meant(meant)
    assert not BY_NAME[name].is_meant(other)


@pytest.mark.parametrize(
    ("call", "is_named"),
    [
        ('load("src/prices.py")', True),
        ('load("./bin/shop")', True),
        ('scan("src")', True),
        ('scan(".")', True),
        ('subprocess.run(["shop", "12 kg"])', True),
        ('parse("3/4 cup")', False),
        ('format_price(12, "eur")', False),
    ],
)
def test_a_path_of_the_tree_brings_its_folder(call: str, *, is_named: bool) -> None:
    assert is_named_in(ask(call), BY_NAME["folder"], PATHS) is is_named


def test_signs_beyond_ascii_bring_their_locale() -> None:
    assert is_named_in(ask('fold("Straße")'), BY_NAME["locale"], PATHS)
    assert not is_named_in(ask('fold("street")'), BY_NAME["locale"], PATHS)


def test_another_order_is_from_the_last_on() -> None:
    quick = Question("f(1)", "1", (), 1, has_digits=False)
    asked = [(0, quick.replace(is_played=True)), *((n, quick) for n in (1, 2, 3))]

    assert put_in_order(SURROUNDINGS, asked) == [0, 3, 2, 1]
    assert put_in_order((), asked) == [1, 2, 3, 0]
