"""What checklists found and no contract asked for: whole lines, each once."""

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goalkeeper.errors import DiskFailed
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.missing import MissingCriteria
from tests.doubles.faults import Fault, FaultyDisk, Strike
from tests.tables import for_each


def kept(place: Path, disk: Disk | None = None) -> MissingCriteria:
    lock = place / "cache" / "lock"
    path = place / "missing-criteria.jsonl"
    return MissingCriteria(str(path), str(lock), disk or Disk(), timeout_seconds=30)


def row(number: int) -> dict[str, object]:
    return {"id": f"id{number}", "items": [f"item {number}"]}


def text(place: Path) -> bytes:
    return (place / "missing-criteria.jsonl").read_bytes()


def test_T21_each_verification_is_a_line_and_a_repeat_is_none(tmp_path: Path) -> None:
    for number in (1, 2, 1):
        kept(tmp_path).append_row(row(number))

    assert [json.loads(line) for line in text(tmp_path).splitlines()] == [row(1), row(2)]
    assert kept(tmp_path).read_rows() == [row(1), row(2)]


def test_many_at_once_leave_whole_lines(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: kept(tmp_path).append_row(row(number)), range(40)))

    found = [json.loads(line) for line in text(tmp_path).splitlines()]
    assert sorted(each["id"] for each in found) == sorted(f"id{n}" for n in range(40))


@for_each("point", ["append:before", "append:half", "append:after", "sync:before"])
def test_a_full_disk_leaves_the_file_as_it_was(point: str, tmp_path: Path) -> None:
    kept(tmp_path).append_row(row(1))
    before = text(tmp_path)

    with pytest.raises(DiskFailed, match=os.strerror(errno.ENOSPC)):
        kept(tmp_path, FaultyDisk(Fault(point, strike=Strike.FULL))).append_row(row(2))

    assert text(tmp_path) == before
    kept(tmp_path).append_row(row(2))
    assert len(kept(tmp_path).read_rows()) == 2


def test_half_a_line_of_somebody_who_died_is_not_glued_onto(tmp_path: Path) -> None:
    (tmp_path / "missing-criteria.jsonl").write_bytes(b'{"id":"id1","it')

    kept(tmp_path).append_row(row(2))

    assert text(tmp_path).splitlines()[0] == b'{"id":"id1","it'
    assert kept(tmp_path).read_rows() == [row(2)]


def test_a_pipe_or_a_link_in_its_place_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "missing-criteria.jsonl"
    os.mkfifo(path)
    with pytest.raises(DiskFailed):
        kept(tmp_path).append_row(row(1))

    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DiskFailed):
        kept(tmp_path).append_row(row(1))
    assert not (tmp_path / "elsewhere").exists()
