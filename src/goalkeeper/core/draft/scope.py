"""What drafted work leaves alone: files that decide what others are told of it, or what is run.

A change of sources or a new file needs nobody's leave. A change of these does: somebody must have
asked for it, in the sentence or as a part of a solution.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import Role, read_names, role_of_path
from goalkeeper.wire.pattern import late_pattern

_ABOUT_CI = late_pattern(r"\bCI\b|(?i:continuous integration|github actions)")
_ABOUT_PACKAGES = late_pattern(
    r"(?i)\b(?:dependenc|lock ?file|upgrad|bump|install|package|librar|requirement)"
)


def list_closed(paths: Collection[str], touched: Collection[str], words: str) -> tuple[str, ...]:
    """List patterns of what the work may not change.

    `touched` is what examiners expect to change, and what their solutions do change.
    """
    closed = [*_list_ci(words), *_list_locks(paths, touched, words)]
    return tuple(
        pattern
        for pattern in closed
        if pattern.removeprefix("**/") not in words
        and not any(is_match(p, [pattern]) for p in touched)
    )


def describe_closed(patterns: Collection[str]) -> str:
    """Say in few words what is closed."""
    names = (pattern.removeprefix("**/") for pattern in patterns)
    told = ("CI configuration" if role_of_path(name) is Role.CI else name for name in names)
    return ", ".join(dict.fromkeys(told))


def _list_ci(words: str) -> Iterator[str]:
    if not _ABOUT_CI.search(words):
        yield from sorted(read_names("ci_folders"))
        yield from (f"**/{name}" for name in sorted(read_names("ci_files")))


def _list_locks(paths: Collection[str], touched: Collection[str], words: str) -> Iterator[str]:
    """List the lockfiles that the base has. A new package needs its declaration changed, too."""
    declared = read_names("declaring_files")
    if not _ABOUT_PACKAGES.search(words) and not any(_name(path) in declared for path in touched):
        yield from sorted(path for path in paths if _name(path) in read_names("lock_files"))


def _name(path: str) -> str:
    return path.rpartition("/")[2]
