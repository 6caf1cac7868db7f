"""Changes conditions of shell so that what held does not hold any more, or the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from goalkeeper.tamper.spoiling.edits import Change
from goalkeeper.tamper.spoiling.sh.words import (
    Changes,
    append_letters,
    change_number,
    change_pattern_word,
    change_word,
    find_golden,
    has_expansion,
    read_text,
)
from goalkeeper.tamper.spoiling.values import Chooser, is_golden
from goalkeeper.tamper.syntax import field, text
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_SAME = frozenset({"=", "==", "-eq"})
_ORDERS = frozenset({"-lt", "-le", "-gt", "-ge", "<", ">"})
_OTHER = frozenset({"!=", "-ne"})
_GREP = frozenset({"grep", "egrep", "fgrep"})
_GREP_OPTIONS = late_pattern(r"-[qsEFixwa]+|--(?:quiet|silent|extended-regexp|fixed-strings)")


class Flip(Value):
    """What to change. A golden file that is named has to be spoilt, too."""

    changes: Changes
    at: Node  # a part of the file that is changed
    golden: str = ""


Bound = Mapping[str, "Node"]  # what parameters and names of a function stand for, in a call


class Conditions:
    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    def flip(self, node: Node, bound: Bound, *, held: bool) -> Flip | None:
        """Return what turns a condition round that held, or did not."""
        match node.type:
            case "test_command":
                return self._flip_test(node, bound, held=held)
            case "negated_command" if node.named_children:
                return self.flip(node.named_children[-1], bound, held=not held)
            case "pipeline" if held and node.named_children:
                last = node.named_children[-1]
                return self._flip_command(last, bound) if last.type == "command" else None
            case "redirected_statement" if held:
                body = field(node, "body")
                return self._flip_command(body, bound) if body and body.type == "command" else None
            case "list":
                return self._flip_list(node, bound, held=held)
            case "command":
                if text(field(node, "name")) == "test":
                    return self._flip_words(node, bound, held=held)
                return self._flip_command(node, bound) if held else None
            case _:
                return None

    def _flip_list(self, node: Node, bound: Bound, *, held: bool) -> Flip | None:
        """All parts of `a && b` held if it held; none of `a || b` did if that did not."""
        wanted = "&&" if held else "||"
        if wanted not in {each.type for each in node.children}:
            return None
        for each in node.named_children:
            found = self.flip(each, bound, held=held)
            if found is not None:
                return found
        return None

    def _flip_test(self, node: Node, bound: Bound, *, held: bool) -> Flip | None:
        inner = node.named_children
        if len(inner) != 1:
            return None
        whole = inner[0]
        while whole.type == "binary_expression" and _operator(whole) in {"&&", "-a"} and held:
            whole = field(whole, "left") or whole.named_children[0]
        if whole.type == "unary_expression":
            return self._settle(whole, whole, held=held)
        if whole.type != "binary_expression":
            return None
        operator = next((e for e in whole.children if _is_operator(e)), None)
        if operator is None:
            return None
        at = whole.children.index(operator)
        left, right = whole.children[:at], whole.children[at + 1 :]
        if len(left) != 1 or not right:
            return None
        if text(operator) == "=~":
            return self._flip_match(whole, right, held=held)
        if len(right) > 1 or right[0].type == "extglob_pattern":
            return self._flip_glob(whole, operator, right, held=held)
        return self._flip_sides(operator, left[0], right[0], bound, held=held)

    def _settle(self, first: Node, last: Node, *, held: bool) -> Flip | None:
        """Write another question, whose answer is always the wrong one.

        The opposite would not do: it may hold when another test has failed, and left something.
        """
        chooser = self._chooser.at(first.start_byte)
        one, other = chooser.choose_letters(5), chooser.choose_letters(6)
        asked = f"{one} {'=' if held else '!='} {other}"
        return Flip((Change(first.start_byte, last.end_byte, asked),), first)

    def _flip_match(self, whole: Node, right: list[Node], *, held: bool) -> Flip | None:
        if held and len(right) == 1 and right[0].type in {"string", "raw_string"}:
            changes = change_pattern_word(right[0], self._chooser)
            if changes:
                return Flip(changes, whole)
        return self._settle(whole, whole, held=held)

    def _flip_glob(
        self, whole: Node, operator: Node, right: list[Node], *, held: bool
    ) -> Flip | None:
        """Change the texts of `*"text"*`, all of which must be there."""
        is_same = text(operator) in _SAME
        if is_same == held:
            texts = [each for each in right if each.type in {"string", "raw_string"}]
            changes = [c for each in texts for c in change_word(each, self._chooser, far=True)]
            if changes and not any(map(has_expansion, texts)):
                return Flip(tuple(changes), operator)
        return self._settle(whole, whole, held=held)

    def _flip_words(self, node: Node, bound: Bound, *, held: bool) -> Flip | None:
        """Turn `test a = b` round."""
        words = node.named_children[1:]
        if len(words) == 3:  # noqa: PLR2004
            return self._flip_sides(words[1], words[0], words[2], bound, held=held)
        if len(words) == 2 and text(words[0]).startswith("-"):  # noqa: PLR2004
            return self._settle(words[0], words[1], held=held)
        return None

    def _flip_sides(
        self, operator: Node, left: Node, right: Node, bound: Bound, *, held: bool
    ) -> Flip | None:
        said = text(operator)
        if (said in _SAME and held) or (said in _OTHER and not held):
            found = self._change_side(said, left, right, bound)
            if found is not None:
                return found
            if _find_bound(left, bound) or _find_bound(right, bound):
                return None  # the function is called with other words elsewhere
        is_known = said in _SAME or said in _OTHER or said in _ORDERS
        return self._settle(left, right, held=held) if is_known else None

    def _change_side(self, said: str, left: Node, right: Node, bound: Bound) -> Flip | None:
        """Change the side that is written out, of two that are the same."""
        sides = [_find_bound(each, bound) or each for each in (right, left)]
        is_number = said in {"-eq", "-ne"}
        for side in sides:
            if not has_expansion(side):
                changes = (
                    change_number(side, self._chooser)
                    if is_number
                    else change_word(side, self._chooser)
                )
                if changes:
                    return Flip(changes, side)
        if is_number:
            return None
        for side in sides:
            if golden := find_golden(side):
                return Flip((), side, golden)
        for side in sides:
            if side.type == "string" and "command_substitution" not in _kinds(side):
                changes = change_word(side, self._chooser) if _has_content(side) else ()
                return Flip(changes or append_letters(side, self._chooser), side)
        side = sides[0]
        return Flip(append_letters(side, self._chooser), side) if side.type == "string" else None

    def _flip_command(self, node: Node, bound: Bound) -> Flip | None:
        """Turn `grep -q text`, `diff a expected` and the like round, if they succeeded."""
        name, words = text(field(node, "name")), node.named_children[1:]
        if name in _GREP:
            return self._flip_grep(words, bound)
        if name in {"diff", "cmp"}:
            paths = [said for each in words if (said := read_text(each))]
            golden = [each for each in paths if is_golden(each)]
            return Flip((), node, golden[0]) if len(golden) == 1 else None
        return None

    def _flip_grep(self, words: list[Node], bound: Bound) -> Flip | None:
        for each in words:
            said = text(each)
            if said in {"-e", "--"} or _GREP_OPTIONS.fullmatch(said):
                continue
            if said.startswith("-"):
                return None
            word = _find_bound(each, bound) or each
            changes = change_pattern_word(word, self._chooser)
            return Flip(changes, word) if changes else None
        return None


def _operator(node: Node) -> str:
    return text(next((each for each in node.children if _is_operator(each)), None))


def _is_operator(node: Node) -> bool:
    known = {"=", "==", "!=", "=~", "&&", "||", "-a", "-o", "<", ">"}
    return node.type in known or node.type == "test_operator"


def _kinds(node: Node) -> set[str]:
    return {each.type for each in node.children}


def _has_content(node: Node) -> bool:
    return "string_content" in _kinds(node)


def _find_bound(node: Node, bound: Bound) -> Node | None:
    """Return what a word that is only `$2` or `"$wanted"` stands for in this call."""
    name = find_name(node)
    return bound.get(name) if name else None


def find_name(node: Node) -> str:
    """Return the name that a word such as `"$2"` or `x${wanted}` expands, and nothing else."""
    expansions = [node] if node.type.endswith("expansion") else node.named_children
    found = [each for each in expansions if each.type in {"simple_expansion", "expansion"}]
    others = [
        e
        for e in expansions
        if e.type not in {"simple_expansion", "expansion", "string_content", "word"}
    ]
    if len(found) != 1 or others:
        return ""
    said = text(found[0]).strip("${}")
    return said if said.isidentifier() or said.isdigit() else ""
