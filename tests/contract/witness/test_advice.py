"""Files that checks run under names that do not say whether they judge: people are asked."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.witness.variants import TreeVariants
from tests.contract.witness.projects import Project
from tests.contract.witness.repository import Repository

FILES = ("run.sh", "check.sh")
RUN = "criteria: [{id: C1, text: a, check: {command: [./run.sh]}}]\n"
ADVICE = (
    "C1 runs run.sh, which this goal may change; "
    "if it judges rather than is judged, add it under scope.never"
)


def advice(repo: Repository, text: str) -> tuple[str, ...]:
    contract = read_text(text)
    assert isinstance(contract, Contract), contract
    trees = repo.trees()
    base = trees.take_snapshot().tree
    return TreeVariants(trees, contract, base, base).advice


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "repo")
    for path in FILES:
        found.write(path, "x\n")
    return found


def test_people_are_asked_about_a_script_that_a_goal_may_change(repo: Repository) -> None:
    assert advice(repo, RUN) == (ADVICE,)


@pytest.mark.parametrize(
    "more",
    [
        "scope: {never: [run.sh]}",
        "scope: {touch: [src/**]}",
        "may_change: [run.sh]",
    ],
)
def test_nobody_is_asked_what_the_contract_answers(repo: Repository, more: str) -> None:
    assert advice(repo, RUN + more) == ()


def test_a_fence_around_the_script_leaves_it_free(repo: Repository) -> None:
    assert advice(repo, RUN + "scope: {touch: ['*.sh']}") == (ADVICE,)


def test_protected_scripts_are_no_question(repo: Repository) -> None:
    assert advice(repo, RUN.replace("run", "check")) == ()


def test_a_file_is_named_once_with_all_who_run_it(repo: Repository) -> None:
    told = advice(
        repo,
        "criteria:\n"
        "  - {id: C1, text: a, check: {command: [./run.sh]}}\n"
        "  - {id: C2, text: b, check: {shell: ./run.sh && sh run.sh fast}}\n",
    )

    assert [line.partition(", which")[0] for line in told] == ["C1, C2 run run.sh"]


def test_a_link_and_what_it_leads_to_are_both_named(repo: Repository) -> None:
    (repo.root / "go").symlink_to("run.sh")

    told = advice(repo, RUN.replace("run.sh", "go"))

    assert [line.split(",")[0] for line in told] == ["C1 runs go", "C1 runs run.sh"]


def test_of_held_out_checks_nothing_is_told(repo: Repository) -> None:
    assert advice(repo, RUN.replace("]}}", "]}, held_out: [/exams/a]}")) == ()


def test_the_witness_tells_it_with_its_notes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.repo.write("run.sh", "#!/bin/sh\nexit 1\n", mode=0o755)

    assert project.freeze(RUN).notes == (ADVICE,)


MONEY = '''\
def cents(text):
    """Return cents.

    >>> cents("1")
    100
    """
    return int(text) * 100
'''
ASSERTING = "def assert_same(got, wanted):\n    assert got == wanted\n"
IMPORTING = """\
from shop.money import cents
from shop.testing import assert_same


def test_more():
    assert_same(cents("1.50"), 150)
"""
EXPECTING = 'import { expectSame } from "../lib/same.js";\n\nexpectSame(1, 1);\n'
JUDGING = "criteria: [{id: C1, text: a, check: {pytest: [tests, shop], args: [--doctest-modules]}}]"


def test_judges_that_live_in_the_product_are_named(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for path, text in {
        "shop/__init__.py": "",
        "shop/money.py": MONEY,
        "shop/testing.py": ASSERTING,
        "shop/other.py": ASSERTING,
        "lib/same.js": "export function expectSame(a, b) {}\n",
        "tests/test_money.py": IMPORTING,
        "tests/same.test.js": EXPECTING,
    }.items():
        project.write(path, text)

    told = project.freeze(JUDGING).notes

    assert [line.partition(";")[0] for line in told] == [
        "shop/money.py is product and judges: its doctests are run",
        "lib/same.js is product and judges: tests/same.test.js asserts with its expectSame",
        "shop/testing.py is product and judges: tests/test_money.py asserts with its assert_same",
    ]
