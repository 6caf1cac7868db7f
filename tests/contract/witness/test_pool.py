"""Checkouts that are used again, and hold nothing of what was done in them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from stat import S_ISREG

import pytest

from goalkeeper.git.trees import Trees
from goalkeeper.witness.pool import CheckoutPool, CheckoutSlot, PoolFull, remove_path
from tests.contract.witness.misdeeds import MISDEEDS
from tests.contract.witness.repository import Repository

FILES = {
    "a.txt": "one\n",
    "run.sh": "#!/bin/sh\n",
    "src/app.py": "x = 1\n",
    "src/deep/er.py": "y = 1\n",
    "tests/test_app.py": "assert True\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    repo = Repository(tmp_path / "repo")
    for path, text in FILES.items():
        repo.write(path, text, 0o755 if path == "run.sh" else 0o644)
    (repo.root / "link").symlink_to("a.txt")
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    return repo


@pytest.fixture
def trees(repo: Repository) -> Trees:
    return repo.trees()


@pytest.fixture
def tree(trees: Trees) -> str:
    return trees.take_snapshot().tree


def contents(slot: CheckoutSlot) -> dict[str, str]:
    """Every file and folder of a checkout; of files what is in them."""
    found = {}
    for folder, folders, files in os.walk(slot.tree):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            stat = os.lstat(path).st_mode
            mode = stat & (0o170100 if S_ISREG(stat) else 0o170000)
            told = f"{mode:o}"
            if os.path.islink(path):
                told += os.readlink(path)
            elif os.path.isfile(path):
                told += Path(path).read_text()
            found[os.path.relpath(path, slot.tree)] = told
    return found


def clean(trees: Trees, tree: str) -> dict[str, str]:
    """What a checkout of the tree has in it when nobody was there before."""
    pool = CheckoutPool(trees)
    pool._dir += "-of-others"
    with pool.lease_slot(tree) as slot:
        return contents(slot)


def test_a_lease_is_a_checkout_of_exactly_the_tree(trees: Trees, tree: str) -> None:
    with CheckoutPool(trees).lease_slot(tree) as slot:
        found = contents(slot)
        assert (os.listdir(slot.home), os.listdir(slot.tmp)) == ([], [])

    assert found.keys() - {"src", "src/deep", "tests"} == {*FILES, "link", ".gitignore"}
    assert found["a.txt"] == "100000one\n"
    assert found["run.sh"].startswith("100100")
    assert found["link"] == "120000a.txt"


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_whatever_a_check_does_at_once_a_look_tells(
    misdeed: Callable[[Path], None], trees: Trees, tree: str
) -> None:
    pool = CheckoutPool(trees)
    with pool.lease_slot(tree, fresh=True) as slot:
        before = slot.prepared_marks
        assert pool.read_marks(slot, ()) == before
        misdeed(Path(slot.tree))
        try:
            after = pool.read_marks(slot, ())
        except OSError:
            after = {}

    assert after != before


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_what_a_check_did_is_undone_at_the_next_lease(
    misdeed: Callable[[Path], None], trees: Trees, tree: str
) -> None:
    with CheckoutPool(trees).lease_slot(tree) as slot:
        before = contents(slot)
        misdeed(Path(slot.tree))
        Path(slot.home, "left").write_text("behind")
        Path(slot.tmp, "left").mkdir()
        first = slot.dir

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert slot.dir == first
        assert contents(slot) == before
        assert not os.path.islink(slot.tree)
        assert (os.listdir(slot.home), os.listdir(slot.tmp)) == ([], [])


def test_what_lies_outside_is_left_alone(trees: Trees, tree: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine")
    with CheckoutPool(trees).lease_slot(tree) as slot:
        shutil.rmtree(os.path.join(slot.tree, "src"))
        os.symlink(outside, os.path.join(slot.tree, "src"))
        os.symlink(outside, os.path.join(slot.tree, "new"))
        os.rmdir(slot.home)
        os.symlink(outside, slot.home)

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert not os.path.islink(slot.home)
        assert contents(slot).keys() >= FILES.keys()
    with CheckoutPool(trees).lease_slot(tree, fresh=True):
        pass

    assert [file.name for file in outside.iterdir()] == ["mine"]


def test_another_tree_in_the_same_slot_is_that_tree(
    repo: Repository, trees: Trees, tree: str
) -> None:
    (repo.root / "src/app.py").unlink()
    (repo.root / "a.txt").unlink()
    repo.write("a.txt/is/a/folder", "now")
    repo.write("run.sh", "#!/bin/sh\n", 0o644)
    other = trees.take_snapshot().tree
    expected = clean(trees, other)

    with CheckoutPool(trees).lease_slot(tree) as slot:
        first = slot.dir
    with CheckoutPool(trees).lease_slot(other) as slot:
        assert slot.dir == first
        assert contents(slot) == expected
    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert contents(slot) == clean(trees, tree)


def test_two_leases_at_once_have_two_slots(trees: Trees, tree: str) -> None:
    with CheckoutPool(trees).lease_slot(tree) as one, CheckoutPool(trees).lease_slot(tree) as two:
        assert one.dir != two.dir
        Path(one.tree, "a.txt").write_text("mine")
        assert Path(two.tree, "a.txt").read_text() == "one\n"


def test_a_slot_that_held_the_tree_last_is_preferred(
    repo: Repository, trees: Trees, tree: str
) -> None:
    repo.write("a.txt", "two\n")
    other = trees.take_snapshot().tree
    with CheckoutPool(trees).lease_slot(tree) as one, CheckoutPool(trees).lease_slot(other) as two:
        places = one.dir, two.dir

    with CheckoutPool(trees).lease_slot(other) as again:
        assert again.dir == places[1]


def test_when_all_are_taken_it_says_so(
    trees: Trees, tree: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goalkeeper.witness.pool._SLOTS", 1)
    taken = pytest.raises(PoolFull)

    with CheckoutPool(trees).lease_slot(tree), taken, CheckoutPool(trees).lease_slot(tree):
        pass

    assert taken.excinfo is not None
    assert taken.excinfo.value.exit_code == 5


HOLD = """
import sys
from goalkeeper.witness.pool import CheckoutPool
from goalkeeper.git.trees import Trees
worktree, store, tree = sys.argv[1:]
with CheckoutPool(Trees(worktree, store)).lease_slot(tree) as slot:
    open(slot.tree + "/a.txt", "w").write("half a")
    print(slot.dir, flush=True)
    sys.stdin.read()
