"""Commands that say nothing when they fail: what they did not say is no signal."""

from __future__ import annotations

import re

_NULL = re.compile(
    r"(?:2|&)>{1,2}\s{0,9}(?:/dev/null|nul\b)|2>&-|>\s{0,9}/dev/null\s{1,9}2>&1", re.IGNORECASE
)
_SHRUG = re.compile(r"(?:\|\||;)\s{0,9}(?:true|:|exit\s{1,9}0)\s{0,9}(?:$|[;)}\n])")
_COMMAND = re.compile(r"[|;&()\n]+")
_LETTERS = re.compile(r"-[A-Za-z]+")
_QUIET = frozenset({"--quiet", "--silent", "--no-messages"})
_SHORT = {"grep": "q", "egrep": "q", "fgrep": "q", "rg": "q", "ssh": "q", "wget": "q", "scp": "q"}


def is_silent(command: str) -> bool:
    """Whether the command hides its errors, or that it failed."""
    if _NULL.search(command) or _SHRUG.search(command):
        return True
    return any(_is_quiet(part.split()) for part in _COMMAND.split(command))


def _is_quiet(words: list[str]) -> bool:
    names = {word.rsplit("/", 1)[-1] for word in words}
    letters = {letter for word in words if _LETTERS.fullmatch(word) for letter in word[1:]}
    if any(name in names and letter in letters for name, letter in _SHORT.items()):
        return True
    if "curl" in names and ("S" in letters or "--show-error" in words):
        return False
    # curl -s alone still shows what the server said; with -f it shows nothing.
    fails = "curl" in names and ("f" in letters or "--fail" in words)
    return bool(_QUIET & set(words)) or (fails and "s" in letters)
