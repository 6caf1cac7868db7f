"""Folders that are removed with all that is in them."""

import os
import subprocess
import sys
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
