"""The files that decide what a goal's checks say, by their names and by the checks' commands."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from itertools import dropwhile

from goalkeeper.core.contract import protected
from goalkeeper.core.contract.check_kinds import ARGV_KINDS, Check
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_VARIABLE = late_pattern(r"[A-Za-z_]\w*=")
_WORDS = late_pattern(r"[\w@%+=:,./-]+")
_ENDING = late_pattern(r"\.(py|[cm]?[jt]s|(ba|z|k)?sh|rb|pl|php)$")
_SHELL = late_pattern(r"(.*/)?(ba|da|k|z)?sh")
TOOL_TABLES = "its tools' tables"  # of pyproject.toml and package.json the rest may change


class CheckOrders(Value):
    """Files that decide what checks do, besides those that are known by their names."""

    runners: tuple[str, ...]  # programs such as make, as checks call them
    scripts: Mapping[str, str]  # it maps files that checks run to how they run them

    @classmethod
    def from_checks(
        cls, checks: Sequence[Check], setup: Sequence[Sequence[str]] = ()
    ) -> CheckOrders:
        said = [(check, {w for line in _list_commands(check) for w in line}) for check in checks]
        named = {
            path: check.kind
            for check, words in said
            for word in words
            for place in _list_folders(check)
            for path in _guess_paths(word, place)
        }
        scripts = {
            place: f"check {kind} names it"
            for path, kind in named.items()
            if protected.is_checking_name(path)
            for place in (path, *list_parents(path))  # a link may stand there
        }
        made = {
            path: "set-up runs it"
            for argv in setup
            for line in _list_lines(argv)
            for word in _list_started(line)
            for path in _guess_paths(word, "")
        }
        runners = {word for _, words in said for word in words if protected.is_runner(word)}
        return cls(tuple(sorted(runners)), {**scripts, **made})


def why_protected(path: str, orders: CheckOrders) -> str:
    """Return why a path decides what checks say; empty if the goal may change it."""
    kind = protected.role_of_path(path)
    if kind:
        return kind
    runner = next((word for word in orders.runners if protected.is_runner_file(path, word)), "")
    if runner:
        return f"{runner} takes its orders from it"
    return orders.scripts.get(path) or (TOOL_TABLES if protected.is_partly(path) else "")


def _list_commands(check: Check) -> list[tuple[str, ...]]:
    """Return the words of every command of a check, also of commands that a shell gets as text."""
    if check.kind == "pytest":
        files = [("pytest", path.split("::")[0]) for path in check.main_option]
        return [*files, ("pytest", *check.options.get("args", ()))]
    if check.kind == "shell":
        return [*_split_commands(check.main_option)]
    return _list_lines(check.main_option) if check.kind in ARGV_KINDS else [()]


def _list_lines(argv: Sequence[str]) -> list[tuple[str, ...]]:
    shell = next((n for n, word in enumerate(argv) if _SHELL.fullmatch(word)), len(argv))
    texts = [word for word in argv[shell:] if not _WORDS.fullmatch(word)]
    return [tuple(argv), *(line for text in texts for line in _split_commands(text))]


def _list_started(words: Sequence[str]) -> Iterator[str]:
    """List words of a command that may be files which it runs; others are names of packages."""
    is_started, before = False, ""
    for word in words:
        if not is_started or before == "-m" or _ENDING.search(word):
            yield word
        is_leading = word.startswith("-") or _VARIABLE.match(word) or protected.is_launcher(word)
        is_started, before = is_started or not is_leading, word


@cache
def _split_commands(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_WORDS.findall(part)) for part in _split_text(text))


def _list_folders(check: Check) -> list[str]:
    """Return folders that a check runs in or changes to."""
    first = str(check.options.get("cwd") or "")
    gone_to = [line[1] for line in _list_commands(check) if line[:1] == ("cd",) and len(line) > 1]
    return [first, *(posixpath.join(first, folder) for folder in gone_to)]


@cache
def _guess_paths(word: str, cwd: str) -> frozenset[str]:
    """Return files that a word may mean: also as a module, and without its ending."""
    module = word.replace(".", "/")
    named = {word, f"{word}.js", f"{word}.py", f"{module}.py", f"{module}/__main__.py"}
    return frozenset(posixpath.normpath(posixpath.join(cwd, n)) for n in named if n.strip("."))


def list_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def find_run_files(check: Check, files: Container[str]) -> set[str]:
    """Return the files that a check runs, also as arguments of a program that runs them."""
    if check.kind == "http":
        return set()  # it starts the product, which answers
    places = _list_folders(check)
    commands = [_without_variables(line) for line in _list_commands(check)]
    return {path for words in commands for path in _find_started(words, places, files)}


def _find_started(
    words: Sequence[str], places: Sequence[str], files: Container[str]
) -> Iterator[str]:
    program = words[0] if words else ""
    given = words[1:] if protected.is_launcher(program) else ()
    for word in (*((program,) if "/" in program else ()), *given):
        found = [path for place in places for path in _guess_paths(word, place) if path in files]
        if found:
            yield from found
            return  # the words after it are its arguments


def list_programs(checks: Sequence[Check]) -> list[tuple[str, ...]]:
    """Return the argv of every check that has one; a shell command is split into words."""
    found = []
    for check in checks:
        if check.kind in ARGV_KINDS:
            found.append(check.main_option)
        elif check.kind == "shell":
            found += [_without_variables(part.split()) for part in _split_text(check.main_option)]
    return [argv for argv in found if argv]


def _without_variables(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words from the program on: in `CI=1 make test` from make on."""
    return tuple(dropwhile(_VARIABLE.match, words))


def _split_text(text: str) -> list[str]:
    return [line for line in re.sub(r"&&|[;|]", "\n", text).splitlines() if line.split()]
