"""Fingerprints of words, and the words of a syntax tree, without blanks and comments."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.syntax import text

if TYPE_CHECKING:
    from tree_sitter import Node


def fingerprint(words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


def tokens(node: Node, *, verbatim: Collection[str], dropped: Collection[str]) -> Iterator[str]:
    """The words of a piece of source; `verbatim` kinds of node keep the blanks within."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.type in dropped:
            continue
        if node.child_count == 0 or node.type in verbatim:
            yield text(node)
        else:
            waiting += reversed(node.children)
