"""Git's entries of linked worktrees: each names a folder, and the folder's `.git` names the entry.

A repository that was moved, copied or restored from a backup has entries that name folders of
before. Git would refuse our branches for their sake.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from goalkeeper.git.places import find_common_dir, find_git_dir, follow_path, has_worktree
from goalkeeper.system.removal import remove_tree
from goalkeeper.system.safe_open import read_plain_file, replace_file


def is_linked(path: str, root: str) -> bool:
    """Return whether a folder is a linked worktree of the repository, not another one's."""
    own = os.path.join(path, ".git")
    if os.path.islink(own) or not os.path.isfile(own):
        return False
    entry = os.path.realpath(find_git_dir(path))
    home = os.path.join(find_common_dir(root), "worktrees")
    return os.path.dirname(entry) == home and has_worktree(entry, path)


def link_folder(path: str, root: str) -> None:
    """Link a folder to the entry that names it, if one does, whatever `.git` it has now."""
    own = os.path.join(path, ".git")
    if os.path.isdir(own) and not os.path.islink(own):
        os.rename(own, find_free_path(path))
    else:
        with suppress(OSError):
            os.unlink(own)
    for entry in _list_entries(root):
        if _find_folder(entry) == path:
            replace_file(own, b"gitdir: " + os.fsencode(entry) + b"\n")


def move_entries(root: str, branch: str, path: str) -> None:
    """Let each entry of our branch name this folder, where it named the one of another place.

    A folder that a moved repository left behind comes along: it may have work that no commit has.
    A copy does not touch the folders of the first one, nor do we touch a folder in which the user
    looks at our branch.
    """
    for entry in _list_entries(root):
        head, old = read_plain_file(os.path.join(entry, "HEAD")), _find_folder(entry)
        if head != f"ref: refs/heads/{branch}\n".encode() or old == path:
            continue
        is_in_use = is_linked(old, root)
        if is_in_use and _name_work(old) != _name_work(path):
            continue
        if is_in_use and os.path.isdir(path):  # since then it was worked at the other place
            os.rename(path, find_free_path(path))
        if not os.path.lexists(path):
            for left in _find_left_behind(path, os.path.basename(entry)):
                os.rename(left, path)
        replace_file(os.path.join(entry, "gitdir"), os.fsencode(os.path.join(path, ".git")) + b"\n")


def remove_entries(root: str, path: str) -> None:
    """Remove the entries that name a folder of ours which is gone, and no others.

    `git worktree prune` would remove whatever it takes for an entry, also where a link leads.
    """
    for entry in _list_entries(root):
        if has_worktree(entry, path):
            remove_tree(entry)
            with suppress(OSError):  # others are there, or git has removed the folder
                os.rmdir(os.path.dirname(entry))


def _name_work(path: str) -> list[str]:
    """Return the run and the goal that a folder of ours is for."""
    return path.split("/")[-2:]


def _find_left_behind(path: str, entry: str) -> list[str]:
    """Find a folder for the same work whose repository is gone, among those of this user."""
    place = os.path.dirname(os.path.dirname(path))
    home = os.path.dirname(place)
    found = [os.path.join(home, name, *_name_work(path)) for name in os.listdir(home)]
    return [each for each in found if os.path.isdir(each) and _is_left_behind(each, entry)][:1]


def _is_left_behind(path: str, entry: str) -> bool:
    own = os.path.join(path, ".git")
    known = find_git_dir(path) if os.path.isfile(own) else path
    return os.path.basename(known) == entry and not os.path.lexists(known)


def find_free_path(path: str) -> str:
    return f"{path}.aside-{os.urandom(4).hex()}"


def _list_entries(root: str) -> Iterator[str]:
    home = os.path.join(find_common_dir(root), "worktrees")
    if os.path.isdir(home) and not os.path.islink(home):
        for name in sorted(os.listdir(home)):
            entry = os.path.join(home, name)
            if os.path.isdir(entry) and not os.path.islink(entry):
                yield entry


def _find_folder(entry: str) -> str:
    """Return the folder that an entry names."""
    return os.path.dirname(os.path.normpath(follow_path(os.path.join(entry, "gitdir"))))
