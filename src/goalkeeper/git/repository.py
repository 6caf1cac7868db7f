"""Calls git: one call returns its whole output or raises an error with a name.

Checks are started by `system.run`, with limits and few variables. git is not limited in this way.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from shlex import quote
from tempfile import TemporaryFile
from typing import BinaryIO

from goalkeeper.core.plan.model import Base
from goalkeeper.errors import OutsideError
from goalkeeper.system import reaper
from goalkeeper.system.environment import DEFAULT_PATH, filter_search_path
from goalkeeper.wire.value import Value


class GitMissing(OutsideError, hint="install git, then repeat the command"):
    """git is not installed, or not on PATH."""


class NoRepository(
    OutsideError,
    hint="cd {place} && git init && git add --all && git commit -m base, then repeat the command",
):
    """{place} is not in a git repository, and judging needs exact trees."""


class GitFailed(OutsideError, hint="git -C {place} status"):
    """git {action} failed: {reason}"""


class NoCommitInside(
    OutsideError,
    hint="rm -rf {folder}/.git, or name the folder in .gitignore, or commit in it; "
    "then repeat the command",
):
    """{folder} is a git repository of its own without a commit, and git takes no snapshot of it."""


class Repository(Value):
    """A working tree, and the folders in which git stores its data."""

    worktree: str
    git_dir: str
    common_dir: str  # it is the same as git_dir, except for linked working trees
    objects: str
    format: str  # the format of its ids: sha1 or sha256


# The user's own configuration must not change results, or run hooks and helpers that may lie.
_STEADY = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0",
           "-c", "advice.addEmbeddedRepo=false", "-c", "core.quotePath=false",
           "-c", "core.splitIndex=false", "-c", "core.trustctime=true",
           "-c", "core.checkStat=default")  # fmt: skip

LIMIT_SECONDS = 600


def call_git(
    args: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    input: bytes = b"",  # noqa: A002  as subprocess names it
    walls: Sequence[str] = (),
) -> bytes:
    """Return what git prints. `env` is all that git sees besides PATH and HOME.

    A program git that lies inside one of the `walls` is not started.
    """
    with _open_scratch(input) as given, _open_scratch() as out, _open_scratch() as err:
        code = _run_git(
            ["git", *_STEADY, *args], cwd, _build_environment(env, walls), (given, out, err)
        )
        said = out if code == 0 else err
        said.seek(0)
        text = said.read()
    if code == 0:
        return text
    reason = text.decode(errors="replace").strip()[:500] or f"exit {code}"
    if code is None:
        reason = f"it took longer than {LIMIT_SECONDS} s"
    raise GitFailed(action=args[0], reason=reason, place=cwd)


class Git(Value):
    """git in one folder, with the same environment and walls for every call."""

    cwd: str
    env: Mapping[str, str]
    walls: tuple[str, ...]

    def call(self, *args: str, input: bytes = b"") -> bytes:  # noqa: A002  as subprocess names it
        return call_git(args, env=self.env, cwd=self.cwd, input=input, walls=self.walls)

    def ask(self, *args: str, input: bytes = b"") -> str:  # noqa: A002
        """Return what git prints, as text without the spaces around it."""
        return os.fsdecode(self.call(*args, input=input)).strip()

    def ask_if_any(self, *args: str) -> str:
        """Return what git prints; nothing if it fails."""
        try:
            return self.ask(*args)
        except GitFailed:
            return ""

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        """Return a git that goes on answering until the caller ends it; it stays in our session."""
        try:
            return subprocess.Popen(
                ["git", *_STEADY, *args], cwd=self.cwd, bufsize=0, process_group=0,
                env=_build_environment(self.env, self.walls),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except FileNotFoundError as exc:
            raise GitMissing from exc

    def unhide_paths(self, hidden: Sequence[bytes], place: str) -> list[bytes]:
        """Make git look at hidden paths where a file is; return the paths where none is."""
        there = [p for p in hidden if os.path.lexists(os.path.join(os.fsencode(place), p))]
        for flag in ("--no-assume-unchanged", "--no-skip-worktree") if there else ():
            told = b"".join(path + b"\0" for path in there)
            self.call("update-index", "-z", flag, "--stdin", input=told)
        return sorted({*hidden} - {*there})


def _build_environment(env: Mapping[str, str], walls: Sequence[str]) -> dict[str, str]:
    return {
        "PATH": filter_search_path(os.environ.get("PATH", DEFAULT_PATH), walls),
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.path.join(os.devnull, "none"),  # git would warn of an empty file
        **env,
    }


def _run_git(
    argv: list[str], cwd: str, env: Mapping[str, str], streams: tuple[BinaryIO, BinaryIO, BinaryIO]
) -> int | None:
    """Return the exit code; None after the time limit. End filters that still run, with git.

    The streams are files, so that we do not wait for processes that hold a pipe open.
    """
    given, out, err = streams
    try:
        git = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=given, stdout=out, stderr=err, process_group=0
        )
    except FileNotFoundError as exc:
        raise GitMissing from exc
    try:
        ended = reaper.ends_within(git.pid, LIMIT_SECONDS)
    finally:  # it comes before git is reaped, because another process may get its number then
        reaper.signal_group(git.pid, signal.SIGKILL)
        code = git.wait()
    return code if ended else None


def _open_scratch(data: bytes = b"") -> BinaryIO:
    if hasattr(os, "memfd_create"):
        file: BinaryIO = os.fdopen(os.memfd_create("git"), "w+b")
    else:
        file = TemporaryFile()  # noqa: SIM115  the caller closes it
    file.write(data)
    file.seek(0)
    return file


def find_repository(worktree: str) -> tuple[Repository, Base]:
    """Return the repository of a working tree, and the commit at HEAD; raise NoRepository."""
    if not os.path.lexists(os.path.join(worktree, ".git")):
        raise NoRepository(place=quote(worktree))
    asked = ("rev-parse", "--show-object-format", "--path-format=absolute", "--git-dir",
             "--git-common-dir", "--git-path", "objects",
             "--revs-only", "HEAD^{commit}", "HEAD^{tree}")  # fmt: skip
    try:
        told = os.fsdecode(call_git(asked, env={}, cwd=worktree, walls=(worktree,))).splitlines()
    except GitFailed as exc:
        if "not a git repository" in exc.message:
            raise NoRepository(place=quote(worktree)) from exc
        raise
    format_, git_dir, common_dir, objects, *head = told
    commit, tree = head or ("", "")  # they are empty before the first commit
    return Repository(worktree, git_dir, common_dir, objects, format_), Base(tree, commit)
