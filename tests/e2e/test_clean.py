"""`clean` removes what nothing needs any more, and nothing else."""

import io
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from goalkeeper import bootstrap
from goalkeeper.cli.main import main
from goalkeeper.system.scratch import make_scratch
from goalkeeper.witness.folders import name_repository
from tests.e2e.drives import FIX, NOTE, Driven
from tests.e2e.project import BROKEN, MENDED, Project, contract, criterion
from tests.e2e.world import World

REMOVALS = 3  # of what is planted
SETTINGS = "version = 1\n[keep]\ndays = 0\n"
UNNAMED = "ab" * 32
LONG_AGO = time.time() - 3 * 86400


@pytest.fixture
def worked(project: Project) -> Project:
    """A run that was judged twice, and whose work is done now."""
    (project.root / ".goalkeeper").mkdir(exist_ok=True)
    (project.root / ".goalkeeper/config.toml").write_text(SETTINGS)
    project.begin(contract(criterion("C1", {"command": ["grep", "-q", "fixed", "product.txt"]})))
    for said in ("once\n", "twice\n"):
        project.write({"notes.txt": said})
        project.judge("--isolation", "checkout")
    project.write(MENDED)
    return project


def age(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (LONG_AGO, LONG_AGO))


def evidence(world: World) -> set[Path]:
    return {*world.state.glob("runs/*/evidence/*/*.json")}


def objects(world: World) -> list[Path]:
    return [*world.home.glob(".local/state/goalkeeper/trees/*/store.git/objects/??/*")]


def plant_unneeded(world: World) -> list[Path]:
    """Plant what a killed process leaves, and evidence that no event names."""
    (store,) = world.home.glob(".local/state/goalkeeper/trees/*/store.git")
    (run,) = world.state.glob("runs/2*")
    unnamed = run / "evidence/ab" / f"{UNNAMED}.json"
    unnamed.parent.mkdir(exist_ok=True)
    unnamed.write_text("{}")
    index = store.parent / "index-abcd"
    index.mkdir()
    half = store / "objects/tmp_obj_x"
    half.write_text("half")
    age(unnamed, index, half)
    return [unnamed, index, half]


def test_M7_what_nothing_names_is_removed_and_what_is_named_stays(worked: Project) -> None:
    assert worked.judge("--isolation", "checkout")["ok"]  # the plan now names this one only
    unneeded = plant_unneeded(worked)
    young = unneeded[0].with_name("1" * 64 + ".json")
    young.write_text("{}")
    assert len(objects(worked)) > 4
    listed = worked.ok("clean", "--dry-run")["would_remove"]
    disk = worked.ok("doctor")["disk"]
    assert disk.keys() == {"state", "trees", "cache", "worktrees"}
    assert all(path.exists() for path in unneeded)

    removed = worked.ok("clean")

    assert [each["what"] for each in removed["removed"]] == [each["what"] for each in listed]
    assert removed["bytes"] == sum(each["bytes"] for each in listed) > 0
    assert not any(path.exists() for path in unneeded)
    assert young.exists()
    named = re.findall(r'"evidence":"([0-9a-f]{64})"', worked.ledger().decode())
    assert {path.stem for path in evidence(worked)} > {*named}
    assert len({*named}) == 3
    assert objects(worked) == []
    assert worked.ok("clean")["removed"] == []
    assert worked.ok("judge", "--isolation", "checkout")["ok"]
    worked.ok("ledger", "verify")


def test_clean_in_one_repository_leaves_the_held_out_evidence_of_another(project: Project) -> None:
    (project.root / ".goalkeeper").mkdir(exist_ok=True)
    project.begin(None)
    copy = project.root.with_name("copy")
    shutil.copytree(project.root, copy, symlinks=True)
    (run,) = project.state.glob("runs/2*")
    old = project.home / ".local/state/goalkeeper/held_out" / run.name
    own = old / name_repository(str(project.root))
    kept = [Path(place, "ab", f"{UNNAMED}.json") for place in (old, own)]
    for path in kept:
        path.parent.mkdir(parents=True)
        path.write_text("{}")
        age(path)

    project.ok("trust", "--state", "--yes", cwd=copy, env=project.human())
    project.ok("clean", cwd=copy)
    assert [path.exists() for path in kept] == [True, True]

    project.ok("clean")
    assert [path.exists() for path in kept] == [True, False]  # whose the old one is nobody knows


def test_M7_an_ended_run_keeps_what_its_plan_and_receipts_name(worked: Project) -> None:
    assert worked.complete().code == 0  # it cleans by itself: its run has ended

    kept = {path.stem for path in evidence(worked)}
    judged = [each["data"]["judgement"] for each in worked.events("goal_judged")]
    seen = [each["evidence"] for one in judged for each in one["criteria"]]
    plan = next(worked.state.glob("runs/*/goals.json")).read_text()
    (receipt, *_) = (path.read_text() for path in worked.state.glob("runs/*/receipts/*.json"))
    assert kept & {*seen} == {seen[-1]}
    assert len({*seen}) == 3
    assert seen[-1] in plan
    assert receipt
    worked.ok("ledger", "verify")
    worked.commit("done")
    worked.ok("receipt", "verify")
    worked.ok("report")
    worked.ok("state", "doctor")


