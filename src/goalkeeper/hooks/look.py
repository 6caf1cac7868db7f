"""How a working tree looks, by the sizes and times of its files: enough to see that it moved."""

from __future__ import annotations

import os
from _blake2 import blake2b

from goalkeeper.wire import layout
from goalkeeper.wire.hold import Hold

# A change in the same tick of the clock as the last one would not show.
_TICK_NS = 50_000_000
_SKIPPED = frozenset({".git", layout.STATE_DIR})


def mark(hold: Hold, now_ns: int) -> tuple[str, bool]:
    """Equal marks: no file changed in between; if it is not too early to tell for sure."""
    seen = blake2b(digest_size=16)
    newest = 0
    skipped = frozenset(hold.ignored)
    folders = [""]
    try:
        while folders:
            folder = folders.pop()
            with os.scandir(os.path.join(hold.worktree, folder)) as found:
                entries = sorted(found, key=lambda entry: entry.name)
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if path in skipped or entry.name in _SKIPPED:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                    continue
                newest = max(newest, _add(seen, path, entry.stat(follow_symlinks=False)))
        for path in hold.also_seen:
            newest = max(newest, _add(seen, path, os.stat(path)))
    except OSError:
        return "", False
    return seen.hexdigest(), newest <= now_ns - _TICK_NS


def ledger(hold: Hold) -> str:
    """How the run's ledger looks: what is recorded there may end a hold, and changes no file."""
    try:
        stat = os.stat(hold.ledger)
    except OSError:
        return ""
    return f"{stat.st_ino} {stat.st_size} {stat.st_ctime_ns}"


def _add(seen: blake2b, path: str, stat: os.stat_result) -> int:
    # The time of the last change is the kernel's to set; that of the contents is anybody's.
    facts = f"{path}\0{stat.st_ino} {stat.st_size} {stat.st_ctime_ns} {stat.st_mode}\n"
    seen.update(facts.encode(errors="surrogateescape"))
    return stat.st_ctime_ns
