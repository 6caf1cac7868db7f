"""What an agent in a worktree may change of the folder that git keeps for all worktrees.

git reads a great deal there: settings, what is under way in other worktrees, where these lie, which
commits come before which. Whoever can write all of it has programs run by others, or tells them
another history.
"""

from __future__ import annotations

import os
from contextlib import suppress

from goalkeeper.git.places import find_common_dir, has_worktree
from goalkeeper.system.safe_open import NEW, make_folder, open_without_links
from goalkeeper.wire.value import Value

_SHARED = ("objects", "refs", "lfs", "annex")  # what one commits is written there
# Other objects come from there, and stand for those that have an id.
_SEALED_WITHIN = (("objects", "info"), ("refs", "replace"))
# git appends to whatever lies in logs, and waits for ever for a pipe; it merges by what it recalls.
_APART = ("logs", "rr-cache")
_PASSING = ".lock"
_OF_AN_ENTRY = ("commondir", "gitdir", "config.worktree")  # what a linked worktree obeys


class GitView(Value):
    """What is to be done with places in git's folder, for those who build walls."""

    apart: tuple[str, ...]  # what is added to these folders is for the agent alone
    sealed: tuple[str, ...]
    free: tuple[str, ...]


def lay_view(root: str, worktree: str) -> GitView:
    """Find what an agent in a worktree needs; what is missing and would be obeyed is made, empty.

    Without a file of packed refs, an agent that packs them would take them away from all others.
    """
    common = find_common_dir(root)
    entry = _find_entry(common, worktree)
    _make_file(os.path.join(common, "packed-refs"))
    inner = [os.path.join(common, *each) for each in _SEALED_WITHIN]
    for folder in inner:
        make_folder(folder)
    names = [each for each in os.listdir(common) if not each.endswith(_PASSING)]
    sealed = [os.path.join(common, each) for each in names if each not in _APART]
    sealed += [*inner, os.path.join(root, ".git")]
    if entry:
        _make_file(os.path.join(entry, "config.worktree"))
        sealed += [os.path.join(entry, name) for name in _OF_AN_ENTRY]
    free = [os.path.join(common, name) for name in _SHARED] + ([entry] if entry else [])
    return GitView(
        (common, *(os.path.join(common, each) for each in _APART)),
        tuple(each for each in sealed if os.path.exists(each) and each != common),
        tuple(filter(os.path.isdir, free)),
    )


def _find_entry(common: str, worktree: str) -> str:
    """Find the folder of a linked worktree; it names the worktree, which can say what it likes."""
    with suppress(OSError):
        for name in sorted(os.listdir(os.path.join(common, "worktrees"))):
            entry = os.path.join(common, "worktrees", name)
            if has_worktree(entry, worktree):
                return entry
    return ""


def _make_file(place: str) -> None:
    if not os.path.lexists(place):
        os.close(open_without_links(place, NEW))
