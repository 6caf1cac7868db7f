"""Trees with texts that nobody has committed: tests of a contract, and solutions to try."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.git.folders import EXECUTABLE, PLAIN, Blob
from goalkeeper.git.trees import Trees


def lay_files(trees: Trees, tree: str, files: Mapping[str, str | None]) -> str:
    """Return the tree with these texts in the place of files; None removes a file."""
    entries = trees.list_entries(tree) if files else {}

    def make_blob(path: str, text: str) -> Blob:
        new = EXECUTABLE if text.startswith("#!") else PLAIN
        return Blob(entries[path].mode if path in entries else new, trees.write_blob(text.encode()))

    changes = {p: None if text is None else make_blob(p, text) for p, text in files.items()}
    return trees.compose_tree(tree, changes)
