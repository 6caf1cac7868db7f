"""Reads commits from a log, finds the first commits of a history, and merges two commits."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from goalkeeper.git.objects import COMMIT, Objects
from goalkeeper.git.repository import Git, GitFailed
from goalkeeper.wire.canonical import compact
from goalkeeper.wire.value import Value

_FAR, _NEAR = 1000, 100  # so many commits are walked if an end is known, and if none is
_KEPT = 32
_MERGE = ("-c", "merge.directoryRenames=false", "merge-tree", "--write-tree", "--no-messages")
_CONFLICT = "exit 1"  # a merge without messages says no more of a conflict

KnownRoots = Mapping[str, tuple[str, ...]]  # it maps a commit to the first commits of its history


class Commit(Value):
    id: str
    at: int
    message: str


LOG = "--format=%H %ct %B"


def read_log(told: bytes) -> tuple[Commit, ...]:
    """Read what `git log -z` prints in the format `LOG`."""
    found = []
    for entry in told.decode(errors="replace").split("\0"):
        name, _, rest = entry.strip("\n").partition(" ")
        at, _, message = rest.partition(" ")
        if name:
            found.append(Commit(name, int(at), message.strip()))
    return tuple(found)


def find_tree(objects: Objects, commit: str) -> str:
    """Return the tree of a commit; empty if there is no such commit."""
    facts = _read_headers(objects.read_verified(COMMIT, [commit]).get(commit, b""))
    return next((value for key, value in facts if key == "tree"), "")


def _read_headers(data: bytes) -> list[tuple[str, str]]:
    lines = data.partition(b"\n\n")[0].decode(errors="replace").split("\n")
    return [(key, value) for key, _, value in (line.partition(" ") for line in lines)]


def find_first_commits(objects: Objects, commit: str, known: KnownRoots) -> tuple[str, ...]:
    """Return the first commits of a history; none if the walk is so long that git is faster."""
    found: set[str] = set()
    seen: set[str] = set()
    ahead = {commit}
    most = _FAR if known else _NEAR
    while ahead:
        found.update(root for name in ahead & known.keys() for root in known[name])
        ahead -= known.keys()
        seen |= ahead
        read = objects.read_verified(COMMIT, sorted(ahead))
        if len(seen) > most or len(read) < len(ahead):
            return ()
        parents = {
            name: [v for k, v in _read_headers(each) if k == "parent"]
            for name, each in read.items()
        }
        found.update(name for name, theirs in parents.items() if not theirs)
        ahead = {parent for theirs in parents.values() for parent in theirs} - seen
    return tuple(sorted(found))


def decode_known_roots(data: bytes) -> KnownRoots:
    try:
        return {str(name): tuple(map(str, found)) for name, found in json.loads(data).items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def encode_known_roots(known: KnownRoots) -> bytes:
    """Return the bytes to store: the last few commits."""
    return compact(dict([*known.items()][-_KEPT:])).encode()


def merge_trees(git: Git, ours: str, theirs: str) -> str:
    """Return the tree that a merge of two commits would give; empty if they conflict.

    The git has no configuration of the repository, which could make a merge run programs. A file
    that one side adds to a folder stays there, also if the other side moved all the others: git
    would call that a conflict, or move the file, and whether the merge is right is for the proof.
    """
    try:
        return git.ask(*_MERGE, ours, theirs)
    except GitFailed as exc:
        if exc.facts["reason"] != _CONFLICT:
            raise
    return ""


def list_conflicts(git: Git, ours: str, theirs: str) -> list[str]:
    """List the files in which two commits conflict, by their names after the merge."""
    told = git.call_for_answer(*_MERGE, "--name-only", "-z", ours, theirs)
    _, *names = os.fsdecode(told).split("\0")  # the tree, with marks of the conflicts in it
    return list(dict.fromkeys(filter(None, names)))


def merge_commits(git: Git, commit: str, other: str) -> str:
    """Return a commit with the work of both; empty if they conflict."""
    tree = merge_trees(git, commit, other)
    said = b"What was proven meanwhile\n"
    return git.ask("commit-tree", tree, "-p", commit, "-p", other, input=said) if tree else ""
