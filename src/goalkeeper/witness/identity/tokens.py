"""Fingerprints of words, and the words of a syntax tree, without blanks and comments."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def fingerprint(words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


def parsed(source: bytes, grammar: Callable[[], object]) -> Node | None:
    """The root of the syntax tree; None if the source has errors."""
    from tree_sitter import Parser  # noqa: PLC0415  dear, and not always needed

    root = Parser(_language(grammar)).parse(source).root_node
    return None if root.has_error else root


@cache  # also because a tree does not keep its language alive
def _language(grammar: Callable[[], object]) -> Language:
    from tree_sitter import Language  # noqa: PLC0415  as above

    return Language(grammar())


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


def text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
