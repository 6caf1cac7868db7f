"""The refs of a repository: which there are, where they point to, and which of them moved."""

from __future__ import annotations

import os
from collections.abc import Mapping

from goalkeeper.git.places import find_common_dir
from goalkeeper.git.repository import Git
from goalkeeper.git.trees import NOBODY
from goalkeeper.system.safe_open import read_plain_file

PREFIX = "goalkeeper"  # of our branches
OURS = f"refs/heads/{PREFIX}/"
_THEIRS = ("refs/heads/", "refs/tags/", "refs/stash")
_MOST_TOLD = 200  # so many refs are named


def read_refs(root: str) -> dict[str, str]:
    """Return the user's branches, tags and stashes, read without a process where refs are files."""
    common = find_common_dir(root)
    is_odd = not os.path.isdir(common) and os.path.lexists(os.path.join(root, ".git"))
    if is_odd or os.path.isdir(os.path.join(common, "reftable")):
        found = _ask_for_refs(root)
        return {name: oid for name, oid in found.items() if not name.startswith(OURS)}
    found = {}
    for line in _read_text(os.path.join(common, "packed-refs")).splitlines():
        oid, _, name = line.partition(" ")
        if name.startswith(_THEIRS):
            found[name] = oid
    for folder, _, files in os.walk(os.path.join(common, "refs")):
        for file in files:
            path = os.path.join(folder, file)
            name = os.fsencode(os.path.relpath(path, common)).decode(errors="replace")
            if name.startswith(_THEIRS):
                found[name] = _read_text(path).strip()
    return {name: oid for name, oid in found.items() if not name.startswith(OURS)}


def read_ref(root: str, name: str) -> str:
    """Return what a ref names, read without a process; empty where only git can tell."""
    common = find_common_dir(root)
    found = _read_text(os.path.join(common, name)).strip()
    if found:
        return "" if found.startswith("ref: ") else found
    packed = _read_text(os.path.join(common, "packed-refs")).splitlines()
    return next((line.partition(" ")[0] for line in packed if line.endswith(f" {name}")), "")


def _ask_for_refs(root: str) -> dict[str, str]:
    asked = ("for-each-ref", "--format=%(objectname) %(refname)", *_THEIRS)
    rows = Git(root, NOBODY, (root,)).ask(*asked).splitlines()
    return {name: oid for oid, _, name in (row.partition(" ") for row in rows)}


def compare_refs(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Say which refs moved, and to which commits; of very many only the first, and how many."""
    names = [n for n in sorted({*before, *after}) if before.get(n) != after.get(n)]
    told = [f"{name} {after.get(name, 'gone')}" for name in names[:_MOST_TOLD]]
    more = len(names) - len(told)
    return (*told, f"and {more} more") if more else tuple(told)


def _read_text(path: str) -> str:
    return read_plain_file(path).decode(errors="replace")
