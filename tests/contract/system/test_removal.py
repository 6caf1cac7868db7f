"""Folders that are removed with all that is in them."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from goalkeeper.system.removal import remove_tree

DEPTH = 6 * sys.getrecursionlimit()


@contextmanager
def nest_folders(place: Path, file: str = "") -> Iterator[None]:
    """Nest more folders than a path can name; if they stay, pytest could not remove them either."""
    place.mkdir()
    try:
        with chdir(place):
            for _ in range(DEPTH):
                os.mkdir("folder")
                os.chdir("folder")
            if file:
                Path(file).touch()
        yield
    finally:
        subprocess.run(["rm", "-rf", place], check=True)


@contextmanager
def make_place_of_user() -> Iterator[Path]:
    """Make a folder of a user whom modes hold back, and be that user: root they do not."""
    user = os.geteuid() or 65534
    with tempfile.TemporaryDirectory() as around:
        os.chown(around, user, -1)
        try:
            os.seteuid(user)
            yield Path(around, "place")
        finally:
            os.seteuid(os.getuid())


def test_folders_that_nobody_may_read_are_removed() -> None:
    with make_place_of_user() as place:
        (place / "inside/more").mkdir(parents=True)
        (place / "inside/more/file").touch()
        for folder in (place / "inside/more", place / "inside", place):
            folder.chmod(0)

        remove_tree(str(place))

        assert not place.exists()


def test_a_folder_is_removed_however_deep_it_is(tmp_path: Path) -> None:
    place = tmp_path / "place"
    with nest_folders(place, "file"):
        remove_tree(str(place))

        assert not os.path.lexists(place)


def test_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    mine, place = tmp_path / "mine", tmp_path / "place"
    for folder in (mine / "inside", place / "inside"):
        folder.mkdir(parents=True)
    (place / "link").symlink_to(mine)
    (place / "inside/link").symlink_to(mine)
    other = tmp_path / "other"
    other.symlink_to(mine)

    remove_tree(str(place))
    remove_tree(str(other))

    assert not place.exists()
    assert (mine / "inside").is_dir()
