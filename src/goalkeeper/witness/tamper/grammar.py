"""Trees of JavaScript, TypeScript and shell. The parsers are loaded when first needed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from goalkeeper.witness.tamper.source import Source

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_MICROSECONDS = 3_000_000  # for a file; some nonsense takes minutes
MOST_DEPTH = 1000  # of a tree; as for Python, which stops there by itself


@lru_cache(maxsize=4)
def _parser(language: str) -> Parser:
    import tree_sitter  # noqa: PLC0415  only when such a file changed

    match language:
        case "bash":
            import tree_sitter_bash  # noqa: PLC0415

            found = tree_sitter_bash.language()
        case "javascript":
            import tree_sitter_javascript  # noqa: PLC0415

            found = tree_sitter_javascript.language()
        case _:
            import tree_sitter_typescript  # noqa: PLC0415

            is_plain = language == "typescript"
            found = (
                tree_sitter_typescript.language_typescript()
                if is_plain
                else tree_sitter_typescript.language_tsx()
            )
    parser = tree_sitter.Parser(tree_sitter.Language(found))
    with warnings.catch_warnings():
        # Deprecated in favour of a callback, with which the parser crashes.
        warnings.simplefilter("ignore", DeprecationWarning)
        setattr(parser, "timeout_micros", MOST_MICROSECONDS)  # noqa: B010
    return parser


def language_of(path: str) -> str:
    if path.endswith(("tsx",)):
        return "tsx"
    return "typescript" if path.endswith(("ts",)) else "javascript"


@lru_cache(maxsize=64)
def root(language: str, text: str) -> Node:
    """Raises RecursionError for what is nested too deeply, or takes too long to parse."""
    try:
        top = _parser(language).parse(text.encode(errors="replace")).root_node
    except ValueError as exc:
        _parser(language).reset()
        raise RecursionError from exc
    waiting = [(top, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise RecursionError
        waiting.extend((child, depth + 1) for child in node.children)
    return top


def script_root(source: Source) -> Node:
    return root(language_of(source.path), source.text)


def walk(node: Node) -> Iterator[Node]:
    """Every node below and including this one, in source order."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(here.children))


def text(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def line(node: Node) -> int:
    return node.start_point[0] + 1


def field(node: Node, *names: str) -> Node | None:
    here: Node | None = node
    for name in names:
        here = here.child_by_field_name(name) if here is not None else None
    return here


def above(node: Node, *kinds: str) -> Node | None:
    """The innermost node around this one that is of such a kind."""
    here = node.parent
    while here is not None and here.type not in kinds:
        here = here.parent
    return here
