"""Searching for a worker's pattern in a process of its own, because a search may never end."""

from __future__ import annotations

import os
import string
import sys
import tempfile

from goalkeeper.core.review.replays import LEAST_LETTERS
from goalkeeper.system import run
from goalkeeper.system.run import ProgramLimits

_SECONDS = 5.0
_FOUND, _NOT_FOUND = 0, 3
# It is reversed, so that no word stands in it.
_NOISE = "\n".join(["", string.printable[::-1], " " * 8, ""])
_LINE = "".join(filter(str.isprintable, string.printable[::-1])) + "\n"  # for patterns with $
_SEARCH = """
import re, sys
pattern, path, least = sys.argv[1:]
with open(path, newline="") as file:
    found = re.finditer(pattern, file.read())
    sys.exit(0 if any(len(each.group()) >= int(least) for each in found) else 3)
"""


def is_weak(pattern: str) -> bool:
    """Return whether the pattern matches in noise, even an empty text, or does not end."""
    return any(_search_text(pattern, noise, least=0) != _NOT_FOUND for noise in (_NOISE, _LINE))


def is_found(pattern: str, text: str) -> bool:
    return _search_text(pattern, text, least=LEAST_LETTERS) == _FOUND


def _search_text(pattern: str, text: str, *, least: int) -> int | None:
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "text")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        argv = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _SEARCH, pattern, path, str(least)]
        limits = ProgramLimits(seconds=_SECONDS, free_mb=0)
        ran = run.run(argv, cwd=place, env={}, limits=limits)
    return ran.code if isinstance(ran, run.Exited) else None
