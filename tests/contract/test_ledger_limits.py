"""A ledger takes no record that nobody could read again."""

import os
from pathlib import Path

import pytest

from goalkeeper.core.plan.commands import CheckpointStatus
from goalkeeper.core.plan.events import GoalCheckpointed
from goalkeeper.errors import UsageError
from goalkeeper.storage.disk import Disk
from goalkeeper.storage.ledger import GENESIS, Ledger
from tests.unit.core.helpers import AT, HUMAN


def test_what_nobody_could_read_again_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    said = GoalCheckpointed("G001", CheckpointStatus.FAILED, "x" * (32 << 20))

    with pytest.raises(UsageError, match="longer than a ledger takes"):
        Ledger(fd, str(path), "run", Disk()).append((said,), at=AT, actor=HUMAN, after=GENESIS)

    os.close(fd)
    assert path.read_bytes() == b""
