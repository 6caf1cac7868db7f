"""git as a tool: one call, its output whole, its failures named.

Checks are started by `process`, with limits and scrubbed; git is ours and answers in full.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from shlex import quote

from goalkeeper.errors import OutsideError
from goalkeeper.wire.value import Value
from goalkeeper.witness.environment import DEFAULT_PATH, safe_path


class GitMissing(OutsideError):
    """git is not installed, or not on PATH."""

    code = "git-missing"
    hint = "install git, then repeat the command"


class NoRepository(OutsideError):
    """{place} is not in a git repository, and judging needs exact trees."""

    code = "no-repository"
    hint = "cd {place} && git init && git add --all && git commit -m base, then repeat the command"


class GitFailed(OutsideError):
    """git {action} failed: {reason}"""

    code = "git-failed"
    hint = "git -C {place} status"


class NoCommitInside(OutsideError):
    """{folder} is a git repository of its own without a commit, and git takes no snapshot of it."""

    code = "no-commit-inside"
    hint = (
        "rm -rf {folder}/.git, or name the folder in .gitignore, or commit in it; "
        "then repeat the command"
    )


class Repository(Value):
    """A working tree and where git keeps what belongs to it."""

    worktree: str
    git_dir: str
    objects: str
    format: str  # of its ids: sha1 or sha256


# What the user's own configuration must not change: results, hooks, helpers that may lie.
_STEADY = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0",
           "-c", "advice.addEmbeddedRepo=false", "-c", "core.quotePath=false",
           "-c", "core.splitIndex=false")  # fmt: skip


def git(
    args: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    input: bytes = b"",  # noqa: A002  as subprocess names it
    walls: Sequence[str] = (),
) -> bytes:
    """What git prints. `env` is all that git sees besides PATH and HOME.

    A git that lies inside one of the `walls` is not asked.
    """
    whole = {
        "PATH": safe_path(os.environ.get("PATH", DEFAULT_PATH), walls),
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        **env,
    }
    try:
        done = subprocess.run(
            ["git", *_STEADY, *args], cwd=cwd, env=whole, input=input, capture_output=True,
            check=False,
        )  # fmt: skip
    except FileNotFoundError as exc:
        raise GitMissing from exc
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip()[:500] or f"exit {done.returncode}"
        raise GitFailed(action=args[0], reason=reason, place=cwd)
    return done.stdout


def find(worktree: str) -> Repository:
    """The repository behind a working tree. Raises NoRepository."""
    if not os.path.lexists(os.path.join(worktree, ".git")):
        raise NoRepository(place=quote(worktree))
    asked = ("rev-parse", "--show-object-format", "--path-format=absolute", "--git-dir",
             "--git-path", "objects")  # fmt: skip
    try:
        format_, git_dir, objects = os.fsdecode(
            git(asked, env={}, cwd=worktree, walls=(worktree,))
        ).splitlines()
    except GitFailed as exc:
        if "not a git repository" in exc.message:
            raise NoRepository(place=quote(worktree)) from exc
        raise
    return Repository(worktree, git_dir, objects, format_)
