"""Scenarios of JavaScript: the steps of a test up to what it compares, as one expression."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.questions.script.expressions import WrittenExpression
from goalkeeper.tamper.questions.script.modules import LoadedName, find_loaded
from goalkeeper.tamper.questions.script.pairs import PairReader
from goalkeeper.tamper.questions.script.words import list_words
from goalkeeper.tamper.spoiling.script.scope import FUNCTION_TYPES, Declaration, ScriptScope
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMES = frozenset({"identifier", "shorthand_property_identifier"})
_BLOCKS = frozenset({"statement_block", "program"})
_DECLARING = frozenset(
    {"lexical_declaration", "variable_declaration", "function_declaration", "class_declaration"}
)
_BEFORE = frozenset({"beforeEach", "before", "beforeAll", "setup"})
_OTHER_WORLD = frozenset({"this", "super", "yield_expression", "meta_property", "ERROR"})
_MORE_GLOBALS = frozenset({"process", "console", "setTimeout", "clearTimeout", "globalThis"})
_NUMBER = late_pattern(r"[0-9]+(?:\.[0-9]+)?")
PLACE = "placeOfTest"
_META = "import.meta"
_PLACES = {"__dirname": "dirname", "__filename": "filename"}


class ScriptScenarios:
    def __init__(self, scope: ScriptScope, path: str, pairs: PairReader) -> None:
        self._scope = scope
        self._path = path
        self._pairs = pairs

    def write(self, assertion: Node, got: Node) -> WrittenExpression | None:
        """Write what leads to `got`, and ends with it; None if it needs what only its test has."""
        statement = _find_statement(assertion)
        block = statement.parent if statement is not None else None
        if statement is None or block is None or block.type != "statement_block":
            return None
        if block.parent is None or block.parent.type not in FUNCTION_TYPES:
            return None
        steps = [each for each in block.named_children if each.start_byte < statement.start_byte]
        around = list(_find_blocks(block.parent))
        ready = [each for outer in reversed(around) for each in self._find_prepared(outer)]
        found = self._collect([*ready, *steps], got, around) if ready or steps else None
        if found is None:
            return None
        tops, loaded = found
        lines = [*map(text, tops), *map(self._write_step, (*ready, *steps))]
        lines.append(f"return ({text(got)}); ")
        body = self._place("\n".join(line for line in lines if line))
        whole = f"await (async () => {{\n{body}}})()"
        return WrittenExpression(whole, frozenset(loaded))

    def _place(self, body: str) -> str:
        """Return steps with the place of the test's file, if they ask for it."""
        known = [f"const {PLACE} = placeOf({json.dumps(self._path)});"]
        for word, part in _PLACES.items():
            is_declared = re.search(rf"\b(?:const|let|var)\s+{word}\b", body)
            if word in body and not is_declared:
                known.append(f"const {word} = {PLACE}.{part};")
        is_asked = len(known) > 1 or _META in body
        return "\n".join([*(known if is_asked else ()), body.replace(_META, PLACE)])

    def _write_step(self, step: Node) -> str:
        """Write a statement; of an assertion only what asks the product is left."""
        call = step.named_children[0] if step.type == "expression_statement" else None
        if step.type == "comment":
            return ""
        if call is None or not self._pairs.is_assertion(call):
            return text(step)
        pair = self._pairs.read(call)
        return f"({text(pair.got)});" if pair is not None else ""

    def _find_prepared(self, block: Node) -> Iterator[Node]:
        """Yield the statements that are run before each test of a block."""
        for each in block.named_children:
            call = each.named_children[0] if each.type == "expression_statement" else None
            if call is not None and text(field(call, "function")) in _BEFORE:
                for given in arguments_of(call):
                    body = field(given, "body")
                    if given.type in FUNCTION_TYPES and body is not None:
                        is_block = body.type == "statement_block"
                        yield from body.named_children if is_block else [body]

    def _collect(
        self, steps: list[Node], got: Node, around: list[Node]
    ) -> tuple[list[Node], set[LoadedName]] | None:
        """Return what the steps need of the blocks around them, and of modules."""
        inside = [*steps, got]
        tops: dict[int, Node] = {}
        loaded: set[LoadedName] = set()
        waiting = list(inside)
        while waiting:
            for use in walk(waiting.pop()):
                if use.type in _OTHER_WORLD and text(use) != _META:
                    return None
                declared = self._scope.find_declaration(use) if use.type in _NAMES else None
                if use.type not in _NAMES or self._is_inside(declared, [*inside, *tops.values()]):
                    continue
                if declared is None:
                    known_names = list_words("globals") | _MORE_GLOBALS | {*_PLACES}
                    if text(use) in known_names or self._asserts(use):
                        continue
                    return None
                known = find_loaded(declared, self._path)
                if known is not None:
                    loaded.add(known)
                elif (top := _find_top(declared, around)) is not None:
                    tops[top.start_byte] = top
                    waiting.append(top)
                elif not self._asserts(use):
                    return None
        return [tops[place] for place in sorted(tops)], loaded

    def _asserts(self, use: Node) -> bool:
        """Return whether a name is that of an assertion, which is not written."""
        here: Node | None = use
        while here is not None and here.type not in FUNCTION_TYPES:
            if self._pairs.is_assertion(here):
                function = field(here, "function")
                return function is not None and function.start_byte <= use.start_byte < (
                    function.end_byte
                )
            here = here.parent
        return False

    def _is_inside(self, declared: Declaration | None, nodes: list[Node]) -> bool:
        return declared is not None and any(
            each.start_byte <= declared.key < each.end_byte for each in nodes
        )


def find_varied(top: Node) -> list[Node]:
    """Return numbers and pieces of texts in a scenario, without keys, places and modules."""
    found: list[Node] = []
    waiting = [top]
    while waiting:
        here = waiting.pop()
        is_number = here.type == "number" and _NUMBER.fullmatch(text(here))
        if here.type == "string_fragment" or is_number:
            found.append(here)
        elif here.type == "pair":
            waiting += [each for each in (field(here, "value"),) if each is not None]
        elif text(field(here, "function")) == "placeOf":
            continue
        elif here.type not in {"regex", "subscript_expression", "import_statement"}:
            waiting += reversed(here.named_children)
    return found


def _find_statement(node: Node) -> Node | None:
    """Return the statement that an assertion is, perhaps awaited."""
    here = node.parent
    while here is not None and here.type == "await_expression":
        here = here.parent
    return here if here is not None and here.type == "expression_statement" else None


def _find_blocks(function: Node) -> Iterator[Node]:
    """Yield the blocks around a test, from the inside; only those that run once are passed."""
    here = function.parent
    while here is not None:
        if here.type in _BLOCKS:
            yield here
        here = here.parent


def _find_top(declared: Declaration, around: list[Node]) -> Node | None:
    """Return the statement of one of the blocks that declares a name."""
    here: Node | None = declared.name
    while here is not None and here.parent is not None:
        if here.parent in around:
            is_variable = declared.owner.type == "variable_declarator"
            is_own = is_variable or field(here, "name") == declared.name
            return here if here.type in _DECLARING and is_own else None
        here = here.parent
    return None