"""


def test_the_slot_of_a_dead_process_is_free_again(trees: Trees, tree: str) -> None:
    argv = [sys.executable, "-c", HOLD, trees.repository.worktree, trees.store, tree]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        held = other.stdout.readline().strip()
        with CheckoutPool(trees).lease_slot(tree) as slot:
            assert slot.dir != held
        other.send_signal(signal.SIGKILL)
        other.wait()
    shutil.rmtree(os.path.join(os.path.dirname(held), "1"))

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert slot.dir == held
        assert contents(slot) == clean(trees, tree)


def test_a_fresh_lease_does_not_believe_the_index(trees: Trees, tree: str) -> None:
    """An index may be made to say that a changed file is as it was."""
    with CheckoutPool(trees).lease_slot(tree) as slot:
        lie = Path(slot.tree, "tests/test_app.py")
        lie.write_text("pass  # sure\n")
        index = json.loads(Path(slot.index).read_text())
        index["tests/test_app.py"][2:] = slot.make_mark(str(lie), lie.lstat())
        Path(slot.index).write_text(json.dumps(index))
        Path(slot.setup).write_text("{}")
    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert contents(slot) != clean(trees, tree)

    with CheckoutPool(trees).lease_slot(tree, fresh=True) as slot:
        assert contents(slot) == clean(trees, tree)
        assert not os.path.exists(slot.setup)


def test_after_the_clock_was_set_back_files_are_laid_anew(
    trees: Trees, tree: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the future could be changed just when its old time comes again."""
    with CheckoutPool(trees).lease_slot(tree) as slot:
        first = slot.prepared_marks
    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert slot.prepared_marks == first

    early = time.time_ns() - 3600 * 10**9
    monkeypatch.setattr("time.time_ns", lambda: early)
    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert not {slot.prepared_marks[path] for path in FILES} & {*first.values()}


@pytest.mark.parametrize("rubbish", [b"", b"{}", b"[1]", b'{"a.txt": 1}', b"\0" * 100])
def test_a_broken_index_is_made_anew(rubbish: bytes, trees: Trees, tree: str) -> None:
    with CheckoutPool(trees).lease_slot(tree) as slot:
        Path(slot.index).write_bytes(rubbish)

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert contents(slot) == clean(trees, tree)


