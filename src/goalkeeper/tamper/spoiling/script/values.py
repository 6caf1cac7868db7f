"""Other values for literals of JavaScript, and expressions that give another value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.spoiling.edits import Change
from goalkeeper.tamper.spoiling.values import (
    FAR_LENGTH,
    LEAST_DIGITS,
    LEAST_SIGNS,
    Chooser,
    change_decimal,
    change_pattern,
    change_text,
)
from goalkeeper.tamper.syntax import field, text

if TYPE_CHECKING:
    from tree_sitter import Node

Changes = tuple[Change, ...]

SCALARS = frozenset(
    {"string", "template_string", "number", "true", "false", "null", "undefined", "regex"}
)
_AROUND = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
_LEAST_SIGNS = 6  # no text holds so many letters and digits that we chose by chance
# What these give differs if a letter or an element of what they are called on does.
_TELLING_METHODS = frozenset(
    {"join", "trim", "trimEnd", "trimStart", "toUpperCase", "toLowerCase", "repeat"}
)
_TELLING_CALLS = frozenset({"Object.freeze", "expect.objectContaining"})
_TELLING_FAR = frozenset(
    {"expect.arrayContaining", "expect.stringContaining", "expect.stringMatching"}
)
_TELLING_TAGS = frozenset({"dedent", "outdent", "stripIndent", "stripIndents", "String.raw"})
_NEVER = r"[^\s\S]"


class ScriptValues:
    """Changes values. One that is `far` is none that a list or a text may hold by chance, too."""

    def __init__(self, chooser: Chooser, *, is_typed: bool) -> None:
        self._chooser = chooser
        self._is_typed = is_typed

    def change(self, node: Node, *, far: bool = False) -> Changes:
        """Return changes of literals that surely make another value; none if there are none."""
        return tuple(self._find_changes(node, far=far))

    def _find_changes(self, node: Node, *, far: bool) -> Iterator[Change]:
        chooser = self._chooser.at(node.start_byte)
        match node.type:
            case "string" | "template_string":
                yield from _change_string(node, chooser, far=far)
            case "number":
                yield _change_number(node, chooser, far=far)
            case "true" | "false" | "null" | "undefined":
                yield _replace(node, str(chooser.choose_number()))
            case "regex":
                yield from _change_regex(node, chooser)
            case "array":
                found = [each for child in _items(node) for each in self.change(child, far=far)]
                yield from found or [_insert_first(node, f"{chooser.choose_number()}")]
            case "object":
                found = [each for child in _pairs(node) for each in self.change(child, far=far)]
                added = f"{chooser.choose_letters(8)}: {chooser.choose_number()}"
                yield from found or [_insert_first(node, added)]
            case "unary_expression" if text(field(node, "operator")) in {"-", "+"}:
                inner = field(node, "argument")
                if inner is not None and inner.type == "number":
                    yield from self._find_changes(inner, far=far)
            case "binary_expression" if text(field(node, "operator")) == "+":
                texts = [each for each in _addends(node) if "string" in each.type]
                telling = [each for each in texts if _has_signs(each)]
                for each in (telling or texts)[:1]:
                    yield from self._find_changes(each, far=far)
            case "call_expression":
                yield from self._change_call(node, far=far)
            case "new_expression":
                yield from self._change_made(node)
            case _ if node.type in _AROUND and node.named_children:
                yield from self._find_changes(node.named_children[0], far=far)
            case _:
                pass

    def _change_call(self, node: Node, *, far: bool) -> Iterator[Change]:
        function, given = field(node, "function"), arguments_of(node)
        name = text(function)
        tagged = field(node, "arguments")
        if tagged is not None and tagged.type == "template_string":
            if name in _TELLING_TAGS and _has_signs(tagged):
                yield from _change_string(tagged, self._chooser.at(tagged.start_byte), far=far)
        elif (name in _TELLING_CALLS or name in _TELLING_FAR) and len(given) == 1:
            yield from self._find_changes(given[0], far=far or name in _TELLING_FAR)
        elif text(field(function, "property") if function else None) in _TELLING_METHODS:
            inner = field(node, "function", "object")
            if inner is not None and inner.type in {"array", "string", "template_string"}:
                yield from self._find_changes(inner, far=far)

    def _change_made(self, node: Node) -> Iterator[Change]:
        name, given = text(field(node, "constructor")), arguments_of(node)
        if name in {"Set", "Map"} and len(given) == 1 and given[0].type == "array":
            yield from self._find_changes(given[0], far=True)
        elif name.endswith("Error") and given and given[0].type == "string":
            yield from self._find_changes(given[0], far=False)

    def wrap(self, node: Node, *, far: bool = False) -> Changes:
        """Return changes that make another value of whatever the expression gives."""
        chooser = self._chooser.at(node.start_byte)
        number, letters = chooser.choose_number(), chooser.choose_letters(FAR_LENGTH)
        given = "(v: any): any" if self._is_typed else "(v)"
        if far:
            told = f'typeof v === "string" ? "{letters}" : typeof v === "number" ? {number}'
        else:
            told = (
                f'typeof v === "string" ? v + "{letters}" : typeof v === "number" ? '
                f"(Math.abs(v) < 2 ** 52 ? v + {number} : {number}) : Array.isArray(v) ? "
                f"[...v, {number}]"
            )
        start = f"({given} => {told} : {{ {letters}: {number} }})("
        return Change(node.start_byte, node.start_byte, start), _insert_at(node.end_byte, ")")

    @staticmethod
    def make_false(node: Node) -> Changes:
        return _insert_at(node.start_byte, "("), _insert_at(node.end_byte, ") && false")

    @staticmethod
    def make_true(node: Node) -> Changes:
        return _insert_at(node.start_byte, "("), _insert_at(node.end_byte, ") || true")

    def ask_for_nothing(self, first: Node, whole: Node) -> Change:
        """Return a change that lets a matcher ask for a value that nothing has; lines stay."""
        chooser = self._chooser.at(first.start_byte)
        said = text(first)
        word = "toBe" if said[:2] == "to" and said[2:3].isupper() else "equal"
        lines = "\n" * text(field(whole, "arguments")).count("\n")
        return Change(first.start_byte, whole.end_byte, f"{word}({chooser.choose_number()}{lines})")

    @staticmethod
    def derive_class(node: Node) -> Changes:
        """Return changes that make a class below, of which nothing is an instance.

        A class may say itself what its instances are, and what is below it says the same.
        """
        after = " { static [Symbol.hasInstance]() { return false } })"
        return _insert_at(node.start_byte, "(class extends "), _insert_at(node.end_byte, after)


def _insert_at(place: int, added: str) -> Change:
    return Change(place, place, added)


def _replace(node: Node, other: str) -> Change:
    return Change(node.start_byte, node.end_byte, other)


def _insert_first(node: Node, added: str) -> Change:
    after = node.children[0].end_byte
    return _insert_at(after, f"{added}, " if node.named_children else added)


def _items(node: Node) -> Iterator[Node]:
    return (child for child in node.named_children if child.type != "spread_element")


def _pairs(node: Node) -> Iterator[Node]:
    """Yield the values of an object that nothing behind them overwrites."""
    children = node.named_children
    spread = max((n for n, each in enumerate(children) if each.type == "spread_element"), default=0)
    for child in children[spread:]:
        key, value = field(child, "key"), field(child, "value")
        if child.type == "pair" and value is not None and "__proto__" not in text(key):
            yield value


def _addends(node: Node) -> Iterator[Node]:
    """Yield what a chain of `+` adds, from the left."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        left, right = field(here, "left"), field(here, "right")
        is_sum = here.type == "binary_expression" and text(field(here, "operator")) == "+"
        if is_sum and left is not None and right is not None:
            waiting += [right, left]
        else:
            yield here


