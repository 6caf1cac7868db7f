"""Where the witness works."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import ParamSpec, TypeVar

from goalkeeper.errors import DiskFailed
from goalkeeper.git.drivers import TrustDrivers
from goalkeeper.git.trees import Trees

P = ParamSpec("P")
T = TypeVar("T")


class WitnessFolders:
    """The folders in which the witness works, and the paths that it hides from checks."""

    def __init__(
        self,
        *,
        root: str,
        worktree: str,
        state: str,
        cache: str,
        hidden: tuple[str, ...],
        apart: str = "",
    ) -> None:
        """Choose the folders; trees that are made go into `apart`, if it is given."""
        name = name_repository(root)
        self.store = os.path.join(state, name)
        self.cache = os.path.join(cache, name)
        self.worktree = worktree
        self.hidden = hidden
        self._apart = apart

    def open_trees(self, is_trusted: TrustDrivers) -> Trees:
        store, lenders = (self._apart, [self.store]) if self._apart else (self.store, [])
        return Trees(self.worktree, store, self.cache, lenders=lenders, is_trusted=is_trusted)


def name_repository(root: str) -> str:
    """Return the name under which a repository has folders outside of it."""
    return f"{os.path.basename(root) or 'root'}-{sha256(os.fsencode(root)).hexdigest()[:12]}"


def name_disk_errors(method: Callable[P, T]) -> Callable[P, T]:
    """Turn an error of the disk into an error with a name."""

    @wraps(method)
    def call_method(*args: P.args, **named: P.kwargs) -> T:
        try:
            return method(*args, **named)
        except OSError as exc:
            place = exc.filename or "the witness's folders"
            reason = exc.strerror or str(exc)
            raise DiskFailed(action="work in", path=place, reason=reason) from exc

    return call_method