def test_M7_a_clean_that_was_killed_is_finished_by_the_next(worked: Project) -> None:
    words = ("clean", "--json")
    for nth in range(1, REMOVALS + 1):
        unneeded = plant_unneeded(worked)
        child = os.fork()
        if child == 0:
            left = [nth]

            def strike(event: str, _: object, left: list[int] = left) -> None:
                if event in {"os.remove", "os.rmdir", "os.rename", "shutil.rmtree"}:
                    left[0] -= 1
                    if not left[0]:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(strike)
            worked.run(*words)
            os._exit(0)
        _, status = os.waitpid(child, 0)

        worked.ok("clean")

        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        assert not any(path.exists() for path in unneeded)
        worked.ok("ledger", "verify")
        assert worked.ok("clean")["removed"] == []


def test_M7_a_branch_with_proven_work_stays_until_it_has_landed(driven: Driven) -> None:
    driven.write({".goalkeeper/config.toml": "version = 1\n"})
    driven.commit("settings")
    assert driven.drive({"G001": [FIX]}).reason == "done"

    driven.ok("clean")
    branch = driven.branch()
    assert driven.worktree().exists()
    assert driven.refused("clean", "--runs-older-than", "0") == "giving-up-needs-human"
    shown = driven.run("clean", "--runs-older-than", "0", "--dry-run", env=driven.human())
    assert "next: goalkeeper clean --runs-older-than 0\n" in shown.out
    asked = driven.on_terminal("clean", "--runs-older-than", "0", keys=b"n\n")
    assert (asked.code, f"branch {branch}" in asked.err) == (1, True)
    driven.ok("land")
    assert driven.git("branch", "--list", branch) != ""  # it has the iterations
    tip = driven.git("rev-parse", branch)[:12]

    removed = driven.ok("clean")["removed"]

    assert f"branch {branch} at {tip}" in [each["what"] for each in removed]
    assert driven.git("branch", "--list", branch) == ""
    assert driven.ok("land")["how"] == "already there"
    driven.ok("report")


def test_M7_a_human_can_give_up_proven_work(driven: Driven) -> None:
    assert driven.drive({"G001": [FIX]}).reason == "done"
    branch = driven.branch()
    tip = driven.git("rev-parse", branch)[:12]

    asked = driven.ok("clean", "--runs-older-than", "0", env=driven.human())

    assert f"branch {branch} at {tip}" in [each["what"] for each in asked["removed"]]
    assert driven.git("branch", "--list", branch) == ""
    assert not driven.worktree().exists()


def test_M7_what_was_set_aside_unproven_goes_when_a_user_asks(driven: Driven) -> None:
    assert driven.drive({"G001": [NOTE]}, "--max-iterations", "1").code == 1
    branch, worktree = driven.branch(), driven.worktree()
    driven.ok("clean")
    assert driven.git("branch", "--list", branch) != ""
    driven.ok("state", "clear", "--force", "--mode", "ultragoal", env=driven.human())

    driven.ok("clean")

    assert driven.git("branch", "--list", branch) == ""
    assert not worktree.exists()


def test_M7_what_came_into_use_while_a_human_thought_stays(worked: Project) -> None:
    used, unused, _ = plant_unneeded(worked)
    later = unused.with_name("index-later")

    class Thinking(io.BytesIO):
        def isatty(self) -> bool:
            return True

        def readline(self, _size: int | None = -1) -> bytes:
            used.touch()
            later.mkdir()
            age(later)
            return b"y\n"

    asked = io.StringIO()
    environ = {name: os.fsdecode(value) for name, value in worked.environ().items()}
    world = bootstrap.World(environ, str(worked.root), Thinking(), io.StringIO(), asked)
    code = main(["clean", "--runs-older-than", "9"], world)

    assert (code, str(used.parent.parent) in asked.getvalue()) == (0, True)
    assert not unused.exists()
    assert used.exists()
    assert later.exists()  # nobody was asked about it


def test_M7_the_store_of_a_repository_that_is_gone_goes_too(
    worked: Project, tmp_path: Path
) -> None:
    (store,) = worked.home.glob(".local/state/goalkeeper/trees/*")
    (cache,) = worked.home.glob(".cache/goalkeeper/witness/*")
    other = tmp_path / "other"
    other.mkdir()
    worked.git("init", "--quiet", cwd=other)
    worked.ok("clean", cwd=other)
    assert store.exists()
    shutil.rmtree(worked.root)
    other_config = other / ".goalkeeper/config.toml"
    other_config.parent.mkdir()
    other_config.write_text(SETTINGS)
    worked.ok("clean", cwd=other)
    assert store.exists()  # one repository does not set the days of another

    os.utime(store, (0, 0))
    worked.ok("clean", cwd=other)

    assert not store.exists()
    assert not cache.exists()


def test_M7_leftovers_of_processes_that_are_gone_are_removed(world: World) -> None:
    with make_scratch("test") as ours:
        name = re.sub(r"-(\d+)\.(\d+)\.", r"-\1.1.", ours)  # a process that ended long ago
        os.mkdir(name)
        foreign = tempfile.mkdtemp(prefix="goalkeeper-")
        world.ok("clean")

        assert not os.path.exists(name)
        assert os.path.exists(ours)
        assert os.path.exists(foreign)
    os.rmdir(foreign)


def test_M7_checkouts_and_passes_are_bounded(worked: Project) -> None:
    slots = [*worked.home.glob(".cache/goalkeeper/witness/*/slots/*")]
    assert any((slot / "tree").exists() for slot in slots)
    worked.write({".goalkeeper/config.toml": "version = 1\n[keep]\nmegabytes = 1\n"})
    (slots[0] / "tree/large").write_bytes(b"x" * (2 << 20))

    worked.ok("clean")

    assert not (slots[0] / "tree").exists()
    worked.write(BROKEN)
    assert not worked.judge("--isolation", "checkout")["ok"]
