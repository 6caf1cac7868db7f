"""Changes files in other people's homes, all of them or none, and puts them back."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress

from goalkeeper.errors import DiskFailed
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_TEMP = late_pattern(r"(.+)\.goalkeeper-\d+")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotPutBack(DiskFailed):
    """Cannot {action} {path}: {reason}. Changed before that, and not put back: {changed}."""


class InstallChange(Value):
    """One file, as it is and as it is to be. None means that it is absent."""

    path: str
    before: bytes | None
    after: bytes | None
    is_merged: bool = False

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def read_file(path: str) -> bytes | None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise DiskFailed(action="read", path=path, reason="it is not a file")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise _make_error("read", path, exc) from exc


def carry_out(steps: Sequence[InstallChange]) -> None:
    """Carry out all steps. If one fails, undo those before it."""
    try:
        for step in steps:
            _put(step.path, step.after)
    except BaseException as exc:  # whoever interrupts us does not want half of it, either
        changed = [step.path for step in reversed(steps) if not _put_back(step)]
        if changed:
            facts = exc.facts if isinstance(exc, DiskFailed) else _INTERRUPTED
            raise NotPutBack(**facts, changed=", ".join(changed)) from exc
        raise


_INTERRUPTED = {"action": "change", "path": "all files", "reason": "interrupted"}


def _put_back(step: InstallChange) -> bool:
    try:
        # If the file is something else, the step was not reached, or somebody changed it since.
        if read_file(step.path) == step.after:
            _put(step.path, step.before)
    except DiskFailed:
        return False
    return True


def _put(path: str, data: bytes | None) -> None:
    if data is None:
        remove_file(path)
    else:
        write_file(path, data)


def write_file(path: str, data: bytes, mode: int | None = None) -> None:
    """Write to the place that a link leads to, because settings are often links.

    Without a mode a file keeps the one it has, and a new one gets what is usual.
    """
    real = os.path.realpath(path)
    temp = f"{real}.goalkeeper-{os.getpid()}"  # only this process uses it
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with suppress(FileNotFoundError):
            os.unlink(temp)  # a killed process that had our number may have left it
        if mode is None and os.path.exists(real):
            mode = stat.S_IMODE(os.stat(real).st_mode)
        _write_new(temp, data, mode)
        os.replace(temp, real)
    except OSError as exc:
        with suppress(OSError):
            os.unlink(temp)
        raise _make_error("write", path, exc) from exc


def _write_new(path: str, data: bytes, mode: int | None) -> None:
    # The file is never readable for more people than it will be, not even for a moment.
    with open(os.open(path, _NEW, 0o666 if mode is None else 0o600), "wb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def remove_file(path: str) -> None:
    """Remove what a link leads to; the link stays."""
    try:
        os.unlink(os.path.realpath(path))
    except FileNotFoundError:
        pass
    except OSError as exc:
        raise _make_error("remove", path, exc) from exc


def list_missing_folders(paths: Iterable[str]) -> set[str]:
    """List the folders that have to be made for these files."""
    found: set[str] = set()
    for path in paths:
        folder = os.path.dirname(os.path.realpath(path))
        while folder not in found and not os.path.exists(folder):
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


def remove_folders(folders: Iterable[str]) -> None:
    """Remove those folders in which nothing is left."""
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)


def sweep_leftovers(paths: Iterable[str]) -> None:
    """Remove what a killed process left beside these files. The caller must hold the lock."""
    real = {os.path.realpath(path) for path in paths}
    for folder in {os.path.dirname(path) for path in real}:
        with suppress(OSError):  # a file that cannot be removed does no harm
            for name in os.listdir(folder):
                found = _TEMP.fullmatch(name)
                if found and os.path.join(folder, found[1]) in real:
                    os.unlink(os.path.join(folder, name))


def _make_error(action: str, path: str, exc: OSError) -> DiskFailed:
    return DiskFailed(action=action, path=path, reason=exc.strerror or str(exc))
