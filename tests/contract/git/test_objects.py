"""One git that reads objects for us: it stays, it is replaced, it ends; what we write it reads."""

import gc
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goalkeeper.git.objects import BLOB, FoundObject, Objects
from goalkeeper.git.repository import GitFailed, GitKilled
from goalkeeper.git.trees import Trees
from goalkeeper.system import reaper
from goalkeeper.system.procfs import list_children
from tests.contract.witness.repository import Repository
from tests.tables import for_each

BIG = b"0123456789abcdef" * 200_000  # more than comes in one piece


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


class Reader:
    """Trees that have asked once, and who answers for them."""

    def __init__(self, repo: Repository) -> None:
        self._others = set(reaper.helpers)
        self.trees: Trees = repo.trees()
        self.trees.read_blobs(["0" * 40])

    @property
    def pid(self) -> int:
        (pid,) = reaper.helpers - self._others
        return pid


@pytest.fixture
def reader(repo: Repository) -> Reader:
    return Reader(repo)


@pytest.fixture
def trees(reader: Reader) -> Trees:
    return reader.trees


def test_whatever_the_size_contents_come_whole(trees: Trees) -> None:
    written = {trees.write_blob(data): data for data in (b"", b"\n", b"small\n", BIG, BIG + b"\n")}

    found = trees.objects.read_objects([*written, "0" * 40])

    assert found == {name: (BLOB, data) for name, data in written.items()}


def test_what_nobody_takes_is_passed_over(trees: Trees) -> None:
    big, small = trees.write_blob(BIG), trees.write_blob(b"small")
    seen = []

    def take(found: FoundObject) -> None:
        seen.append(found.id)

    trees.objects.visit_objects([big, small, big], take)

    assert sorted(seen) == sorted([big, small, big])
    assert trees.read_blobs([small]) == {small: b"small"}


def test_many_ask_one_git(reader: Reader) -> None:
    trees, before = reader.trees, reader.pid
    written = {trees.write_blob(f"{n}".encode()): f"{n}".encode() for n in range(200)}

    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: trees.read_blobs([*written]), range(8)):
            assert found == written

    assert reader.pid == before


def test_new_objects_are_found_whoever_wrote_them(repo: Repository, reader: Reader) -> None:
    trees, before = reader.trees, reader.pid

    ours = trees.write_blob(b"ours")
    theirs = repo.git("hash-object", "-w", "--stdin", input=b"theirs")
    kept = trees.read_blobs([ours, theirs])
    repo.git("repack", "-a", "-d", "-q")

    assert kept == trees.read_blobs([ours, theirs]) == {ours: b"ours", theirs: b"theirs"}
    assert reader.pid == before


def test_git_reads_what_we_write(repo: Repository, trees: Trees) -> None:
    data = os.urandom(100_000)
    name = trees.write_blob(data)

    assert trees.own_git.call("cat-file", "blob", name) == data
    assert repo.git("hash-object", "--stdin", input=data) == name
    trees.own_git.call("fsck", "--strict")


def test_a_git_that_was_killed_is_replaced(reader: Reader) -> None:
    trees, before = reader.trees, reader.pid
    name = trees.write_blob(b"x")
    os.kill(before, signal.SIGKILL)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)

    assert trees.read_blobs([name]) == {name: b"x"}
    assert reader.pid != before


@for_each("said", ["", "short", "{} blob 100\nxxx"])
def test_a_git_that_ends_in_the_middle_is_an_error_and_no_answer(said: str, tmp_path: Path) -> None:
    name = "0" * 40
    (tmp_path / "said").write_text(said.format(name))

    def start() -> subprocess.Popen[bytes]:
        argv, pipe = ["sh", "-c", f"read line; cat {tmp_path}/said"], subprocess.PIPE
        return subprocess.Popen(argv, stdin=pipe, stdout=pipe, bufsize=0)

    with pytest.raises(GitFailed, match="it has ended"):
        Objects(start, str(tmp_path), "sha1").read_objects([name])


def test_it_is_no_stray_and_ends_with_whoever_asked(repo: Repository) -> None:
    reader = Reader(repo)
    pid = reader.pid

    reaper.end_strays()
    reaper.end_family(0, b"INVOCATION_ID=nobody")

    assert reader.trees.read_blobs(["0" * 40]) == {}
    assert reader.pid == pid
    del reader
    gc.collect()
    assert pid not in reaper.helpers | list_children()


def test_an_orphan_beside_it_is_seen_and_ended(reader: Reader, tmp_path: Path) -> None:
    reaper.become_subreaper()
    line = f"setsid sh -c 'echo $$ > {tmp_path}/pid; exec sleep 1000' & exit"
    subprocess.run(["sh", "-c", line], check=True, stdout=subprocess.DEVNULL)
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        os.sched_yield()
    pid = int((tmp_path / "pid").read_text())
    assert pid in list_children()

    reaper.end_strays()

    assert pid not in list_children()
    assert reader.pid in list_children()


def test_contents_that_are_not_what_their_id_says_are_not_sound(trees: Trees) -> None:
    good, bad = trees.write_blob(b"good"), trees.write_blob(b"bad")
    objects = Path(trees.git_dir, "objects")
    forged = objects / bad[:2] / bad[2:]
    forged.unlink()
    forged.write_bytes((objects / good[:2] / good[2:]).read_bytes())

    assert trees.objects.read_verified(BLOB, [good, bad]) == {good: b"good"}
    assert (trees.has_forged([good]), trees.has_forged([good, bad])) == (False, True)
    with pytest.raises(GitFailed, match="not what its id says"):
        trees.list_entries(bad)


def test_a_git_that_is_killed_while_it_answers_says_nothing_about_its_objects(
    tmp_path: Path,
) -> None:
    name = "0" * 40

    def start() -> subprocess.Popen[bytes]:
        said = f"read line; printf '{name} blob 5\\nke'; kill -9 $$"
        pipe = subprocess.PIPE
        return subprocess.Popen(["sh", "-c", said], stdin=pipe, stdout=pipe, bufsize=0)

    with pytest.raises(GitKilled):
        Objects(start, str(tmp_path), "sha1").read_objects([name])
