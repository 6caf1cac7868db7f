"""Says whether what git writes for a worktree lies in its own repository.

Anybody can make an archive whose `.git` leads to another repository or to another folder of the
user's. Git follows it, and would write there or remove files there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from shlex import quote

from goalkeeper.errors import OutsideError
from goalkeeper.git.drivers import is_repository
from goalkeeper.git.places import find_git_dir, follow_path, has_worktree
from goalkeeper.system.safe_open import read_plain_file
from goalkeeper.wire.pattern import late_pattern

# Folders below git's own into which git writes nothing while goals are worked on, or where it
# replaces files without following them: those of objects, whose names have two digits, and others.
_LEFT_OUT = late_pattern(
    r"(?!(?:objects|refs|logs|worktrees|reftable)$)[^/]+"
    r"|objects/.*|(?:logs/)?refs/(?:remotes|tags)|worktrees/[^/]+/(?:modules|lfs|annex)",
    re.DOTALL,
)
_HOOKS = "hooks"  # git writes nothing there, and users link it to hooks that they share
_CORE = late_pattern(rb"^\s*\[core\]([^[]*)", re.IGNORECASE | re.MULTILINE)
_NAMED = late_pattern(rb"^\s*worktree\s*=\s*(.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_REPAIR = "git -C {place} worktree repair, if it is a worktree of yours; then repeat the command"


class NoRepository(
    OutsideError,
    hint="cd {place} && git init && git add --all && git commit -m base, then repeat the command",
):
    """{place} is not in a git repository, and judging needs exact trees."""


class LinkInGitFolder(
    OutsideError, hint="rm {link}, if you did not make it; then repeat the command"
):
    """{link} is a symbolic link, and git would write where it leads."""


class OddGitFile(OutsideError, hint="rm {file}, if you did not make it; then repeat the command"):
    """{file} is not as git writes it, and may lead git to another repository."""


class GitFolderElsewhere(
    OutsideError,
    hint="git --git-dir={git_dir} config core.worktree {place}, if both are yours; "
    "then repeat the command",
):
    """{place}/.git leads to {git_dir}, which does not name this folder as its worktree."""


def refuse_foreign_folders(worktree: str) -> None:
    """Raise an error unless git's folder is the worktree's own, or names the worktree.

    Linked worktrees are named by a file of git, submodules by core.worktree.
    """
    own, git_dir = os.path.join(worktree, ".git"), find_git_dir(worktree)
    if os.path.islink(own):
        raise LinkInGitFolder(link=quote(own))
    if not os.path.lexists(own) or (git_dir and not os.path.isdir(git_dir)):
        raise NoRepository(place=quote(worktree))
    if not git_dir:
        raise OddGitFile(file=quote(own))
    common = git_dir = os.path.realpath(git_dir)
    entries = os.path.dirname(git_dir)
    is_entry = os.path.basename(entries) == "worktrees"
    if is_entry and has_worktree(git_dir, worktree):
        common = os.path.dirname(entries)
    elif not _is_named(worktree, git_dir):
        facts = {"place": quote(worktree), "git_dir": quote(git_dir)}
        raise GitFolderElsewhere(hint=_REPAIR if is_entry else "", **facts)
    told = os.path.join(git_dir, "commondir")
    if os.path.lexists(told) and os.path.realpath(follow_path(told)) != common:
        raise OddGitFile(file=quote(told))
    if not is_repository(git_dir, common):  # git would take another one
        raise NoRepository(place=quote(worktree))
    for place in {git_dir, common}:
        for link in _find_links(place):
            raise LinkInGitFolder(link=quote(link))


def _is_named(worktree: str, git_dir: str) -> bool:
    """Return whether git's folder lies in the worktree, or its configuration names the worktree."""
    here = os.path.realpath(worktree)
    if git_dir.startswith(os.path.join(here, "")):
        return True
    files = (os.path.join(git_dir, name) for name in ("config", "config.worktree"))
    parts = (part for file in files for part in _CORE.findall(read_plain_file(file)))
    named = [name for part in parts for name in _NAMED.findall(part)]
    told = os.fsdecode(named[-1].strip(b'"')) if named else ""
    return bool(told) and os.path.realpath(os.path.join(git_dir, told)) == here


def _find_links(git_dir: str) -> Iterator[str]:
    """Find links among what git writes in a folder of its own."""
    waiting = [git_dir]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                inside = entry.path.removeprefix(f"{git_dir}/")
                if entry.is_symlink() and inside != _HOOKS:
                    yield entry.path
                elif entry.is_dir(follow_symlinks=False) and not _LEFT_OUT.fullmatch(inside):
                    waiting.append(entry.path)
