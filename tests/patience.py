"""How long a test waits: longer on a slow machine, and longer on a busy one."""

import subprocess
import sys
import time
from functools import cache

_QUICK_SECONDS = 0.15  # what the measurement takes on a machine of two cores that is idle
_SLOWEST = 30.0  # a test that hangs must end some day


def patience(seconds: float) -> float:
    """Give the bound that corresponds on this machine to `seconds` on a quick, idle one."""
    return seconds * slowness()


@cache
def slowness() -> float:
    """Measure once how much longer a computation and a process take here and now; at least 1.

    What else runs on the machine counts, since time passes while the others have the cores.
    """
    begun = time.monotonic()
    sum(number * number for number in range(1_500_000))
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
    return min(max(1.0, (time.monotonic() - begun) / _QUICK_SECONDS), _SLOWEST)
