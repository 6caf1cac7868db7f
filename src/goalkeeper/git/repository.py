"""Calls git: one call returns its whole output or raises an error with a name.

Checks are started by `system.run`, with limits and few variables. git is not limited in this way.
It reads the user's own configuration, wherever the user keeps it. It does not obey variables that
name another repository, index or object store: those of a hook or a shell are not meant for us.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from itertools import chain
from shlex import quote
from tempfile import TemporaryFile
from typing import BinaryIO

from goalkeeper.core.plan.model import Base
from goalkeeper.errors import OutsideError, TryAgain
from goalkeeper.git import drivers
from goalkeeper.git.drivers import TrustDrivers, trust_no_driver
from goalkeeper.git.ownership import NoRepository, refuse_foreign_folders
from goalkeeper.git.places import list_checkouts
from goalkeeper.system import reaper
from goalkeeper.system.environment import (
    DEFAULT_PATH,
    encode_words,
    filter_search_path,
    find_user_home,
)
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value


class GitMissing(OutsideError, hint="install git, then repeat the command"):
    """git is not installed, or not on PATH."""


class LineBreakInPath(OutsideError, hint="move the repository, then repeat the command"):
    """The path of {place} has a line break, and git has no way to tell it from two paths."""


class GitFailed(OutsideError, hint="git -C {place} status"):
    """git {action} failed: {reason}"""


class GitKilled(TryAgain, hint="repeat the command"):
    """git was killed, by somebody else or for want of memory."""


class PartlyFetched(OutsideError, hint="git fetch --refetch --no-filter, then repeat the command"):
    """This is a partial clone, and git has not fetched all that checks need: {missing}"""


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
           "-c", "maintenance.auto=false", "-c", "advice.addEmbeddedRepo=false",
           "-c", "core.quotePath=false", "-c", "core.splitIndex=false",
           "-c", "core.trustctime=true", "-c", "core.checkStat=default",
           "-c", "core.safecrlf=false", "-c", "protocol.ext.allow=never",
           "-c", "submodule.recurse=false", "-c", "log.showSignature=false",
           "-c", "rerere.enabled=false",
           # Agents can write it, and git would believe what it says of a commit's parents.
           "-c", "core.commitGraph=false")  # fmt: skip

LIMIT_SECONDS = 600
KILLED = -signal.SIGKILL
_FILTER = late_pattern(r"(?:clean|smudge) filter .* failed")  # older ones name it without quotes
_TRUST = "goalkeeper trust, if the filter stands in .git/config and is yours; or mend the filter"
_LINES_TOLD = (5, 7)  # about a repository without and with a commit; the last line is empty
# The user's own configuration lies there. A relative path would name a file of the repository.
_CONFIGURATION = ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
_SETTINGS = ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


def _find_hint(reason: str) -> str:
    if "promisor remote" in reason:
        return PartlyFetched.hint
    return _TRUST if _FILTER.search(reason) else ""


class Git(Value):
    """git in one folder, with the same environment, walls and trust for every call."""

    cwd: str
    env: Mapping[str, str]  # all that git sees besides PATH and the user's settings
    walls: tuple[str, ...]  # no program inside of them, or of their main checkout, is started
    is_trusted: TrustDrivers = trust_no_driver  # it says which of the repository's programs may run

    def call(self, *args: str, input: bytes = b"") -> bytes:  # noqa: A002  as subprocess names it
        """Return what git prints."""
        return self._call(args, input, {0})

    def call_for_answer(self, *args: str) -> bytes:
        """Return what git prints also if it exits with 1, by which some commands say no."""
        return self._call(args, b"", {0, 1})

    def _call(self, args: Sequence[str], given_text: bytes, answers: set[int]) -> bytes:
        with _open_scratch(given_text) as given, _open_scratch() as out, _open_scratch() as err:
            env, streams = self._build_environment(), (given, out, err)
            code = _run_git(["git", *_STEADY, *args], self.cwd, env, streams)
            said = out if code in answers else err
            said.seek(0)
            text = said.read()
        if code in answers:
            return text
        reason = text.decode(errors="replace").strip()[:500] or f"exit {code}"
        if code is None:
            reason = f"it took longer than {LIMIT_SECONDS} s"
        raise GitFailed(action=args[0], reason=reason, place=self.cwd, hint=_find_hint(reason))

    def ask(self, *args: str, input: bytes = b"") -> str:  # noqa: A002
        """Return what git prints, as text without the spaces around it."""
        return os.fsdecode(self.call(*args, input=input)).strip()

    def ask_if_any(self, *args: str) -> str:
        """Return what git prints; nothing if it fails."""
        try:
            return self.ask(*args)
        except GitFailed:
            return ""

    def is_ancestor(self, old: str, new: str) -> bool:
        try:
            self.call("merge-base", "--is-ancestor", old, new)
        except GitFailed:
            return False
        return True

    def read_config(self) -> drivers.ConfigRows:
        """Read the configuration that git has here; nothing if git cannot read it either."""
        return drivers.parse_config(self._list_config("--show-scope"))

    def read_config_origins(self) -> drivers.ConfigRows:
        """Read the configuration with the file that each value stands in, as git names it."""
        return drivers.parse_config(self._list_config("--show-origin"))

    def _list_config(self, shown: str) -> bytes:
        """List the configuration without overrides, because these are made of it."""
        asked, env = ["git", "config", "--list", shown, "-z"], self._list_variables()
        with _open_scratch() as given, _open_scratch() as out, _open_scratch() as err:
            code = _run_git(asked, self.cwd, env, (given, out, err))
            if code is None or code < 0:  # it did not get to the end
                raise GitFailed(action="config", reason="it was ended", place=self.cwd)
            out.seek(0)
            return out.read() if code == 0 else b""

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        """Return a git that goes on answering until the caller ends it; it stays in our session."""
        try:
            return subprocess.Popen(
                encode_words(["git", *_STEADY, *args]), cwd=self.cwd, bufsize=0, process_group=0,
                env=self._build_environment(),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except FileNotFoundError as exc:
            raise GitMissing from exc

    def add_all(self, words: Sequence[str], submodules: Sequence[str]) -> None:
        """Add all files; `words` say which, and paths of submodules are added by their commits.

        git would look for changes in submodules, and run what their own configuration names.
        """
        filled = [p for p in submodules if os.path.lexists(os.path.join(self.cwd, p, ".git"))]
        self.call("add", "--all", *words, *(f":(exclude,top,literal){path}" for path in filled))
        for path in filled:
            inside = self.replace(cwd=os.path.join(self.cwd, path), env={})
            commit = inside.ask_if_any("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
            if commit:
                self.call("update-index", "--cacheinfo", f"160000,{commit},{path}")

    def unhide_paths(self, hidden: Sequence[bytes], place: str) -> list[bytes]:
        """Make git look at hidden paths where a file is; return the paths where none is."""
        there = [p for p in hidden if os.path.lexists(os.path.join(os.fsencode(place), p))]
        for flag in ("--no-assume-unchanged", "--no-skip-worktree") if there else ():
            told = b"".join(path + b"\0" for path in there)
            self.call("update-index", "-z", flag, "--stdin", input=told)
        return sorted({*hidden} - {*there})

    def _build_environment(self) -> dict[str, str]:
        return {**self._list_variables(), **self._leave_out_drivers()}

    def _list_variables(self) -> dict[str, str]:
        walls = [*chain.from_iterable(map(list_checkouts, self.walls))]
        return {
            "PATH": filter_search_path(os.environ.get("PATH", DEFAULT_PATH), walls),
            "HOME": find_user_home(os.environ),
            **_find_user_settings(os.environ),
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
            # A missing object is not fetched: that runs programs that the configuration names.
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",  # older versions of git know only this
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_GRAFT_FILE": os.path.join(os.devnull, "none"),  # git would warn of an empty file
            # A broken `.git` must not make git take the repository of a folder around this one.
            "GIT_CEILING_DIRECTORIES": os.path.dirname(self.cwd),
            **self.env,
        }

    def _leave_out_drivers(self) -> dict[str, str]:
        """Return variables that keep git from running what nobody has confirmed."""
        if not drivers.may_name_drivers(self.cwd, self.env):
            return {}
        rows = self.read_config()
        words = drivers.list_overrides(rows, self.is_trusted)
        pairs = [*zip(words[::2], words[1::2], strict=True)]
        given = _find_user_settings(os.environ).get("GIT_CONFIG_COUNT", "")
        first = int(given) if given.isdecimal() else 0  # the user's own settings stay
        told = {"GIT_CONFIG_COUNT": str(first + len(pairs))}
        if drivers.names_worktree(rows):
            told["GIT_WORK_TREE"] = self.env.get("GIT_WORK_TREE", self.cwd)
        for number, (key, value) in enumerate(pairs, first):
            told |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return told


def open_git(folder: str, is_trusted: TrustDrivers = trust_no_driver) -> Git:
    return Git(folder, {}, (folder,), is_trusted)


def _find_user_settings(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if name.startswith(_SETTINGS) or (name in _CONFIGURATION and os.path.isabs(value))
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
            encode_words(argv),
            cwd=cwd,
            env=env,
            stdin=given,
            stdout=out,
            stderr=err,
            process_group=0,
        )
    except FileNotFoundError as exc:
        if not os.path.isdir(cwd):
            raise GitFailed(action=argv[1], place=cwd, reason="there is no such folder") from exc
        raise GitMissing from exc
    try:
        ended = reaper.ends_within(git.pid, LIMIT_SECONDS)
    finally:  # it comes before git is reaped, because another process may get its number then
        reaper.signal_group(git.pid, signal.SIGKILL)
        code = git.wait()
    if ended and code == KILLED:
        raise GitKilled
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
    refuse_foreign_folders(worktree)
    asked = ("rev-parse", "--show-object-format", "--path-format=absolute", "--git-dir",
             "--git-common-dir", "--git-path", "objects",
             "--revs-only", "HEAD^{commit}", "HEAD^{tree}")  # fmt: skip
    try:
        told = os.fsdecode(open_git(worktree).call(*asked)).split("\n")
    except GitFailed as exc:
        if "not a git repository" in exc.message:
            raise NoRepository(place=quote(worktree)) from exc
        raise
    if len(told) not in _LINES_TOLD:
        raise LineBreakInPath(place=quote(worktree))
    format_, git_dir, common_dir, objects, *head = told[:-1]
    commit, tree = head or ("", "")  # they are empty before the first commit
    return Repository(worktree, git_dir, common_dir, objects, format_), Base(tree, commit)
