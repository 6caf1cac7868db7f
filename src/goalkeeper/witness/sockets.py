"""The files of unix sockets at which programs outside of a sandbox answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

_INODE, _PATH = 6, 7  # columns of /proc/net/unix


def list_sockets() -> list[str]:
    """Return the files at which a program outside answers; a read-only mount does not stop that."""
    with suppress(OSError), open("/proc/net/unix", errors="surrogateescape") as file:
        rows = [
            row for row in (line.rstrip("\n").split(None, _PATH) for line in file) if row[_PATH:]
        ]
        bound = {row[_INODE]: row[_PATH] for row in rows[1:] if not row[_PATH].startswith("@")}
        relative = {inode for inode, path in bound.items() if not os.path.isabs(path)}
        spelled = {path for inode, path in bound.items() if inode not in relative}
        spelled |= {os.path.join(cwd, bound[n]) for n, cwd in _list_holders(relative)}
        found = {os.path.realpath(path) for path in spelled}
        return sorted(path for path in found if os.access(path, os.W_OK))
    return []


def _list_holders(inodes: set[str]) -> Iterator[tuple[str, str]]:
    """Yield these sockets with the folders in which the processes work that have them open.

    The kernel tells a relative path as it was given, and not to which folder it belongs.
    """
    wanted = {f"socket:[{inode}]": inode for inode in inodes}
    for pid in filter(str.isdecimal, os.listdir("/proc") if wanted else ()):
        with suppress(OSError):  # it has ended, or is somebody else's
            cwd = os.readlink(f"/proc/{pid}/cwd")
            for name in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    link = os.readlink(f"/proc/{pid}/fd/{name}")
                    if link in wanted:
                        yield wanted[link], cwd
