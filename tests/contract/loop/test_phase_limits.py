"""When a phase is over."""

import os
import time
from pathlib import Path

from goalkeeper.core.drive.state import Budget
from goalkeeper.loop.phase import PhaseLimits

NIGHT = 8 * 3600


def test_a_night_in_which_the_machine_slept_is_no_silence(tmp_path: Path) -> None:
    slept = [0.0]
    (tmp_path / "work").touch()
    limits = Budget(phase_seconds=0, stall_seconds=60)
    over = PhaseLimits(
        str(tmp_path), limits, time.monotonic() - 100, lambda: time.time() + slept[0]
    )
    slept[0] = NIGHT

    assert not over(size=0)

    long_ago = time.time() - 3600
    for path in (tmp_path / "work", tmp_path):
        os.utime(path, (long_ago, long_ago))
    assert PhaseLimits(str(tmp_path), limits, time.monotonic() - 100)(size=0)
