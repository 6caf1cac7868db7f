"""Credentials that lie among the tools of a home: a check sees the tools without them.

A search is kept for the process. It holds as long as no folder that was searched has changed, which
is looked up before every check: so none that came later is shown.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from fnmatch import translate

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

# Files and folders that hold credentials wherever they lie, by their names.
_ALWAYS = late_pattern(
    r"\.env(?:rc|\..*)?|.*\.env|id_[^.]*(?:\.pub)?|.*\.(?:jks|kdbx|key|keystore|p12|pfx|ppk)"
    r"|\.(?:aws|azure|boto|docker|dockercfg|git|git-credentials|gnupg|htpasswd|kube|my\.cnf|netrc"
    r"|npmrc|pgpass|pypirc|s3cfg|ssh)|_netrc|pip\.(?:conf|ini)|kubeconfig|rclone\.conf|hosts\.yml"
    r"|service[-_]?account.*\.json"
    r"|(?!.*key)(?!.*(?<![a-z])(?:ca|ca-?certs?|ca-?bundle|certs?|chain|fullchain|roots?)(?![a-z]))"
    r".*\.pem|.*key.*\.pem"
)
# Words that name credentials, in names of data. Programs and modules have such names, too.
_WORDS = late_pattern(
    r".*(?:credential|passwd|password|secret|token(?!i[sz]))"
    r"|.*(?<![a-z])(?:auth|cookies?|sessions?|wallets?)(?![a-z])"
)
_FOLDER_WORDS = late_pattern(r".*(?:credential|secret|token)")
_PROGRAM = late_pattern(
    r".*\.(?:a|bash|bat|beam|c|cc|cjs|class|cmd|cpp|css|cts|d|dll|dylib|el|erl|exe?|exs|fish|go|h|hh"
    r"|hpp|hs|html|jar|java|jl|js|jsx|kt|lua|map|md|mjs|mts|node|o|php|pl|pm|png|ps1|pxd|py|pyc|pyd"
    r"|pyi|pyo|pyx|r|rb|rlib|rmeta|rs|rst|scala|sh|so|svg|swift|ts|tsx|vim|wasm|zsh|[1-8])"
    r"|.*\.so\.[0-9.]+|.*\.dist-info"
)
# Settings of tools may hold credentials; those of an installed program it needs to run.
_SETTINGS = late_pattern(
    "|".join(map(translate, ("*/config.json", "*/gradle.properties", "*/settings*.xml",
    ".cargo/config*")))
)  # fmt: skip
# These hold programs and packages; many of those are named after the credentials they deal with.
PACKAGES = frozenset(
    """
    bin checkouts doc include lib lib32 lib64 libexec node_modules pkg registry sbin share shims
    site-packages src
    """.split()  # noqa: SIM905
)
_PROGRAM_FOLDERS = frozenset({"bin", "libexec", "sbin", "shims"})
_PACKAGE_DEPTH = 2  # what tools and people add to packages lies no deeper, and each folder costs
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
        _kept[place] = kept = _Search(tuple(_search_top(place, times)), times)
    return kept.shown


def is_named_like_credential(name: str) -> bool:
    """Return whether a file or folder holds credentials by its name, wherever it lies."""
    return bool(_ALWAYS.fullmatch(name.lower()))


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


def _search_top(place: str, times: dict[str, int]) -> list[str]:
    is_package = os.path.basename(place) in PACKAGES
    return _search_folder(place, times, depth=_PACKAGE_DEPTH - 1 if is_package else None)


def _search_folder(
    place: str, times: dict[str, int], *, depth: int | None = None, is_program: bool = False
) -> list[str]:
    """Search a folder for credentials, without a depth however deep they are.

    A folder below the top that has a `bin` is an installed program.
    """
    now, changed = time.time_ns(), _read_time(place)
    times[place] = changed if abs(now - changed) > _SETTLED_NS else -1
    entries = scan_folder(place)
    is_top = len(times) == 1
    is_program = is_program or (not is_top and any(entry.name == "bin" for entry in entries))
    shown: list[str] = []
    is_whole = True
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if _names_credential(entry, place, is_folder=is_folder, depth=depth, is_program=is_program):
            is_whole = False
            continue
        below = depth - 1 if depth else _PACKAGE_DEPTH - 1 if entry.name in PACKAGES else depth
        inside = [entry.path]
        if is_folder and depth != 0:
            inside = _search_folder(entry.path, times, depth=below, is_program=is_program)
        is_whole = is_whole and inside == [entry.path]
        shown += inside
    return [place] if is_whole else shown


def _names_credential(
    entry: os.DirEntry[str], place: str, *, is_folder: bool, depth: int | None, is_program: bool
) -> bool:
    name, around = entry.name.lower(), os.path.basename(place).lower()
    if _PROGRAM.fullmatch(name) and not is_folder:
        return False
    if _ALWAYS.fullmatch(name):
        return True
    if is_folder:  # what a package or a program calls so is a module
        return depth is None and not is_program and bool(_FOLDER_WORDS.match(name))
    is_data = around not in _PROGRAM_FOLDERS
    is_setting = depth is None and not is_program and _SETTINGS.match(f"{around}/{name}")
    return bool((is_data and _WORDS.match(name)) or is_setting)


def scan_folder(place: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return [*entries]
    except OSError:  # what we may not read, a check may not read either
        return []
