"""Folders that many tests begin with: each is made once in a process, and copied afterwards."""

import shutil
from collections.abc import Callable, Hashable
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

_made: dict[Hashable, Path] = {}
_numbers = count()


def prepare(folder: Path, key: Hashable, build: Callable[[], None]) -> None:
    """Fill an empty folder with what `build` once made under that key, by copying it."""
    kept = _made.get(key)
    if kept:
        shutil.copytree(kept, folder, symlinks=True, dirs_exist_ok=True)
        return
    build()
    kept = Path(_shelf().name, str(next(_numbers)))
    shutil.copytree(folder, kept, symlinks=True)
    _made[key] = kept


@cache
def _shelf() -> "TemporaryDirectory[str]":
    """Where the copies lie; Python removes it when the process ends."""
    return TemporaryDirectory(prefix="goalkeeper-prepared-")
