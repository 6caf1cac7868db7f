"""Temporary folders whose names say which process made them, so that leftovers are recognised."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator

from goalkeeper.system.procfs import read_start_time
from goalkeeper.wire.pattern import late_pattern

_NAME = late_pattern(r"goalkeeper-[a-z]+-(\d+)\.(\d+)\.(\d+)-\w+", re.ASCII)


def make_scratch(what: str) -> tempfile.TemporaryDirectory[str]:
    """Make a temporary folder, which is removed at the end of a `with` block."""
    own = os.getpid()
    prefix = f"goalkeeper-{what}-{own}.{read_start_time(own) or 0}.{_find_namespace()}-"
    return tempfile.TemporaryDirectory(prefix=prefix)


def find_leftovers() -> Iterator[str]:
    """Find our temporary folders whose processes are gone."""
    place, ours = tempfile.gettempdir(), _find_namespace()
    for entry in os.scandir(place):
        named = _NAME.fullmatch(entry.name)
        # A process of another container cannot be seen from here.
        if named and int(named[3]) == ours and entry.is_dir(follow_symlinks=False):
            is_own = entry.stat(follow_symlinks=False).st_uid == os.getuid()
            if is_own and read_start_time(int(named[1])) != named[2]:
                yield entry.path


def _find_namespace() -> int:
    """Return the number of the namespace that counts our processes."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0
