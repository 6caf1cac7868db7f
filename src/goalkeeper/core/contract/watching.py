"""Files that decide what a check says, found by watching it on the base and by who orders them.

A file that a check opened belongs to the judge if something that gives the check its orders names
it: a Makefile includes it, or a script runs it and its name says that it checks. What tests import
or source may be the product, so tests give no orders here.
"""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping

from goalkeeper.core.contract.protected import is_runner_file, is_test
from goalkeeper.wire.pattern import late_pattern

_RUNNERS = ("make", "just", "task", "rake")
_INCLUDE = late_pattern(r"^[-s]?include[ \t]+([^#\n]+)", re.MULTILINE)
_VARIABLE = late_pattern(r"\$[({][^)}]*[)}]|\$\w+|\$@")
_WORDS = late_pattern(r"[\w@%+,./-]+")
# Stricter than for scripts that the contract itself names: `validate.py` may be the product, and
# so may sources that are compiled.
_CHECKING = late_pattern(
    r"(?i)(?:^|[_.-])(?:run[_-]?)?(?:tests?|checks?|verify|asserts?)(?:$|[_.-])"
)
_SCRIPTS = ("", ".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".pl", ".rb")


def find_judges(
    opened: Mapping[str, Collection[str]],
    orders: Callable[[str], bool],
    read_text: Callable[[str], str],
) -> dict[str, str]:
    """Return why files decide, by path.

    `opened` is what each check opened of the base. `orders` says whether a file is known to give
    checks their orders: the file of a runner that a check calls, or a script that it names.
    """
    found: dict[str, str] = {}
    for check, files in opened.items():
        known = {path for path in files if orders(path)}
        ahead = sorted(known)
        while ahead:
            path = ahead.pop()
            for named in _list_ordered(path, read_text(path), files):
                if named not in known:
                    known.add(named)
                    found.setdefault(named, f"check {check} was seen to use it")
                    ahead.append(named)
    return found


def gives_orders(path: str) -> bool:
    """Return whether a file gives orders by its name, if anybody takes them from it."""
    named = any(is_runner_file(path, runner) for runner in _RUNNERS)
    return named or posixpath.basename(path) == "package.json"


def _list_ordered(path: str, text: str, files: Collection[str]) -> Iterator[str]:
    """List files that a file which gives orders includes, or runs to check."""
    folder = posixpath.dirname(path)
    if any(is_runner_file(path, runner) for runner in _RUNNERS) or _INCLUDE.search(text):
        words = (word for found in _INCLUDE.finditer(text) for word in found[1].split())
        for word in words:
            yield from _match_word(_VARIABLE.sub("*", word), folder, files)
    if posixpath.basename(path) == "package.json":
        text = _read_scripts(text)
    for word in dict.fromkeys(_WORDS.findall(_VARIABLE.sub("*/", text))):
        name = posixpath.basename(word)
        stem, ending = posixpath.splitext(name)
        if ending in _SCRIPTS and _CHECKING.search(stem) and not is_test(name):
            yield from _match_word(word.lstrip("/"), folder, files)


def _match_word(word: str, folder: str, files: Collection[str]) -> Iterator[str]:
    """List opened files that a word means: below the folder of who names it, or below the root."""
    if "*" in word:
        patterns = {posixpath.join(place, word) for place in ("", folder)}
        yield from (f for f in files if any(fnmatch.fnmatchcase(f, each) for each in patterns))
        return
    places = {posixpath.normpath(posixpath.join(place, word)) for place in ("", folder)}
    yield from sorted(place for place in places if place in files)


def _read_scripts(text: str) -> str:
    try:
        scripts = json.loads(text).get("scripts", {})
        return "\n".join(map(str, scripts.values()))
    except (ValueError, AttributeError, RecursionError):
        return ""
