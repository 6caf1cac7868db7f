"""A long ledger is read in little memory, from its end where that is enough."""

import os
import tracemalloc
from collections import deque
from itertools import islice
from pathlib import Path

import pytest

from bench import plans
from goalkeeper.app.queries.ledger import find_entries
from goalkeeper.core.plan import events
from goalkeeper.errors import LedgerBroken
from goalkeeper.storage.run import FileRun

EVENTS = 2000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FileRun:
    return plans.make(tmp_path_factory.mktemp("long"), goals=3, ledger_events=EVENTS)


def test_a_ledger_is_shown_in_less_memory_than_it_takes(run: FileRun) -> None:
    tracemalloc.start()
    try:
        shown = len([0 for _ in find_entries(run, goal="", kind="", since="")])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert shown == EVENTS
    assert most < os.path.getsize(run.files.ledger)


def test_the_last_entries_are_read_without_those_before(run: FileRun, tmp_path: Path) -> None:
    damaged = plans.make(tmp_path / "damaged", goals=3, ledger_events=EVENTS)
    from_end = damaged.entries_from_end()
    newest = [entry.seq for entry in islice(from_end, 20)]
    with open(damaged.files.ledger, "rb+") as file:
        begin = file.read(3000).replace(plans.AT.encode(), b"2027" + plans.AT[4:].encode())
        file.seek(0)
        file.write(begin)

    with pytest.raises(LedgerBroken) as broken:
        deque(from_end, 0)

    assert newest == [*range(EVENTS, EVENTS - 20, -1)]
    last = [entry["seq"] for entry in find_entries(run, goal="", kind="", since="", last=20)]
    assert last == newest[::-1]
    assert int(str(broken.value.facts["line"])) < 20


def test_nobody_waits_for_those_who_read_a_ledger_slowly(tmp_path: Path) -> None:
    read = plans.make(tmp_path, goals=3, ledger_events=50)
    other = FileRun(read.files, read.run_id, read.disk, timeout_seconds=0, redact=read.redact)
    slowly = read.entries()
    first = next(slowly)

    with other.writing() as turn:
        turn.append((events.GoalStarted("G003"),), at=plans.AT, actor=plans.AGENT)

    assert [first.seq, *(entry.seq for entry in slowly)] == [*range(1, 51)]
