"""Programs that a repository's own configuration of git names, and that git would run by itself.

A clone brings none along, but an archive does: its `.git/config` is whoever made the archive's.
git runs such programs for us only if the user has confirmed them (docs/decisions/0017-trust.md).
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Mapping

from goalkeeper.git.places import find_git_dir, find_shared_dir
from goalkeeper.system.safe_open import open_plain_file, read_plain_file
from goalkeeper.wire.pattern import late_pattern

# What git is told instead of each program. Without its filter a file is not what git would keep
# of it, perhaps a secret that is to be encrypted; so git takes no file that needs such a filter.
_SAFE = {
    r"filter\..*\.(?:clean|smudge|process)": "",
    r"filter\..*\.required": "true",
    r"core\.sshcommand": "ssh",
    r"remote\..*\.uploadpack": "git-upload-pack",
    r"hook\..*\.command": "true",  # core.hooksPath does not concern these
    r"branch\..*\.mergeoptions": "",  # they can ask for a signature, which a program makes
}
_HINTS = late_pattern(
    rb"filter|sshcommand|uploadpack|\[hook\b|mergeoptions|include|worktree\s*=", re.IGNORECASE
)
_HEAD = late_pattern(rb"ref: refs/|[0-9a-f]{40}")
_MOST_BYTES = 1 << 20
_REQUIRED = late_pattern(r"(?<=\.)(?:clean|smudge|process)$")
_LOCAL = frozenset({"local", "worktree"})

ConfigRows = list[tuple[str, str, str]]  # scope or origin, key, value
# Says whether the user has confirmed the programs that a repository's configuration names.
TrustDrivers = Callable[[Mapping[str, str]], bool]


def trust_no_driver(_: Mapping[str, str]) -> bool:
    return False


def may_name_drivers(cwd: str, env: Mapping[str, str]) -> bool:
    """Return whether git's own files for this repository may name a program; this is quick.

    What is not exactly as git itself writes it may do so: then git is asked what it reads.
    """
    try:
        git = env.get("GIT_DIR") or find_git_dir(cwd)
        common = find_shared_dir(git)
        files = (os.path.join(common, "config"), os.path.join(git, "config.worktree"))
        return not (git and common and is_repository(git, common)) or any(
            _HINTS.search(_read_whole(file)) for file in files if os.path.lexists(file)
        )
    except OSError:
        return True


def is_repository(git: str, common: str) -> bool:
    """Return whether git takes this folder; otherwise it may take the one around it."""
    inside = (os.path.join(common, name) for name in ("objects", "refs"))
    head = read_plain_file(os.path.join(git, "HEAD"), _MOST_BYTES)
    return bool(_HEAD.match(head)) and all(os.access(place, os.X_OK) for place in inside)


def _read_whole(path: str) -> bytes:
    with open_plain_file(path) as file:
        data = file.read(_MOST_BYTES)
    if len(data) == _MOST_BYTES:
        raise OSError(errno.EFBIG, "it is too long to be read whole", path)
    return data


def parse_config(listed: bytes) -> ConfigRows:
    """Read what `git config --list -z` prints with `--show-scope` or `--show-origin`."""
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


def list_overrides(rows: ConfigRows, is_trusted: TrustDrivers) -> list[str]:
    """List keys and values, in turns, that keep git from running what nobody has confirmed."""
    drivers = find_drivers(rows)
    if not drivers or is_trusted(drivers):
        return []
    own = {key: value for scope, key, value in rows if scope not in _LOCAL}
    found: list[str] = []
    required = [_REQUIRED.sub("required", key) for key in drivers if _REQUIRED.search(key)]
    for key in dict.fromkeys((*drivers, *required)):
        (safe,) = _find_safe(key)
        found += [key, own.get(key, safe)]
    return found


def _find_safe(key: str) -> list[str]:
    return [value for pattern, value in _SAFE.items() if re.fullmatch(pattern, key, re.DOTALL)]