def _fragments(node: Node) -> list[Node]:
    return [child for child in node.children if child.type == "string_fragment"]


def _has_signs(node: Node) -> bool:
    return _count_signs(node) > 0


def _count_signs(node: Node) -> int:
    return sum(
        sign.isascii() and sign.isalnum() for part in _fragments(node) for sign in text(part)
    )


def _change_string(node: Node, chooser: Chooser, *, far: bool) -> Iterator[Change]:
    count = _count_signs(node)
    if count < (_LEAST_SIGNS if far else LEAST_SIGNS):
        added = chooser.choose_letters(FAR_LENGTH if far else LEAST_SIGNS)
        yield _insert_at(node.end_byte - 1, added)
    for part in _fragments(node):
        yield _replace(part, change_text(text(part), chooser.at(part.start_byte)))


def _change_number(node: Node, chooser: Chooser, *, far: bool) -> Change:
    written = text(node)
    number = written.removesuffix("n")
    big = written[len(number) :]
    other = None if far else change_decimal(number, chooser, least=LEAST_DIGITS)
    return _replace(node, (other or str(chooser.choose_number())) + big)


def _change_regex(node: Node, chooser: Chooser) -> Iterator[Change]:
    pattern = field(node, "pattern")
    if pattern is None:
        return
    other = change_pattern(text(pattern), chooser)
    yield _replace(pattern, other if other is not None else f"{_NEVER}(?:{text(pattern)})")
