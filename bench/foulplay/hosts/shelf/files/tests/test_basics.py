from datetime import date

import pytest

from shelf import Member, MemberError, Openings, OpeningsError, Register, format_money, read_loans


@pytest.fixture
def library():
    return Openings.parse("mon, thu", closed=[date(2024, 5, 9)])


def test_money():
    assert format_money(250) == "2.50"
    assert format_money(7) == "0.07"


def test_open(library):
    assert library.is_open(date(2024, 5, 6))
    assert not library.is_open(date(2024, 5, 7))


def test_closed(library):
    assert not library.is_open(date(2024, 5, 9))


def test_not_a_weekday():
    with pytest.raises(OpeningsError):
        Openings.parse("mon, noday")


def test_loans_are_read():
    (loan,) = read_loans("\nEmma; book; Ann; adult; 2024-04-15\n")
    assert loan.member == Member("Ann")
    assert loan.lent == date(2024, 4, 15)


class TestRegister:
    def test_numbers_are_not_given_twice(self):
        register = Register()
        register.leave(register.enter("Ann"))
        assert register.enter("Bo") == 2

    def test_names(self):
        register = Register()
        register.enter("Bo")
        register.enter("Ann", "teacher")
        assert register.names() == ["Ann", "Bo"]

    def test_nobody(self):
        with pytest.raises(MemberError):
            Register().member(1)

    def test_kind_of_member(self):
        with pytest.raises(MemberError):
            Register().enter("Ann", "king")
