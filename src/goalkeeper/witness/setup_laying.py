"""What set-up made is laid into a worktree, so that whoever works there has what checks have.

It is copied, because the work may change it; where the file system can, the copies share their
blocks. Environments carry the path that they were made for, so that path is written anew.
"""

from __future__ import annotations

import os

from goalkeeper.git.trees import Trees
from goalkeeper.system.environment import lies_in_any
from goalkeeper.system.safe_open import make_folder, read_plain_file, replace_file
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.pool import walk_tree
from goalkeeper.witness.setup import copy_path
from goalkeeper.witness.setups import borrow_setup
from goalkeeper.witness.terms import CheckTerms, find_shared_path

_CARRIERS = late_pattern(
    r"(?:.*/)?(?:bin/[^/]+|pyvenv\.cfg|[^/]+\.(?:pth|egg-link)|__editable__[^/]+\.py"
    r"|direct_url\.json|\.modules\.yaml)"
)
_MOST_BYTES = 1 << 20
_IGNORED = b"# goalkeeper laid this folder; it is no work\n*\n"


def lay_setup(trees: Trees, terms: CheckTerms, place: str) -> tuple[str, ...]:
    """Lay the folders that set-up made into a worktree, where nothing lies yet; return them."""
    with borrow_setup(trees, terms) as lent:
        laid = tuple(path for path in lent.made if _is_free(place, lent.place, path))
        for path in laid:
            target = os.path.join(place, path)
            make_folder(os.path.dirname(target))
            copy_path(os.path.join(lent.place, path), target)
            replace_file(os.path.join(target, ".gitignore"), _IGNORED)
            _move_paths(target, find_shared_path(trees), os.path.realpath(place))
    return laid


def _is_free(place: str, kept: str, path: str) -> bool:
    """Return whether a folder of the set-up can be laid; files would become part of the work."""
    target = os.path.join(place, path)
    around = os.path.realpath(os.path.dirname(target))
    is_inside = lies_in_any(around, [os.path.realpath(place)])
    is_folder = os.path.isdir(os.path.join(kept, path))
    return is_folder and is_inside and not os.path.lexists(target)


def _move_paths(folder: str, old: str, new: str) -> None:
    """Write the new place into files that name the old one."""
    for path, entry in walk_tree(folder, lambda _: True):
        if entry.is_file(follow_symlinks=False) and _CARRIERS.fullmatch(f"/{path}"):
            about = entry.stat(follow_symlinks=False)
            data = read_plain_file(entry.path) if about.st_size <= _MOST_BYTES else b""
            if b"\0" not in data and old.encode() in data:
                replace_file(entry.path, data.replace(old.encode(), new.encode()))
                os.chmod(entry.path, about.st_mode & 0o777)
