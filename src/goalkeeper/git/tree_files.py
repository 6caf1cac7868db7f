"""The files of a tree, read from git's objects."""

from __future__ import annotations

from functools import cached_property

from goalkeeper.git.folders import LINK, SUBMODULE, Entries
from goalkeeper.git.trees import Trees


class TreeFiles:
    def __init__(self, trees: Trees, entries: Entries) -> None:
        self._trees = trees
        self._entries = entries

    def paths(self) -> list[str]:
        return self._paths

    @cached_property
    def _paths(self) -> list[str]:
        return [path for path, blob in self._entries.items() if blob.mode != SUBMODULE]

    def read(self, path: str) -> bytes | None:
        blob = self._entries.get(path)
        if blob is None or blob.mode in {LINK, SUBMODULE}:
            return None
        return self._trees.blobs([blob.id]).get(blob.id)
