"""The fingerprint of a working tree is made of sizes and times, and shows that a file changed.

The caller gives the two functions that look, so nothing here touches a disk by itself.
"""

from __future__ import annotations

from _blake2 import blake2b

from goalkeeper.wire import layout
from goalkeeper.wire.hold import Hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A change in the same tick of the clock as the last one would not show.
_TICK_NS = 50_000_000
_SKIPPED = frozenset({".git", layout.STATE_DIR})


def take_fingerprint(
    hold: Hold, now_ns: int, scandir: Callable[[str], Any], stat: Callable[[str], Any]
) -> tuple[str, bool]:
    """Take a fingerprint, and say whether no later change can give the same one."""
    seen = blake2b(digest_size=16)
    newest = 0
    skipped = frozenset(hold.ignored)
    folders = [""]
    try:
        while folders:
            folder = folders.pop()
            for entry in _list_folder(f"{hold.worktree}/{folder}", scandir):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if path in skipped or entry.name in _SKIPPED:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                    continue
                newest = max(newest, _add_file(seen, path, entry.stat(follow_symlinks=False)))
        for path in hold.also_seen:
            newest = max(newest, _add_file(seen, path, stat(path)))
    except OSError:
        return "", False
    return seen.hexdigest(), newest <= now_ns - _TICK_NS


def _list_folder(folder: str, scandir: Callable[[str], Any]) -> list[Any]:
    """List a folder; pass over what git cannot read either."""
    try:
        with scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except PermissionError:
        return []


def of_ledger(hold: Hold, stat: Callable[[str], Any]) -> str:
    """Say how the run's ledger looks: an entry may end a hold, and changes no file."""
    try:
        found = stat(hold.ledger)
    except OSError:
        return ""
    return f"{found.st_ino} {found.st_size} {found.st_ctime_ns}"


def _add_file(seen: blake2b, path: str, found: Any) -> int:  # noqa: ANN401  what `os.stat` tells
    # The kernel sets the time of the last change; anybody can set that of the contents.
    facts = f"{path}\0{found.st_ino} {found.st_size} {found.st_ctime_ns} {found.st_mode}\n"
    seen.update(facts.encode(errors="surrogateescape"))
    return int(found.st_ctime_ns)
