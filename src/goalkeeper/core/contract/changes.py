"""The files that differ between the base and the candidate."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class FileChange(Value):
    """One file that differs. A rename has both paths; `old` or `new` is None when not there.

    `old_mode` and `new_mode` are git's (100644, 100755, 120000 for a link, 160000 for a
    submodule); contents of links are their targets, of submodules None.
    """

    path: str  # the path in the candidate; for a deletion, in the base
    old_path: str  # the path in the base; empty for an addition
    old: bytes | None
    new: bytes | None
    old_mode: str = "100644"
    new_mode: str = "100644"
    may_change: bool = False  # the contract lets this goal change it, though it is protected
