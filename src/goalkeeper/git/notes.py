"""Receipts in git notes, at the commits that have the trees of the receipts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from goalkeeper.errors import TryAgain
from goalkeeper.git.repository import GitFailed, call_git
from goalkeeper.git.trees import NOBODY, Trees
from goalkeeper.verifier import MOST_BYTES, NOTES

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
        with _copy_notes(trees, tip) as notes:
            before = notes.read_note(commit)
            if before is None:
                return None
            there = [line for line in before.split(b"\n") if line]
            new = [line for line in lines if line not in there]
            note = b"".join(line + b"\n" for line in (*there, *new))
            if not new or len(note) > MOST_BYTES:
                return None if new else 0
            made = notes.write_note(commit, note)
        if _move_tip(trees, tip, made):
            return len(new)
    raise NotesBusy(ref=NOTES)


def _call_user_git(trees: Trees, *args: str) -> str:
    place = trees.repository.worktree
    env = {**NOBODY, "GIT_DIR": trees.repository.git_dir}
    return os.fsdecode(call_git(args, env=env, cwd=place, walls=(place,))).strip()


def _find_tip(trees: Trees) -> str:
    """Return the commit of the user's notes; empty before the first note."""
    try:
        return _call_user_git(trees, "rev-parse", "--verify", "--quiet", NOTES)
    except GitFailed:
        return ""


def _move_tip(trees: Trees, old: str, new: str) -> bool:
    """Move the user's notes; return False if they are not at `old` any more.

    A symbolic ref that leads to a branch is replaced, not followed.
    """
    try:
        _call_user_git(trees, "update-ref", "--no-deref", NOTES, new, old or "0" * len(new))
    except GitFailed:
        if _find_tip(trees) == old:  # then no other process was faster
            raise
        return False
    return True


@contextmanager
def _copy_notes(trees: Trees, tip: str) -> Iterator[_Notes]:
    """The user's notes in our repository; new objects go into the user's object store."""
    notes = _Notes(trees)
    try:
        if tip:
            notes.call_git("update-ref", notes.ref, tip)
        yield notes
    finally:
        notes.call_git("update-ref", "-d", notes.ref)


class _Notes:
    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self.ref = f"{NOTES}-{os.urandom(8).hex()}"  # no other process uses this name

    def call_git(self, *args: str, input: bytes = b"") -> bytes:  # noqa: A002  as subprocess names it
        trees = self._trees
        walls = (trees.repository.worktree,)
        return call_git(args, env=trees.lent_environment, cwd=trees.store, input=input, walls=walls)

    def read_note(self, commit: str) -> bytes | None:
        """Return the note of a commit; None if it is too long."""
        try:
            blob = self.call_git("notes", "--ref", self.ref, "list", commit).decode().strip()
        except GitFailed as exc:
            if "no note found" not in exc.message:
                raise
            return b""
        if int(self.call_git("cat-file", "-s", blob)) > MOST_BYTES:
            return None
        return self.call_git("cat-file", "blob", blob)

    def write_note(self, commit: str, note: bytes) -> str:
        """Write a note; return the commit that then holds all notes."""
        blob = self.call_git("hash-object", "-w", "--stdin", input=note).decode().strip()
        self.call_git("notes", "--ref", self.ref, "add", "--force", "-C", blob, commit)
        return self.call_git("rev-parse", self.ref).decode().strip()
