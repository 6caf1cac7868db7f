"""Whatever leaves the process is refused in a unit test; reading is not."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tables import for_each
from tests.unit.outside import OutsideWorld

NOWHERE = "/nowhere/at/all"


@for_each(
    "leave",
    [
        lambda: Path(NOWHERE).write_text("x"),
        lambda: os.open(NOWHERE, os.O_CREAT),
        lambda: os.mkdir(NOWHERE),
        lambda: os.remove(NOWHERE),
        lambda: os.rename(NOWHERE, "x"),
        tempfile.mkdtemp,
        lambda: subprocess.run(["true"], check=False),
        os.fork,
        lambda: os.system("true"),
        lambda: socket.create_connection(("127.0.0.1", 9)),
    ],
)
def test_what_leaves_the_process_is_refused(leave: Callable[[], object]) -> None:
    with pytest.raises(OutsideWorld):
        leave()


def test_reading_is_allowed() -> None:
    assert "refused" in Path(__file__).read_text()
