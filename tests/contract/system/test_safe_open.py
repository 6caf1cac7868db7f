"""Files that somebody may have replaced by something else."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from goalkeeper.errors import DiskFailed
from goalkeeper.hooks import files as hook_files
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.lock import hold_lock, is_held
from goalkeeper.system.safe_open import (
    NotPlain,
    make_folder,
    open_plain_file,
    read_file_below,
    read_plain_file,
    remove_file,
    replace_file,
)
from tests.tables import for_each

MOST = 100


def word(root: Path, path: str, most: int = MOST) -> str:
    with pytest.raises(NotPlain) as raised:
        read_file_below(str(root), path, most)
    return raised.value.word


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a file below it, and a secret beside it."""
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    (root / "deep/file").write_bytes(b"plain")
    (tmp_path / "secret").write_bytes(b"secret")
    return root


def test_a_plain_file_is_read(root: Path) -> None:
    assert read_file_below(str(root), "deep/file", MOST) == b"plain"
    (root / "empty").touch()
    assert read_file_below(str(root), "empty", MOST) == b""


def test_a_root_that_is_a_link_is_the_callers_own(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(root)

    assert read_file_below(str(tmp_path / "other"), "deep/file", MOST) == b"plain"


@pytest.mark.parametrize("target", ["../secret", "deep/file", "/etc/passwd", "nowhere", "link"])
def test_scenario_58_a_link_at_the_end_is_not_followed(root: Path, target: str) -> None:
    (root / "link").symlink_to(target)

    assert word(root, "link") == "link"


@pytest.mark.parametrize("target", ["..", "deep", "/"])
def test_scenario_58_nor_is_one_on_the_way(root: Path, target: str) -> None:
    (root / "way").symlink_to(target)

    assert word(root, "way/file") == "link"
    assert word(root, "way/secret") == "link"


@pytest.mark.parametrize(
    "path",
    ["../secret", "deep/../../secret", "..", "/etc/x", "//etc", "", ".", "deep//file"],
)
def test_scenario_58_a_path_that_leads_elsewhere_is_not_gone(root: Path, path: str) -> None:
    assert word(root, path) == "outside"


def test_an_absolute_path_to_the_file_itself_is_outside(root: Path) -> None:
    assert word(root, str(root / "deep/file")) == "outside"


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # the names of sockets are short
        server.bind(path.name)


@pytest.mark.parametrize("make", [os.mkfifo, make_socket], ids=["pipe", "socket"])
def test_a_pipe_or_a_socket_is_no_file_and_nobody_waits_for_it(
    root: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    make(root / "odd")

    assert word(root, "odd") == "special"
    assert word(root, "odd/file") in {"missing", "special"}


def test_a_device_is_no_file() -> None:
    assert word(Path("/dev"), "zero") == "special"


def test_a_folder_is_no_file(root: Path) -> None:
    assert word(root, "deep") == "directory"


@pytest.mark.parametrize(
    "path", ["nowhere", "nowhere/file", "deep/file/x", "x" * 300, "a\0b", "half \ud800"]
)
def test_what_is_not_there_is_missing(root: Path, path: str) -> None:
    assert word(root, path) == "missing"


def test_below_a_root_that_is_gone_everything_is_missing(root: Path) -> None:
    assert word(root / "gone", "deep/file") == "missing"
    assert word(root / "deep/file", "x") == "missing"


@pytest.mark.parametrize(("size", "fits"), [(MOST, True), (MOST + 1, False)])
def test_a_file_has_a_largest_size(root: Path, size: int, fits: bool) -> None:
    (root / "big").write_bytes(b"x" * size)

    if fits:
        assert len(read_file_below(str(root), "big", MOST)) == size
    else:
        assert word(root, "big") == "too-large"


def test_a_huge_file_is_not_read_at_all(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(1 << 40)

    assert word(root, "huge", 1 << 30) == "too-large"


def test_a_file_that_grows_while_it_is_read_is_too_large() -> None:
    # Files of the kernel say that they are empty, and then are not.
    assert word(Path("/proc/self"), "environ", 3) == "too-large"


def test_no_file_stays_open(root: Path) -> None:
    (root / "link").symlink_to("deep")
    before = len(os.listdir("/proc/self/fd"))

    read_file_below(str(root), "deep/file", MOST)
    for path in ("deep", "link", "../x", "deep/nowhere", "link/file"):
        word(root, path)

    assert len(os.listdir("/proc/self/fd")) == before


def lock(path: str) -> None:
    with hold_lock(path, shared=False, timeout_seconds=0):
        pass


WAYS: list[Callable[[str], object]] = [
    lambda path: open_plain_file(path, os.O_RDWR | os.O_CREAT).close(),
    lambda path: replace_file(path, b"x"),
    make_folder,
    remove_file,
    read_plain_file,
    lock,
    is_held,
    lambda path: Disk().replace(path, b"x"),
    lambda path: Disk().write_new(path, b"x"),
    lambda path: Disk().preserve(path, b"x"),
    lambda path: Disk().overwrite(path, b"x"),
    lambda path: Disk().rename(path, f"{path}.moved"),
    lambda path: Disk().sync_dir(os.path.dirname(path)),
    hook_files.read_file,
    lambda path: hook_files.replace_file(path, b"x"),
]


@for_each("way", WAYS, ids=lambda way: way.__name__)
@for_each("link", [".goalkeeper", ".goalkeeper/runs", ".goalkeeper/runs/1"])
def test_H3_no_way_to_a_file_of_the_state_leads_through_a_link(
    tmp_path: Path, link: str, way: Callable[[str], object]
) -> None:
    outside = tmp_path / "outside"
    (outside / "runs/1").mkdir(parents=True)
    (outside / "1").mkdir()
    for folder in (outside, outside / "1", outside / "runs/1"):
        (folder / "file").write_bytes(b"mine")
    before = {path: path.lstat().st_mtime_ns for path in sorted(outside.rglob("*"))}
    place = tmp_path / "repository" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside)
    path = str(tmp_path / "repository/.goalkeeper/runs/1/file")

    found: object = None
    with suppress(OSError, DiskFailed):
        found = way(path)

    assert found in (None, b"", False)
    assert {path: path.lstat().st_mtime_ns for path in sorted(outside.rglob("*"))} == before


def test_links_before_the_state_directory_are_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "real/.goalkeeper").mkdir(parents=True)
    (tmp_path / "way").symlink_to("real")
    path = str(tmp_path / "way/.goalkeeper/current")

    Disk().replace(path, b"x")

    assert read_plain_file(path) == hook_files.read_file(path) == b"x"
