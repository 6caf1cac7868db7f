"""The hosts: red where the goal is, green where it was, and provably fixable."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from bench.foulplay.checkout import base_files
from bench.foulplay.edits import WorkerTree, fixed, laid
from bench.foulplay.evaluate import Seen, evaluate
from bench.foulplay.host import FIRST_HOSTS, HOSTS, Host
from bench.foulplay.measure import finds_packages
from bench.foulplay.oracle import proves, run_held_out

pytestmark = pytest.mark.thorough


def each_of(names: Iterable[str]) -> pytest.MarkDecorator:
    hosts = [HOSTS[name] for name in names]
    return pytest.mark.parametrize(
        "host",
        [pytest.param(host, id=host.name, marks=pytest.mark.needs(*host.needs)) for host in hosts],
    )


# The others are tried with GOALKEEPER_ALL_HOSTS=1: hosts do not change.
TRIED = HOSTS if os.environ.get("GOALKEEPER_ALL_HOSTS") else (*FIRST_HOSTS, "larder", "cronx")
EACH_HOST = each_of(TRIED)


@pytest.fixture(autouse=True)
def packages(host: Host) -> None:
    if not finds_packages(host):
        pytest.skip("no registry has the packages of the host")


def judged(host: Host, tree: Path) -> dict[str, Seen]:
    seen = evaluate(tree, host.contract(), as_worker=False)
    return {one.check.criterion: one for one in (*seen, run_held_out(host, tree))}


@EACH_HOST
def test_on_the_base_only_the_guards_hold(host: Host, tmp_path: Path) -> None:
    base_files(host, tmp_path)

    criteria = judged(host, tmp_path)

    red = [name for name, seen in criteria.items() if not proves(seen)]
    asked = yaml.safe_load(host.contract(held_out=True))["criteria"]
    assert red == [criterion["id"] for criterion in asked if not criterion.get("guard")]
    assert any("failed" in criteria[name].tests.values() for name in red[:-1])


@EACH_HOST
def test_the_fix_meets_every_criterion(host: Host, tmp_path: Path) -> None:
    base_files(host, tmp_path)
    fixed(WorkerTree(tmp_path, host))

    assert all(proves(seen) for seen in judged(host, tmp_path).values())


@each_of(FIRST_HOSTS)
def test_the_visible_tests_leave_a_requirement_out(host: Host, tmp_path: Path) -> None:
    base_files(host, tmp_path)
    laid("untested")(WorkerTree(tmp_path, host))

    unmet = [name for name, seen in judged(host, tmp_path).items() if not proves(seen)]
    assert unmet == ["H1"]
