"""Where the witness works."""

from __future__ import annotations

import os
from hashlib import sha256


class WitnessFolders:
    """The folders in which the witness works, and the paths that it hides from checks."""

    def __init__(
        self, *, root: str, worktree: str, state: str, cache: str, hidden: tuple[str, ...]
    ) -> None:
        name = name_repository(root)
        self.store = os.path.join(state, name)
        self.cache = os.path.join(cache, name)
        self.worktree = worktree
        self.hidden = hidden


def name_repository(root: str) -> str:
    """Return the name under which a repository has folders outside of it."""
    return f"{os.path.basename(root) or 'root'}-{sha256(os.fsencode(root)).hexdigest()[:12]}"
