"""The hosts: red where the goal is, green where it was, and provably fixable."""

from pathlib import Path

import pytest

from bench.foulplay.checkout import base_files
from bench.foulplay.edits import WorkerTree, fixed, laid
from bench.foulplay.evaluate import Seen, evaluate
from bench.foulplay.host import HOSTS, Host
from bench.foulplay.oracle import proves, run_held_out

pytestmark = pytest.mark.thorough
EACH_HOST = pytest.mark.parametrize(
    "host",
    [
        pytest.param(HOSTS["python"], id="python"),
        pytest.param(HOSTS["node"], id="node", marks=pytest.mark.needs("node", "npm")),
        pytest.param(HOSTS["shell"], id="shell", marks=pytest.mark.needs("make")),
    ],
)


def judged(host: Host, tree: Path) -> dict[str, Seen]:
    seen = evaluate(tree, host.contract(), as_worker=False)
    return {one.check.criterion: one for one in (*seen, run_held_out(host, tree))}


@EACH_HOST
def test_on_the_base_only_the_guards_hold(host: Host, tmp_path: Path) -> None:
    base_files(host, tmp_path)

    criteria = judged(host, tmp_path)

    assert [name for name, seen in criteria.items() if not proves(seen)] == ["C1", "H1"]
    assert "failed" in criteria["C1"].tests.values()


@EACH_HOST
def test_the_fix_meets_every_criterion(host: Host, tmp_path: Path) -> None:
    base_files(host, tmp_path)
    fixed(WorkerTree(tmp_path, host))

    assert all(proves(seen) for seen in judged(host, tmp_path).values())


@EACH_HOST
def test_the_visible_tests_leave_a_requirement_out(host: Host, tmp_path: Path) -> None:
    base_files(host, tmp_path)
    laid("untested")(WorkerTree(tmp_path, host))

    unmet = [name for name, seen in judged(host, tmp_path).items() if not proves(seen)]
    assert unmet == ["H1"]