@pytest.mark.parametrize("plant", [os.mkdir, os.mkfifo, lambda path: os.symlink("/etc", path)])
def test_what_lies_where_the_index_is_written_does_not_stop_us(
    plant: Callable[[str], None], trees: Trees, tree: str
) -> None:
    with CheckoutPool(trees).lease_slot(tree) as slot:
        os.unlink(slot.index)
        plant(slot.index)
        Path(slot.tree, "a.txt").write_text("changed")

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert contents(slot) == clean(trees, tree)


def test_the_users_configuration_has_no_say_in_a_checkout(
    repo: Repository, home: Path, tmp_path: Path
) -> None:
    repo.write(".gitattributes", "*.txt filter=evil\n*.py ident merge=evil diff=evil\n")
    repo.write("id.py", "# $Id$\n")
    trees = repo.trees()
    tree = trees.take_snapshot().tree
    trap = f"sh -c 'touch {tmp_path}/sprung; cat'"
    (home / ".gitconfig").write_text(
        f'[core]\n\tautocrlf = true\n\teol = crlf\n[filter "evil"]\n\tsmudge = "{trap}"\n'
        f'\tclean = "{trap}"\n\trequired = true\n\tprocess = "{trap}"\n'
    )
    (home / ".config/git").mkdir(parents=True)
    shutil.copy(home / ".gitconfig", home / ".config/git/config")
    repo.git("config", "core.autocrlf", "true")
    repo.git("config", "filter.evil.smudge", trap)

    with CheckoutPool(trees).lease_slot(tree) as slot:
        assert Path(slot.tree, "a.txt").read_bytes() == b"one\n"
        assert Path(slot.tree, "src/app.py").read_bytes() == b"x = 1\n"

    assert not (tmp_path / "sprung").exists()


def test_attributes_of_a_tree_have_no_say_in_its_checkout_or_the_next(repo: Repository) -> None:
    repo.write("a.txt", "one\n")
    honest = repo.trees().take_snapshot().tree
    wide = "*.wide text working-tree-encoding=UTF-16LE\n"
    repo.write(".gitattributes", f"*.txt text eol=crlf ident\n{wide}")
    repo.write("b.wide", b"x\0\n\0")
    trees = repo.trees()
    twisted = trees.take_snapshot().tree

    for tree in (twisted, honest, twisted):
        with CheckoutPool(trees).lease_slot(tree) as slot:
            assert Path(slot.tree, "a.txt").read_bytes() == b"one\n"
            assert contents(slot) == clean(trees, tree)


def test_hooks_of_the_tree_and_the_user_do_not_run(repo: Repository, tmp_path: Path) -> None:
    trees = repo.trees()
    for folder in (Path(trees.git_dir) / "hooks", repo.root / ".git/hooks"):
        folder.mkdir(exist_ok=True)
        (folder / "post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
        (folder / "post-checkout").chmod(0o755)

    with CheckoutPool(trees).lease_slot(trees.take_snapshot().tree):
        pass

    assert not (tmp_path / "sprung").exists()


def test_kept_paths_stay_and_nothing_else(trees: Trees, tree: str) -> None:
    with CheckoutPool(trees).lease_slot(tree) as slot:
        for path in (".venv/bin/tool", "src/built/x", "rubbish/x", "deep/.venv/x"):
            Path(slot.tree, path).parent.mkdir(parents=True)
            Path(slot.tree, path).write_text("made")

    with CheckoutPool(trees).lease_slot(tree, kept=lambda _: (".venv", "src/built")) as slot:
        left = contents(slot).keys() - clean(trees, tree).keys()
        assert {path for path in left if os.path.isfile(os.path.join(slot.tree, path))} == {
            ".venv/bin/tool",
            "src/built/x",
        }
        assert "rubbish" not in left
        assert "deep" not in left


def test_removing_takes_locked_folders_and_leaves_what_links_point_to(tmp_path: Path) -> None:
    place, outside = tmp_path / "place", tmp_path / "outside"
    (place / "a/b").mkdir(parents=True)
    outside.mkdir()
    (outside / "x").write_text("x")
    (place / "a/link").symlink_to(outside)
    (place / "lock").write_text("")
    (place / "a/b").chmod(0o000)
    (place / "a").chmod(0o000)

    remove_path(str(place), but="lock")
    assert os.listdir(place) == ["lock"]
    remove_path(str(place / "lock"))
    remove_path(str(place / "never was"))
    remove_path(str(place))

    assert not place.exists()
    assert (outside / "x").exists()
