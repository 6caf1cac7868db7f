from intake import Row
from intake.totals import by_account, mean

ROWS = (Row("d", "b", 100, "x"), Row("d", "a", 250, "y"), Row("d", "b", -30, "z"))


def test_totals_by_account() -> None:
    assert by_account(ROWS) == {"a": 250, "b": 70}


def test_accounts_are_sorted() -> None:
    assert list(by_account(ROWS)) == ["a", "b"]


def test_the_mean_of_nothing() -> None:
    assert mean(()) == 0.0
