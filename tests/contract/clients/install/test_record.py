"""What is installed, and what is kept of it: all or nothing, and undone byte for byte."""

from pathlib import Path

import pytest

from goalkeeper.clients.install.files import InstallChange, NotPutBack, carry_out
from goalkeeper.clients.install.parts import OwnFile, plan_changes
from goalkeeper.clients.install.record import InstallRecord
from goalkeeper.errors import DiskFailed
from tests.fault.test_disk import no_file_longer_than


class Place:
    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.record = InstallRecord(str(folder / "state/installed/client"))

    def install(self, **files: str) -> None:
        """Files by name; below their folder."""
        wanted = (OwnFile(str(self.home / name), data.encode()) for name, data in files.items())
        self.record.install(plan_changes(tuple(wanted)))

    @property
    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.home.iterdir()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_what_an_older_version_wrote_and_this_one_does_not_is_undone(place: Place) -> None:
    (place.home / "b").write_text("mine")
    place.install(a="1", b="1")

    place.install(c="2", d="2")

    assert place.files == {"b": "mine", "c": "2", "d": "2"}
    assert len(place.record.files()) == 2
    place.record.uninstall()
    assert place.files == {"b": "mine"}


def test_what_is_kept_of_a_file_is_its_own_in_whatever_order_files_come(place: Place) -> None:
    for name in "abc":
        (place.home / name).write_text(f"my {name}")
    mine = place.files
    place.install(a="1", b="1")

    place.install(c="2", b="2", a="2")
    place.record.uninstall()

    assert place.files == mine


def test_a_record_does_not_grow_with_each_version(place: Place) -> None:
    for version in "12345":
        place.install(a=version)

    (kept,) = place.record.files()
    assert len(kept.digests) == 2
    assert kept.is_as_written(b"5")


def test_a_failure_gives_back_what_was_changed_before_it(place: Place) -> None:
    (place.home / "a").write_text("mine")
    (place.home / "folder").mkdir()
    a, b, c = (str(place.home / name) for name in ("a", "b", "folder"))

    with pytest.raises(DiskFailed, match=f"Cannot write {c}: "):
        carry_out(
            [
                InstallChange(a, b"mine", None),
                InstallChange(b, None, b"ours"),
                InstallChange(c, None, b"ours"),
            ]
        )

    (place.home / "folder").rmdir()
    assert place.files == {"a": "mine"}


def test_what_could_not_be_given_back_is_named(place: Place) -> None:
    a, b = (str(place.home / name) for name in "ab")
    long = b"x" * 1000

    with no_file_longer_than(100), pytest.raises(NotPutBack, match=f"not put back: {a}") as told:
        carry_out([InstallChange(a, long, b"ours"), InstallChange(b, None, long)])

    assert told.value.facts["path"] == b
