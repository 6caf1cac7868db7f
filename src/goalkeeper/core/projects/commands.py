"""The commands that make and npm know in a project, read from the text of its files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from goalkeeper.wire.pattern import late_pattern

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # make looks for them in this order
PACKAGE = "package.json"
_TARGET = late_pattern(r"^([A-Za-z0-9][\w-]*)\s*:(?!=)", re.MULTILINE)
_SHELL_SIGNS = frozenset("$|&;<>()`\"'*?{}~\\=#!")
ReadText = Callable[[str], str]  # it gives the text of a file; empty if there is none


def read_makefile(read: ReadText) -> str:
    """Read the file that make would read."""
    return next(filter(None, map(read, MAKEFILES)), "")


def list_targets(makefile: str) -> list[str]:
    return _TARGET.findall(makefile)


def read_package_table(package: str, name: str) -> dict[str, Any]:
    """Read an object of package.json, such as its scripts; it is empty if it cannot be read."""
    try:
        document = json.loads(package or "{}")
    except (ValueError, RecursionError):
        return {}
    table = document.get(name) if isinstance(document, dict) else None
    return table if isinstance(table, dict) else {}


def find_runner(argv: Sequence[str], read: ReadText) -> tuple[str, ...]:
    """Return the one command that `make test` or `npm test` runs; else the command itself."""
    found: Sequence[str] = ()
    if argv[0] == "make" and len(argv) == 2:  # noqa: PLR2004  the program and the target
        found = _read_recipe(read_makefile(read), argv[1])
    elif tuple(argv) == ("npm", "test"):
        found = _read_script(read(PACKAGE))
    return tuple(found) or tuple(argv)


def _read_recipe(makefile: str, target: str) -> list[str]:
    """Read the recipe of a target that needs no other; nothing if it has more than one line."""
    rules = re.findall(
        rf"^{re.escape(target)}[ ]*:(.*)\n((?:\t.*(?:\n|\Z))*)", makefile, re.MULTILINE
    )
    if len(rules) != 1 or rules[0][0].partition("#")[0].strip():
        return []
    lines = rules[0][1].splitlines()
    return _split_plain(lines[0].strip().removeprefix("@")) if len(lines) == 1 else []


def _read_script(package: str) -> list[str]:
    scripts = read_package_table(package, "scripts")
    has_more = "pretest" in scripts or "posttest" in scripts
    return [] if has_more else _split_plain(str(scripts.get("test", "")))


def _split_plain(line: str) -> list[str]:
    """Split a line that means the same without a shell; nothing if it may mean more."""
    return [] if _SHELL_SIGNS.intersection(line) or line.startswith("-") else line.split()
