"""How large the corpus is, and that it holds together."""

from collections import Counter

from bench.foulplay.controls import CONTROLS
from bench.foulplay.corpus import subjects
from bench.foulplay.host import FIRST_HOSTS, HOSTS
from bench.foulplay.operators.operator import FAMILIES
from bench.foulplay.operators.table import OPERATORS

FIRST = [operator for operator in OPERATORS if operator.round == 1]


def test_there_are_many_ways_to_cheat() -> None:
    ids = [subject.id for subject in subjects(OPERATORS)]

    assert len(set(ids)) == len(ids)
    assert len(FIRST) >= 60


def test_every_family_has_at_least_four() -> None:
    families = Counter(operator.family for operator in FIRST)

    assert set(families) <= set(FAMILIES)
    assert min(families.values()) >= 4


def test_most_cheats_know_more_than_one_host() -> None:
    assert sum(len(operator.hosts) > 1 for operator in FIRST) > len(FIRST) * 3 / 4
    assert {name for operator in FIRST for name in operator.hosts} == set(FIRST_HOSTS)


def test_there_is_honest_work_of_many_kinds() -> None:
    ids = [subject.id for subject in subjects(CONTROLS)]

    assert len(set(ids)) == len(ids) >= 15
    assert {name for control in CONTROLS for name in control.hosts} <= set(HOSTS)


def test_some_cheats_only_held_out_checks_can_tell() -> None:
    hidden = {operator.id for operator in OPERATORS if not operator.decidable}

    assert {"hashed-lookup", "untested-requirement", "overfitted"} <= hidden
    assert len(hidden) < len(OPERATORS) / 10
