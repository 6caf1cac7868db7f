"""Syntax trees of JavaScript, TypeScript and shell. A grammar is loaded when first needed."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from goalkeeper.tamper.memory import remember
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Language, Node, QueryCursor

MOST_MICROSECONDS = 3_000_000  # the limit for a file, because some nonsense takes minutes
MOST_DEPTH = 1000  # the limit of a tree's depth; Python's parser stops there by itself
_GRAMMARS = {
    "bash": ("tree_sitter_bash", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}


# The grammar finds these in a fraction of the time that it takes to look at every node.
_LOOKED_FOR = (
    "arrow_function", "assignment_expression", "binary_expression", "call_expression",
    "function_declaration", "function_expression", "generator_function_declaration",
    "if_statement", "import_statement", "lexical_declaration", "method_definition",
    "return_statement", "switch_case", "ternary_expression", "try_statement",
    "variable_declarator",
)  # fmt: skip
# There are more of these than of all others, and they matter where an environment is read.
_MEMBERS = ("member_expression", "subscript_expression")
_BEHIND_LINK = late_pattern(
    rb"(?:\s++|//[^\n]*+|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+(?:\??\.|\[)"
)


class Source(Value):
    """The text of one side of a file."""

    path: str
    text: str


@cache  # a tree does not keep its language alive, so this does
def _load_language(name: str) -> Language:
    from tree_sitter import Language  # noqa: PLC0415  dear, and not always needed

    module, function = _GRAMMARS[name]
    grammar: object = getattr(import_module(module), function)()
    return Language(grammar)


@cache
def _find_query(language: str, *, with_members: bool) -> QueryCursor:
    from tree_sitter import Query, QueryCursor  # noqa: PLC0415  dear, and not always needed

    kinds = _LOOKED_FOR + (_MEMBERS if with_members else ())
    patterns = "\n".join(f"({kind}) @{kind}" for kind in kinds)
    return QueryCursor(Query(_load_language(language), patterns))


def text_of(data: bytes) -> str:
    # Latin-1 takes every byte, so a file in the wrong encoding is still read.
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return data.decode("latin-1").replace("\r\n", "\n")


def script_root(source: Source) -> Node:
    """Parse JavaScript or TypeScript. Raise RecursionError as `_parse` does."""
    return _parse(_find_grammar(source), source.text)


def _find_grammar(source: Source) -> str:
    if source.path.endswith("tsx"):
        return "tsx"
    return "typescript" if source.path.endswith("ts") else "javascript"


def shell_root(source: Source) -> Node:
    """Parse a script; raise RecursionError as `_parse` does. `shell_text` reads the names in it."""
    # The grammar asks of every character whether it is a letter, in a way that is defined for bytes
    # only: other characters have crashed it.
    return _parse("bash", source.text.encode(errors="surrogatepass").decode("latin-1"))


@remember(lambda _language, source: len(source))
def _parse(language: str, source: str) -> Node:
    """Parse a source; raise RecursionError if it is nested too deeply or takes too long."""
    from tree_sitter import Parser  # noqa: PLC0415  dear, and not always needed

    parser = Parser(_load_language(language))
    with warnings.catch_warnings():
        # A callback is preferred to this by now, but with a callback the parser crashes.
        warnings.simplefilter("ignore", DeprecationWarning)
        setattr(parser, "timeout_micros", MOST_MICROSECONDS)  # noqa: B010
    try:
        top = parser.parse(source.encode(errors="replace")).root_node
    except ValueError as exc:
        raise RecursionError from exc
    if _is_too_deep(top):
        raise RecursionError
    return top


def _is_too_deep(top: Node) -> bool:
    """Return whether the tree is too deep; what has fewer nodes than that is not looked into."""
    waiting = [(top, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MOST_DEPTH:
            return True
        if depth + node.descendant_count > MOST_DEPTH:
            waiting += [(each, depth + 1) for each in node.children]
    return False


def measure_source(source: Source) -> int:
    return len(source.text)


@remember(measure_source)
def group_nodes(source: Source) -> Mapping[str, Sequence[Node]]:
    """Return the nodes of a script that readers look for, in their order, by type."""
    top = script_root(source)
    query = _find_query(_find_grammar(source), with_members="env" in source.text)
    # A call of a call begins where the inner one does, and is the outer one.
    return {
        kind: sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))
        for kind, nodes in query.captures(top).items()
    }


class PlacedNode(NamedTuple):
    """A node that readers look for, and what is asked of it again and again.

    There are many, and a tuple is made in a fraction of the time that a `Value` takes.
    """

    start: int
    end: int
    kind: str
    is_link: bool  # a chain goes on behind it, as behind `expect(x)` in `expect(x).toBe(1)`
    node: Node


@remember(measure_source)
def _list_steps(source: Source) -> tuple[list[int], list[PlacedNode]]:
    data = source.text.encode(errors="replace")
    found = [
        PlacedNode(*node.byte_range, kind, bool(_BEHIND_LINK.match(data, node.end_byte)), node)
        for kind, nodes in group_nodes(source).items()
        for node in nodes
    ]
    found.sort(key=lambda step: (step.start, -step.end))
    return [step.start for step in found], found


def list_steps(source: Source, node: Node) -> Sequence[PlacedNode]:
    """Return the nodes that readers look for in a node, and itself, in their order."""
    starts, steps = _list_steps(source)
    start, end = node.byte_range
    first, last = bisect_left(starts, start), bisect_left(starts, end)
    # What encloses the node may begin where it does.
    return [step for step in steps[first:last] if step.end <= end]


def walk(node: Node, left_out: Collection[int] = ()) -> Iterator[Node]:
    """Yield the node and every node below it, in the order of the source.

    What begins at a byte that is `left_out` is not entered.
    """
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        below = reversed(here.children)
        waiting.extend(
            (each for each in below if each.start_byte not in left_out) if left_out else below
        )


def tokens(node: Node, *, verbatim: Collection[str], dropped: Collection[str]) -> Iterator[str]:
    """Yield the words of a piece of source; `verbatim` kinds of node keep their blanks."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.type in dropped:
            continue
        if node.child_count == 0 or node.type in verbatim:
            yield text(node)
        else:
            waiting += reversed(node.children)


def text(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def shell_text(node: Node | None) -> str:
    return text(node).encode("latin-1").decode(errors="replace")


def line(node: Node) -> int:
    return node.start_point[0] + 1


def field(node: Node, *names: str) -> Node | None:
    here: Node | None = node
    for name in names:
        here = here.child_by_field_name(name) if here is not None else None
    return here
