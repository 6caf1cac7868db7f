"""Searching the files of a tree with git, which does not read the working files."""

from __future__ import annotations

from collections.abc import Sequence

from goalkeeper.git.repository import GitFailed
from goalkeeper.git.trees import Trees

_NOTHING = "exit 1"  # git says nothing else if it finds no file


def count_mentions(trees: Trees, tree: str, query: str, *, without: Sequence[str]) -> int:
    """Return how many files contain the text, in upper or lower case."""
    asked = ("grep", "-I", "--ignore-case", "--fixed-strings", "--files-with-matches", "-z",
             "-e", query, tree, "--")  # fmt: skip
    left = [f":(exclude,top,literal){path}" for path in without]
    try:
        return trees.own_git.call(*asked, *left).count(b"\0")
    except GitFailed as exc:
        if exc.facts.get("reason") != _NOTHING:
            raise
        return 0
