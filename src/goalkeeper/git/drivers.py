"""Programs that a repository's own configuration of git names, and that git would run by itself.

A clone brings none along, but an archive does: its `.git/config` is whoever made the archive's.
git runs such programs for us only if the user has confirmed them (docs/decisions/0017-trust.md).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from goalkeeper.system.safe_open import read_plain_file

# What git is told instead of each program; an empty filter leaves files as they are.
_SAFE = {
    r"filter\..*\.(?:clean|smudge|process)": "",
    r"filter\..*\.required": "false",
    r"core\.sshcommand": "ssh",
    r"remote\..*\.uploadpack": "git-upload-pack",
}
_HINTS = re.compile(rb"filter|sshcommand|uploadpack|include|worktree\s*=", re.IGNORECASE)
_LOCAL = frozenset({"local", "worktree"})

ConfigRows = list[tuple[str, str, str]]  # scope, key, value


def may_name_drivers(cwd: str, env: Mapping[str, str]) -> bool:
    """Return whether git's own files for this repository may name a program; this is quick."""
    git = env.get("GIT_DIR") or _follow(os.path.join(cwd, ".git"), cwd)
    shared = os.path.join(git, "commondir")
    common = _follow(shared, git) if os.path.isfile(shared) else git
    files = (os.path.join(common, "config"), os.path.join(git, "config.worktree"))
    return any(_HINTS.search(read_plain_file(file)) for file in files)


def _follow(path: str, place: str) -> str:
    """Return the folder that a file of git names, or the path itself."""
    if not os.path.isfile(path):
        return path
    told = os.fsdecode(read_plain_file(path)).removeprefix("gitdir:").strip()
    return os.path.join(place, told)


def parse_config(listed: bytes) -> ConfigRows:
    """Read what `git config --list --show-scope -z` prints."""
    words = os.fsdecode(listed).split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    return [(scope, *_split_entry(entry)) for scope, entry in pairs]


def _split_entry(entry: str) -> tuple[str, str]:
    key, _, value = entry.partition("\n")
    return key, value


def find_drivers(rows: ConfigRows) -> dict[str, str]:
    """Find the programs that the repository's own configuration names."""
    return {key: value for scope, key, value in rows if scope in _LOCAL and _find_safe(key)}


def names_worktree(rows: ConfigRows) -> bool:
    """Return whether the repository says where its files are: git would write there."""
    return any(key == "core.worktree" for scope, key, _ in rows if scope in _LOCAL)


def list_overrides(rows: ConfigRows, is_trusted: Callable[[Mapping[str, str]], bool]) -> list[str]:
    """List keys and values, in turns, that keep git from running what nobody has confirmed."""
    drivers = find_drivers(rows)
    if not drivers or is_trusted(drivers):
        return []
    own = {key: value for scope, key, value in rows if scope not in _LOCAL}
    found: list[str] = []
    for key in drivers:
        (safe,) = _find_safe(key)
        found += [key, own.get(key, safe)]
    return found


def _find_safe(key: str) -> list[str]:
    return [value for pattern, value in _SAFE.items() if re.fullmatch(pattern, key, re.DOTALL)]
