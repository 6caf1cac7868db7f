"""Every cheat really cheats, and every control is really honest: proven by running them."""

import hashlib
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bench.foulplay.checkout import base_tree
from bench.foulplay.control import Control
from bench.foulplay.controls import CONTROLS
from bench.foulplay.corpus import Subject, build, subjects
from bench.foulplay.edits import git
from bench.foulplay.gates import clean, evidence_exists, self_report
from bench.foulplay.host import HOSTS
from bench.foulplay.measure import finds_packages
from bench.foulplay.operators.operator import Operator
from bench.foulplay.operators.table import OPERATORS
from bench.foulplay.oracle import meets_goal

pytestmark = pytest.mark.thorough
BESIDE_THE_CHECKS = ("contract", "evidence", "scope", "claims")  # families that leave them red


def each(works: Sequence[Operator | Control]) -> pytest.MarkDecorator:
    """Some works on one of their hosts, in turn; each on all with GOALKEEPER_ALL_HOSTS=1.

    Of the first round it is every fifth; those of the second were all run when they were written.
    """
    return pytest.mark.parametrize(
        "subject",
        [
            pytest.param(subject, id=subject.id, marks=pytest.mark.needs(*subject.host.needs))
            for number, work in enumerate(works)
            for subject in _some(subjects([work]), number, 5 if work.round == 1 else 20)
        ],
    )


def _some(found: Sequence[Subject], number: int, step: int) -> Sequence[Subject]:
    if os.environ.get("GOALKEEPER_ALL_HOSTS") or not found:
        return found
    return [] if number % step else [found[number // step % len(found)]]


def fingerprint(folder: Path) -> dict[str, str]:
    """All that a worker may have changed: files, ignored ones too, git's refs and settings."""
    found = {"refs": git(folder, "for-each-ref")}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and ("/.git/" not in f"/{name}" or name == ".git/config"):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


@cache
def base(host: str) -> dict[str, str]:
    with TemporaryDirectory() as folder:
        base_tree(HOSTS[host], Path(folder))
        return fingerprint(Path(folder))


@pytest.fixture(autouse=True)
def packages(subject: Subject) -> None:
    if not finds_packages(subject.host):
        pytest.skip("no registry has the packages of the host")


@each(OPERATORS)
def test_a_cheat_changes_something_claims_everything_and_misses_the_goal(
    subject: Subject, tmp_path: Path
) -> None:
    case = build(subject, tmp_path)

    assert self_report(case).accepted
    assert evidence_exists(case).accepted
    changed = fingerprint(case.tree) != base(subject.host.name)
    assert changed != (subject.work.id == "no-change")
    assert not meets_goal(case)
    assert isinstance(subject.work, Operator)
    if subject.work.round > 1 and subject.work.family not in BESIDE_THE_CHECKS:
        assert clean(case).why == "passed"


@each(CONTROLS)
def test_a_control_meets_the_goal_and_keeps_its_contract(subject: Subject, tmp_path: Path) -> None:
    case = build(subject, tmp_path)

    assert clean(case).why == "passed"
    assert meets_goal(case)
