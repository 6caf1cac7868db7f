import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from shelf import (LoanError, Openings, due_date, fine, format_money, overdue_report, read_loans)

DATA = Path(__file__).parent / 'data'

@pytest.fixture
def library():
    return Openings.parse('mon-fri, sat', closed=[date(2024, 5, 1)])

@pytest.fixture
def loans():
    return read_loans((DATA / 'loans.txt').read_text())

def run(*words):
    return subprocess.run([sys.executable, '-m', 'shelf', *words],
        env={**os.environ, 'PYTHONPATH': 'src'}, capture_output=True, text=True)


def test_range_of_days():
    assert Openings.parse('mon-wed, sat').weekdays == {0, 1, 2, 5}


def test_names_of_days():
    assert Openings.parse('Monday,THURSDAY - fri').weekdays == {0, 3, 4}


def test_next_open(library):
    assert library.next_open(date(2024, 5, 1)) == date(2024, 5, 2)
    assert library.next_open(date(2024, 5, 3)) == date(2024, 5, 3)
    assert library.next_open(date(2024, 5, 5)) == date(2024, 5, 6)


def test_open_days_are_conuted(library):
    assert library.count_open(date(2024, 4, 29), date(2024, 5, 6)) == 5
    assert library.count_open(date(2024, 5, 6), date(2024, 5, 3)) == 0


def test_due(library):
    assert due_date('book', date(2024, 5, 2), library) == date(2024, 5, 23)
    assert due_date('film', date(2024, 5, 2), library) == date(2024, 5, 6)
    assert due_date('game', date(2024, 4, 17), library) == date(2024, 5, 2)


def test_teachers_keep_things_twice_as_long(library):
    assert due_date('magazine', date(2024, 5, 6), library, 'teacher') == date(2024, 5, 20)


def test_unknown_kind(library):
    with pytest.raises(LoanError, match='unknown kind: sofa'):
        due_date('sofa', date(2024, 5, 6), library)


def test_fine(library):
    assert fine('book', date(2024, 5, 6), date(2024, 5, 14), library) == 100
    assert fine('film', date(2024, 5, 6), date(2024, 5, 8), library) == 0


def test_fine_has_a_cap(library):
    assert fine('film', date(2024, 5, 6), date(2024, 9, 30), library) == 1500


def test_children_pay_a_third(library):
    assert fine('book', date(2024, 5, 6), date(2024, 5, 14), library, 'child') == 35


def test_large_and_negative_amounts():
    assert format_money(123450) == '1,234.50'
    assert format_money(-5) == '-0.05'


def test_report(library, loans):
    assert overdue_report(loans, date(2024, 5, 14), library) == (
        'Go          Clara  2024-03-15  10.00\n'
        'Emma        Ann    2024-05-06   1.00\n'
        'Metropolis  Bo     2024-05-06   0.85'
    )


def test_nothing_to_report(library, loans):
    assert overdue_report(loans[:2], date(2024, 5, 6), library) == 'nothing overdue'


def test_program():
    done = run('due', 'film', '2024-05-02', '--open', 'mon-sat', '--closed', '2024-05-06')
    assert (done.returncode, done.stdout) == (0, '2024-05-07\n')


def test_program_says_what_is_wrong():
    done = run('due', 'sofa', '2024-05-02')
    assert done.returncode == 2
    assert 'unknown kind: sofa' in done.stderr
