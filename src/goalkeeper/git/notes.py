"""Keeps receipts in git notes, at the commits that have the trees of the receipts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from goalkeeper.errors import TryAgain
from goalkeeper.git.repository import Git, GitFailed
from goalkeeper.git.trees import Trees
from goalkeeper.verifier.repository import NOTES
from goalkeeper.verifier.statement import MOST_BYTES

_TRIES = 10


class NotesBusy(TryAgain, hint="repeat the command"):
    """Others kept writing to {ref} while a note was made."""


def attach_lines(trees: Trees, commit: str, lines: Sequence[bytes]) -> int | None:
    """Add lines to the note of a commit; return how many were new, or None if it is too long.

    The note is made in our own repository, where no setting and no hook of the user has an effect.
    Then the user's ref is moved, if it is still where it was, so that no note is lost.
    """
    for _ in range(_TRIES):
        tip = _find_tip(trees)
        with _copy_notes(trees, tip) as git:
            before = _read_note(git, commit)
            if before is None:
                return None
            there = [line for line in before.split(b"\n") if line]
            new = [line for line in lines if line not in there]
            note = b"".join(line + b"\n" for line in (*there, *new))
            if not new or len(note) > MOST_BYTES:
                return None if new else 0
            blob = git.ask("hash-object", "-w", "--stdin", input=note)
            git.call("notes", "add", "--force", "-C", blob, commit)
            made = git.ask("rev-parse", git.env["GIT_NOTES_REF"])
        if _move_tip(trees, tip, made):
            return len(new)
    raise NotesBusy(ref=NOTES)


def _find_tip(trees: Trees) -> str:
    """Return the commit of the user's notes; empty before the first note."""
    return trees.user_git.ask_if_any("rev-parse", "--verify", "--quiet", NOTES)


def _move_tip(trees: Trees, old: str, new: str) -> bool:
    """Move the user's notes; return False if they are not at `old` any more.

    A symbolic ref that leads to a branch is replaced, not followed.
    """
    try:
        trees.user_git.call("update-ref", "--no-deref", NOTES, new, old or "0" * len(new))
    except GitFailed:
        if _find_tip(trees) == old:  # then no other process was faster
            raise
        return False
    return True


@contextmanager
def _copy_notes(trees: Trees, tip: str) -> Iterator[Git]:
    """Yield a git with the user's notes in our repository; new objects go into the user's store."""
    ref = f"{NOTES}-{os.urandom(8).hex()}"  # no other process uses this name
    git = trees.own_git.replace(env={**trees.lent_environment, "GIT_NOTES_REF": ref})
    try:
        if tip:
            git.call("update-ref", ref, tip)
        yield git
    finally:
        git.call("update-ref", "-d", ref)


def _read_note(git: Git, commit: str) -> bytes | None:
    """Return the note of a commit; None if it is too long."""
    try:
        blob = git.ask("notes", "list", commit)
    except GitFailed as exc:
        if "no note found" not in exc.message:
            raise
        return b""
    is_long = int(git.call("cat-file", "-s", blob)) > MOST_BYTES
    return None if is_long else git.call("cat-file", "blob", blob)
