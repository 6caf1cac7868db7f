"""Reads and writes what a hook needs: the watch of a session, the hold, its lock, the log.

Files are whole or absent. Whatever goes wrong raises one exception, and then the agent is free.
"""

from __future__ import annotations

import fcntl
import os
import time
from stat import S_ISREG

from goalkeeper.wire import hold as wire
from goalkeeper.wire import layout
from goalkeeper.wire.hold import Hold

_LOCK_SECONDS = 5.0
_LOCK_PAUSE_SECONDS = 0.005
_MOST_BYTES = 1 << 20
_LONGEST_LOG_BYTES = 1 << 18
_STARTED = 19  # the time of the start is this field behind the name of the program


class Lost(Exception):
    """The hold cannot be read or written now."""


class Unreadable(Lost):
    """There is a watch, but what it names is nothing that we wrote."""


class HoldPlace:
    """The place of one session's hold. Asking for a path makes nothing."""

    def __init__(self, home: str, client: str, session: str) -> None:
        name = layout.hold_name(client, session)
        watch = os.path.join(home, layout.WATCH)
        self._whose = (client, session)
        self.home = home
        self._key = os.path.join(home, layout.HOLD_KEY)
        self._watch = os.path.join(watch, name)
        self._lock = os.path.join(watch, layout.name_beside(name, layout.LOCKED))
        self.protected = os.path.join(watch, layout.name_beside(name, layout.PROTECTED))

    @property
    def is_watched(self) -> bool:
        return os.path.lexists(self._watch)

    def lock(self) -> HoldLock:
        return HoldLock(self._lock)

    def read(self) -> Hold | None:
        """Read the hold; return None if it is no longer watched. Raise Unreadable if broken."""
        if not self.is_watched:
            return None
        try:
            activation, path = wire.parse_watch(os.fsdecode(read_file(self._watch)))
            hold = wire.load(read_file(path), read_file(self._key))
        except (OSError, ValueError) as exc:
            raise Unreadable(str(exc)) from exc
        if (hold.client, hold.session) != self._whose:
            raise Unreadable("it is another session's")
        if hold.activation != activation or hold.ended not in ("", wire.OFF):
            raise Unreadable("it is of another time")
        return hold

    def write(self, hold: Hold) -> None:
        """Write the hold; it is no longer watched when it is over and was told. May raise Lost."""
        try:
            activation, path = wire.parse_watch(os.fsdecode(read_file(self._watch)))
            replace_file(path, wire.dump(hold, read_file(self._key)))
            if hold.activation != activation:
                replace_file(self._watch, os.fsencode(wire.format_watch(path, hold)))
        except (OSError, ValueError) as exc:
            raise Lost(str(exc)) from exc
        if hold.ended and hold.ended != wire.OFF:
            self.forget()

    def forget(self) -> None:
        try:
            os.unlink(self._watch)
        except OSError:
            return  # it is gone already, or the hold itself says that it is over


def read_past_hold(home: str, project: str, client: str, session: str) -> Hold | None:
    """Read what a session was held by in a project, whether it is watched or not."""
    name = layout.hold_name(client, session) + ".json"
    try:
        data = read_file(os.path.join(project, layout.STATE_DIR, layout.HOLD, name))
        return wire.load(data, read_file(os.path.join(home, layout.HOLD_KEY)))
    except (OSError, ValueError):
        return None


class HoldLock:
    """A lock of the kernel, which is free when its holder dies. It raises Lost after some time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = -1

    def __enter__(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            self._fd = os.open(self._path, flags, 0o600)
        except OSError as exc:
            raise Lost(f"no lock: {exc}") from exc
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError as exc:
                if time.monotonic() > deadline:
                    os.close(self._fd)
                    raise Lost("somebody else has the lock") from exc
            time.sleep(_LOCK_PAUSE_SECONDS)

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def read_file(path: str, end_bytes: int = 0) -> bytes:
    """Read a file of ours, or the last bytes of somebody else's file."""
    fd = open_plain_file(path)
    try:
        if end_bytes:
            return os.pread(fd, end_bytes, max(0, os.fstat(fd).st_size - end_bytes))
        return os.read(fd, _MOST_BYTES)
    finally:
        os.close(fd)


def read_if_there(path: str) -> bytes:
    try:
        return read_file(path)
    except OSError:
        return b""


def find_process(pid: str) -> str:
    """Return the id of a process and when it started; empty if nobody can tell."""
    stat = read_if_there(f"/proc/{pid}/stat") if pid.isdecimal() else b""
    fields = stat.rpartition(b")")[2].split()
    return f"{pid} {fields[_STARTED].decode()}" if len(fields) > _STARTED else ""


def open_plain_file(path: str) -> int:
    """Open it for reading. A pipe in its place must not stop us, and no link is followed."""
    _refuse_links(path)
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    if S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(f"{path} is not a file")


def _refuse_links(path: str) -> None:
    """Raise OSError if a folder of the path is a link, from the state directory on."""
    for folder in layout.list_state_folders(path):
        if os.path.islink(folder):
            raise OSError(f"{folder} is a symbolic link")


def replace_file(path: str, data: bytes) -> None:
    _refuse_links(path)
    temp = f"{path}.{os.getpid()}"
    if os.path.lexists(temp):
        os.unlink(temp)  # a killed process that had our number may have left it
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            if os.write(fd, data) != len(data):
                raise OSError("the disk is full")
        finally:
            os.close(fd)
        os.replace(temp, path)
    except OSError:
        os.unlink(temp)
        raise


def open_nameless(home: str, data: bytes) -> int:
    """Open a file that nobody else sees, with these contents, to be read from the beginning."""
    os.makedirs(home, mode=0o700, exist_ok=True)
    path = os.path.join(home, f".given.{os.getpid()}")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    os.unlink(path)
    while data:
        data = data[os.write(fd, data) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def write_log(home: str, line: str) -> None:
    """Write one line. If it cannot be written, nobody is told."""
    path = os.path.join(home, layout.HOOK_LOG)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        fd = os.open(path, flags, 0o600)
        if os.fstat(fd).st_size > _LONGEST_LOG_BYTES:
            os.ftruncate(fd, 0)
        os.write(fd, f"{stamp} {line}\n".encode(errors="replace"))
        os.close(fd)
    except OSError:
        return
