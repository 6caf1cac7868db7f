"""Path patterns of contracts: `*` stays in a folder, `**` does not, a folder means its files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from goalkeeper.wire.pattern import late_pattern


def filter_paths(paths: Iterable[str], patterns: Iterable[str]) -> list[str]:
    """Return the paths that match any of the patterns, in order."""
    tests = [_compile_pattern(pattern) for pattern in patterns]
    return [path for path in paths if any(test.fullmatch(path) for test in tests)]


def is_match(path: str, patterns: Iterable[str]) -> bool:
    return any(_compile_pattern(pattern).fullmatch(path) for pattern in patterns)


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_PARTS = late_pattern(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])")


@lru_cache(maxsize=4096)
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    parts = _PARTS.split(pattern)
    return re.compile("".join(map(_translate_part, parts)) + r"(/.*)?", re.DOTALL)


def _translate_part(part: str) -> str:
    if part in _WILD:
        return _WILD[part]
    if not (part.startswith("[") and part.endswith("]")):
        return re.escape(part)
    inner = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
    some = f"[^/{inner[1:]}]" if inner[:1] in "!^" else f"[{inner}]"
    try:
        re.compile(some)
    except re.error:
        return re.escape(part)  # a range that runs backwards is plain text
    return some
