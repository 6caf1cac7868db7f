"""What drafted work leaves alone: CI configuration, which decides what others are told of it.

A change of sources, of packages or a new file needs nobody's leave. This one does: somebody must
have asked for it, in the sentence or as a part of a solution.
"""

from __future__ import annotations

from collections.abc import Collection

from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import read_names
from goalkeeper.wire.pattern import late_pattern

_ABOUT_CI = late_pattern(r"\bCI\b|(?i:continuous integration|github actions)")


def list_closed(touched: Collection[str], words: str) -> tuple[str, ...]:
    """List patterns of what the work may not change.

    `touched` is what examiners expect to change, and what their solutions do change.
    """
    if _ABOUT_CI.search(words):
        return ()
    names = (f"**/{name}" for name in sorted(read_names("ci_files")))
    return tuple(
        pattern
        for pattern in (*sorted(read_names("ci_folders")), *names)
        if pattern.removeprefix("**/") not in words
        and not any(is_match(path, [pattern]) for path in touched)
    )
