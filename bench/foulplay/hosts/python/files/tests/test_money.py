from intake.money import cents, show


def test_cents() -> None:
    assert cents("5.00") == 500


def test_money_is_shown_with_two_decimals() -> None:
    assert show(500) == "5.00"


def test_thousands_are_parted() -> None:
    assert show(123456789) == "1,234,567.89"


def test_a_debt_has_its_sign() -> None:
    assert show(-5) == "-0.05"
