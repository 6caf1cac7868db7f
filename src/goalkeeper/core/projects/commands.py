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
_LEADING = frozenset({"cd", "export", "set", "source", ".", "exec", "if", "for", "while"})
_STARTING = late_pattern(r"(?:(?:uv|poetry|pdm) run |npx |(?:\S*/)?python[\d.]* -m )*(?:\S*/)?")
# Programs that look at files and make none, whatever ran before them.
_LOOKING = frozenset(
    """
    bandit biome black codespell eslint flake8 isort mypy prettier pylint pyright ruff shellcheck
    shfmt standard xo
    """.split()  # noqa: SIM905
)
ReadText = Callable[[str], str]  # it gives the text of a file; empty if there is none


def describe_argv(argv: Sequence[str]) -> str:
    """Return a command in one line; a program that is written out in it is not repeated."""
    return " ".join("…" if "\n" in word else word for word in argv)


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
    found = split_command(argv, read)
    return found[0] if len(found) == 1 else tuple(argv)


def split_command(argv: Sequence[str], read: ReadText) -> tuple[tuple[str, ...], ...]:
    """Return all commands that `make test` or `npm test` runs, in order.

    Nothing is returned if one of them means more than its words, or leads to the next.
    """
    lines: list[str] = []
    if argv[0] == "make" and len(argv) == 2:  # noqa: PLR2004  the program and the target
        lines = _read_recipe(read_makefile(read), argv[1])
    elif tuple(argv) == ("npm", "test"):
        scripts = read_package_table(read(PACKAGE), "scripts")
        lines = [str(scripts[name]) for name in ("pretest", "test", "posttest") if name in scripts]
    found = [_split_plain(part.strip()) for line in lines for part in line.split("&&")]
    is_apart = all(words and words[0] not in _LEADING for words in found)
    return tuple(map(tuple, found)) if is_apart else ()


def only_looks(argv: Sequence[str]) -> bool:
    """Return whether a command is a linter or the like, which nothing else depends on."""
    line = " ".join(argv)
    found = _STARTING.match(line)
    return line[found.end() if found else 0 :].partition(" ")[0] in _LOOKING


def _read_recipe(makefile: str, target: str, seen: tuple[str, ...] = ()) -> list[str]:
    """Read the lines of a target and of those that it needs; one that cannot be told is empty."""
    rules = re.findall(
        rf"^{re.escape(target)}[ ]*:(.*)\n((?:\t.*(?:\n|\Z))*)", makefile, re.MULTILINE
    )
    if len(rules) != 1 or target in seen:
        return [""]
    needed = rules[0][0].partition("#")[0].split()
    before = [line for name in needed for line in _read_recipe(makefile, name, (*seen, target))]
    return [*before, *(line.strip().removeprefix("@") for line in rules[0][1].splitlines())]


def _split_plain(line: str) -> list[str]:
    """Split a line that means the same without a shell; nothing if it may mean more."""
    return [] if _SHELL_SIGNS.intersection(line) or line.startswith("-") else line.split()
