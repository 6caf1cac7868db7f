"""The project's own tools, which an independent lane may replay with any words in a sandbox."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TypeAlias

from goalkeeper.core.projects.environments import is_environment
from goalkeeper.core.review.replays import INTERPRETERS
from goalkeeper.wire.pattern import late_pattern

Words: TypeAlias = tuple[str, ...]
_VERSIONED = late_pattern(r"([a-z]+)[\d.]*")
# They start the program that comes after them and their options.
_LAUNCHERS: tuple[Words, ...] = (
    ("env",), ("npx",), ("bunx",), ("npm", "exec"), ("pnpm", "exec"), ("yarn", "exec"),
    ("bundle", "exec"), ("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"),
)  # fmt: skip
_NODE_TEST = ("node", "--test")


def name_interpreter(command: Words, cwd: str) -> Words:
    """Return the command with a plain name for its interpreter, if it is one of the environment.

    An interpreter is no tool by itself: it runs what it is told.
    """
    program = command[0]
    if "/" in program and not _lies_in_environment(program, cwd):
        return command
    named = _VERSIONED.fullmatch(posixpath.basename(program))
    if named is None or named[1] not in INTERPRETERS:
        return command
    return ("python3" if named[1] == "python" else named[1], *command[1:])


def is_tool(command: Words, cwd: str, verify: Sequence[Words]) -> bool:
    """Return whether it is a program of the environment, or begins like a runner of [verify]."""
    plain = name_interpreter(command, cwd)
    runners = (find_runner_words(name_interpreter(argv, "")) for argv in verify)
    if any(words and plain[: len(words)] == words for words in runners):
        return True
    return plain[0] not in INTERPRETERS and _lies_in_environment(plain[0], cwd)


def find_runner_words(argv: Words) -> Words:
    """Return the first words of a command up to the runner that it starts; none if it is none."""
    for words in _LAUNCHERS:
        if argv[: len(words)] == words:
            count = len(words)
            while count < len(argv) and (argv[count].startswith("-") or "=" in argv[count]):
                count += 1
            started = find_runner_words(argv[count:])
            return argv[:count] + started if started else ()
    if not argv or argv[0] not in INTERPRETERS:
        return argv[:1]
    if argv[1:2] == ("-m",):
        return argv[:3] if argv[2:] else ()
    return argv[:2] if argv[:2] == _NODE_TEST else ()


def _lies_in_environment(program: str, cwd: str) -> bool:
    path = posixpath.normpath(posixpath.join(cwd, program))
    place, _, folder = posixpath.dirname(path).rpartition("/")
    return folder in {"bin", ".bin"} and is_environment(place) and not path.startswith(("/", ".."))
