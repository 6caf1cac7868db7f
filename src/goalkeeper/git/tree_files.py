"""The files of a tree, read from git's objects."""

from __future__ import annotations

from goalkeeper.git.folders import LINK, SUBMODULE, Entries
from goalkeeper.git.trees import Trees


class TreeFiles:
    def __init__(self, trees: Trees, entries: Entries) -> None:
        self._trees = trees
        self._entries = entries

        self._paths: list[str] | None = None

    def list_paths(self) -> list[str]:
        if self._paths is None:
            entries = self._entries.items()
            self._paths = [path for path, blob in entries if blob.mode != SUBMODULE]
        return self._paths

    def read_file(self, path: str) -> bytes | None:
        blob = self._entries.get(path)
        if blob is None or blob.mode in {LINK, SUBMODULE}:
            return None
        return self._trees.read_blobs([blob.id]).get(blob.id)
