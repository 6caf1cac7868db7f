"""Finds what assertions of JavaScript compare, and with what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.questions.script.words import list_words
from goalkeeper.tamper.spoiling.script.asserts import AssertionSpoiler
from goalkeeper.tamper.spoiling.script.words import is_call_word, is_chain_word
from goalkeeper.tamper.syntax import field, text
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_VALUES = {"toBeNull": "null", "toBeUndefined": "undefined", "toBeNaN": "NaN"}
_TRUTH = {"toBeTruthy": "true", "toBeFalsy": "false"}
_KEPT = frozenset({"toMatchSnapshot", "toMatchFileSnapshot", "matchSnapshot"})
_WRAPPED = frozenset(
    {"statement_block", "expression_statement", "return_statement", "await_expression"}
    | {"parenthesized_expression"}
)
_CHAINED = frozenset({"call_expression", "member_expression", "non_null_expression"})


class ComparedPair(Value):
    """What is asked for and what is expected: a node, or words for it; none if a file has it."""

    got: Node
    wanted: Node | str
    is_truth: bool = False  # only whether it counts as true is asked
    is_refused: bool = False  # it must throw


class PairReader:
    def __init__(self, spoiler: AssertionSpoiler) -> None:
        self._spoiler = spoiler

    def read(self, node: Node) -> ComparedPair | None:
        """Return what the assertion compares; None if this is none, or another kind."""
        if node.type != "call_expression":
            return None
        chained = self._read_chain(node)
        if chained is not None:
            return chained
        found = self._spoiler.read_call(node)
        given = [each for each in arguments_of(node) if each.type != "comment"]
        if found is None or not given or any(each.type == "spread_element" for each in given):
            return None
        name = found[1]
        if is_call_word("equal", name) and name not in list_words("partly") and len(given) > 1:
            return ComparedPair(given[0], given[1])
        if is_call_word("throw", name):
            return _read_refused(given[0])
        is_true = is_call_word("true", name)
        return _read_condition(given[0]) if is_true else None

    def is_assertion(self, node: Node) -> bool:
        """Return whether a call asserts something, of any kind."""
        if node.type != "call_expression":
            return False
        return self._find_expected(node) is not None or self._spoiler.read_call(node) is not None

    def _find_expected(self, node: Node) -> tuple[Node, list[str]] | None:
        """Return what `expect` was given at the beginning of a chain, and the words behind it."""
        words: list[str] = []
        here: Node | None = node
        while here is not None and here.type in _CHAINED:
            if here.type == "member_expression":
                words.insert(0, text(field(here, "property")))
                here = field(here, "object")
                continue
            function = field(here, "function")
            if function is not None and self._spoiler.is_expect(function):
                given = arguments_of(here)
                return (given[0], words) if given and words else None
            here = function
        return None

    def _read_chain(self, node: Node) -> ComparedPair | None:
        found = self._find_expected(node)
        if found is None:
            return None
        got, words = found
        given = [each for each in arguments_of(node) if each.type != "comment"]
        if not list_words("before").issuperset(words[:-1]):
            return None
        name = words[-1]
        if name in list_words("equal") and len(given) == 1:
            return ComparedPair(got, given[0])
        if name in _VALUES:
            return ComparedPair(got, _VALUES[name])
        if name in _TRUTH:
            return ComparedPair(got, _TRUTH[name], is_truth=True)
        if is_chain_word("throw", name):
            return _read_refused(got)
        return ComparedPair(got, "") if name in _KEPT else None


def _read_refused(node: Node) -> ComparedPair | None:
    """Read what must throw, most often in a function without parameters; what, is not asked."""
    if node.type != "arrow_function":
        is_call = node.type == "call_expression"
        return ComparedPair(node, "", is_refused=True) if is_call else None
    body = field(node, "body")
    while body is not None and body.type in _WRAPPED and body.named_child_count == 1:
        body = body.named_children[0]
    is_call = body is not None and body.type in {"call_expression", "new_expression"}
    return ComparedPair(body, "", is_refused=True) if body is not None and is_call else None


def _read_condition(condition: Node) -> ComparedPair:
    """Read `assert(a === 3)`, `assert(f(x))` and `assert(!f(x))`."""
    operator = text(field(condition, "operator"))
    left, right = field(condition, "left"), field(condition, "right")
    if operator in {"==", "==="} and left is not None and right is not None:
        return ComparedPair(left, right)
    inner = field(condition, "argument")
    if operator == "!" and inner is not None:
        return ComparedPair(inner, "false", is_truth=True)
    return ComparedPair(condition, "true", is_truth=True)
