"""Credentials that lie among the tools of a home: a check sees the tools without them.

A search is kept for the process. It holds as long as no folder that was searched has changed, which
is looked up before every check: so none that came later is shown.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from fnmatch import translate

from goalkeeper.wire.value import Value

# Files and folders are known by their names, some with the folder that they are in.
CREDENTIALS = (
    "*.key", "*.pem", "*credential*", "*secret*", "*token*", "*/.netrc", "*/.npmrc", "*/.pypirc",
    "*/auth.*", "*/config.json", "*/gradle.properties", "*/settings*.xml", ".cargo/config*",
)  # fmt: skip
# These hold programs and packages; many of those are named after the credentials they deal with.
PACKAGES = frozenset(
    """
    .git bin checkouts doc include lib lib32 lib64 libexec node_modules pkg registry share shims
    site-packages src
    """.split()  # noqa: SIM905
)
_NAMES_CREDENTIAL = re.compile("|".join(map(translate, CREDENTIALS))).match
_SETTLED_NS = 2_000_000_000  # of two changes that are nearer, both may have one time


class _Search(Value):
    shown: tuple[str, ...]
    times: dict[str, int]  # when each folder that was searched had last changed


_kept: dict[str, _Search] = {}


def list_without_credentials(place: str) -> tuple[str, ...]:
    """Return the folder if it has no credentials, else all in it but those, however deep they are.

    Tools would fail at empty files.
    """
    kept = _kept.get(place)
    if kept is None or kept.times != read_times(kept.times):
        times: dict[str, int] = {}
        _kept[place] = kept = _Search(tuple(_search_folder(place, times, is_top=True)), times)
    return kept.shown


def list_searched() -> dict[str, int]:
    """Return when each folder that was searched had last changed, as the search saw it."""
    return {folder: moment for kept in [*_kept.values()] for folder, moment in kept.times.items()}


def read_times(folders: Iterable[str]) -> dict[str, int]:
    """Return when each folder last changed; unlike other times nobody can set this one back."""
    return {folder: _read_time(folder) for folder in folders}


def _read_time(folder: str) -> int:
    try:
        return os.stat(folder).st_ctime_ns
    except OSError:
        return 0


def _search_folder(place: str, times: dict[str, int], *, is_top: bool = False) -> list[str]:
    """Search a folder for credentials.

    A folder below the top that has a `bin` is an installed program and is not searched.
    """
    now, changed = time.time_ns(), _read_time(place)
    times[place] = changed if abs(now - changed) > _SETTLED_NS else -1
    entries = scan_folder(place)
    if not is_top and any(entry.name == "bin" for entry in entries):
        return [place]
    shown: list[str] = []
    is_whole = True
    for entry in entries:
        if _NAMES_CREDENTIAL(f"{os.path.basename(place)}/{entry.name}".lower()):
            is_whole = False
            continue
        is_searched = entry.is_dir(follow_symlinks=False) and entry.name not in PACKAGES
        inside = _search_folder(entry.path, times) if is_searched else [entry.path]
        is_whole = is_whole and inside == [entry.path]
        shown += inside
    return [place] if is_whole else shown


def scan_folder(place: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return [*entries]
    except OSError:  # what we may not read, a check may not read either
        return []
