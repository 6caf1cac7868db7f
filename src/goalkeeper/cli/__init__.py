"""The command line: the table of commands, rendering, and exit codes."""

import gc
import os
import sys

# No module is taken from a clone by strangers: Python has made relative entries absolute already.
if _given := os.environ.get("PYTHONPATH"):
    _relative = [entry for entry in _given.split(os.pathsep) if not os.path.isabs(entry)]
    _found = {os.path.abspath(entry) for entry in _relative if os.path.isdir(entry or ".")}
    sys.path[:] = [place for place in sys.path if place not in _found]

# Loading makes no garbage; to look for it takes longer than some commands do.
gc.set_threshold(100_000)
