"""Reads the questions of a test file of JavaScript or TypeScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.questions.model import (
    NEIGHBOURS,
    Question,
    QuestionSheet,
    ReadText,
    Renaming,
    read_nothing,
)
from goalkeeper.tamper.questions.neighbours import (
    RESIZED,
    change_a_little,
    change_text_a_little,
    choose_leaves,
    count_neighbours,
    resize_number,
    resize_rows,
    resize_text,
)
from goalkeeper.tamper.questions.numbers import choose_numbers, list_shifts, replace_number
from goalkeeper.tamper.questions.other_parts import choose_shifts, choose_words
from goalkeeper.tamper.questions.script.expressions import ScriptExpressions, WrittenExpression
from goalkeeper.tamper.questions.script.modules import is_typed
from goalkeeper.tamper.questions.script.pairs import ComparedPair, PairReader
from goalkeeper.tamper.questions.script.scenarios import ScriptScenarios, find_varied
from goalkeeper.tamper.questions.script.words import list_words
from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.script.asserts import AssertionSpoiler
from goalkeeper.tamper.spoiling.script.libraries import Libraries
from goalkeeper.tamper.spoiling.script.scope import FUNCTION_TYPES, ScriptScope
from goalkeeper.tamper.spoiling.script.values import ScriptValues
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_TEXT = 1000
_MOST_PLAYED = 4000
_MOST_ROWS = 40
_OPTIONS_TURN = 4  # one of so many neighbours may have other options
_LEAST_DIGITS = 2
_NUMBER = late_pattern(r"[0-9]+(?:\.[0-9]+)?")


def read_module_questions(
    source: str, path: str, chooser: Chooser, _: ReadText = read_nothing
) -> QuestionSheet | None:
    """Return the questions of a module; None if there are none that can be asked elsewhere."""
    sheet = None if is_typed(path) else _read_sheet(source, path, chooser)
    return sheet if sheet and not _is_common(sheet) else None


def read_typed_questions(
    source: str, path: str, chooser: Chooser, _: ReadText = read_nothing
) -> QuestionSheet | None:
    """Return the questions of a file of TypeScript, which needs a loader of its own."""
    sheet = _read_sheet(source, path, chooser) if is_typed(path) else None
    return sheet if sheet and not _is_common(sheet) else None


def read_common_questions(
    source: str, path: str, chooser: Chooser, _: ReadText = read_nothing
) -> QuestionSheet | None:
    """Return the questions of a file that loads everything by `require`."""
    sheet = None if is_typed(path) else _read_sheet(source, path, chooser)
    return sheet if sheet and _is_common(sheet) else None


def _is_common(sheet: QuestionSheet) -> bool:
    return not any("await import(" in line for line in sheet.head)


@lru_cache(maxsize=64)
def _read_sheet(source: str, path: str, chooser: Chooser) -> QuestionSheet | None:
    try:
        top = script_root(Source(path, source))
    except RecursionError:
        return None
    if top.has_error:
        return None
    reader = _SheetReader(top, path, chooser)
    # The longest are asked first, while there is time.
    found = sorted(reader.find_questions(), key=lambda each: not each.is_played)
    return QuestionSheet(path, tuple(dict.fromkeys(reader.head)), tuple(found)) if found else None


class _SheetReader:
    def __init__(self, top: Node, path: str, chooser: Chooser) -> None:
        scope = ScriptScope(top)
        values = ScriptValues(chooser, is_typed=is_typed(path))
        spoiler = AssertionSpoiler(path, scope, Libraries(scope), values)
        self._top = top
        self._path = path
        self._chooser = chooser
        self._pairs = PairReader(spoiler)
        self._expressions = ScriptExpressions(scope, path, self._is_in_assertion)
        self._scenarios = ScriptScenarios(scope, path, self._pairs)
        self.head: list[str] = []

    def _is_in_assertion(self, node: Node) -> bool:
        here: Node | None = node
        while here is not None and here.type not in FUNCTION_TYPES:
            if self._pairs.is_assertion(here):
                return True
            here = here.parent
        return False

    def find_questions(self) -> Iterator[Question]:
        asked: set[str] = set()
        for node in walk(self._top):
            pair = self._pairs.read(node)
            if pair is None:
                continue
            for row in range(_MOST_ROWS):
                found = self._write_pair(pair, row)
                if found is None:
                    yield from self._play(pair, node) if not row else ()
                    break
                got, wanted = found
                if got.text not in asked and (made := self._make_question(got, wanted, node, row)):
                    asked.add(got.text)
                    self.head += sorted(each.statement for each in got.loaded)
                    yield made.replace(is_refused=pair.is_refused)
                if row + 1 >= max((count for _, count in got.tables | wanted.tables), default=1):
                    break

    def _write_pair(
        self, pair: ComparedPair, row: int
    ) -> tuple[WrittenExpression, WrittenExpression] | None:
        """Return what asks the product, and what is expected, which does not; it may be empty."""
        got = self._expressions.write(pair.got, row)
        wanted = (
            WrittenExpression(pair.wanted)
            if isinstance(pair.wanted, str)
            else self._expressions.write(pair.wanted, row)
        )
        if wanted and not (got and got.asks_product):  # some write the expected value first
            got, wanted = wanted, got
        if got is None or not got.asks_product:
            return None
        if wanted is None or wanted.loaded or "await" in wanted.text:
            wanted = WrittenExpression("")  # what stands in a file of the tests, for example
        if len(got.tables | wanted.tables) > 1:
            return None
        return (got.replace(text=f"!!({got.text})") if pair.is_truth else got), wanted

    def _play(self, pair: ComparedPair, node: Node) -> Iterator[Question]:
        """Yield the steps of a test up to this pair, where it is not one call that asks."""
        played = self._scenarios.write(node, pair.got) if not pair.is_truth else None
        if played is None or not (played.asks_product or "child_process" in _join(played)):
            return
        if len(played.text) > _MOST_PLAYED:
            return
        wanted = pair.wanted if isinstance(pair.wanted, str) else ""
        if not isinstance(pair.wanted, str):
            told = self._expressions.write(pair.wanted, 0)
            wanted = told.text if told and not told.loaded and "await" not in told.text else ""
        inputs = find_varied(script_root(Source(self._path, f"({played.text})")))
        digits = sum(map(str.isdigit, "".join(map(text, inputs))))
        has_digits = digits >= _LEAST_DIGITS
        at = self._chooser.at(f"played {line(node)}")
        others = dict.fromkeys(
            _vary_scenario(played.text, inputs, n, at.at(n))
            for n in range(NEIGHBOURS * 2 if has_digits else 0)
        )
        kept = [other for other in others if other != played.text][:NEIGHBOURS]
        self.head += sorted(each.statement for each in played.loaded)
        yield Question(
            played.text,
            wanted,
            tuple(kept),
            line(node),
            has_digits,
            is_played=True,
            renamed=_list_renamed(played.text, inputs, at, with_words=False),
            walked=_list_walked(played.text, inputs, at),
            shifted=_list_shifted(played.text, inputs, at),
        )

    def _make_question(
        self, got: WrittenExpression, wanted: WrittenExpression, node: Node, row: int
    ) -> Question | None:
        names = frozenset(each.name for each in got.loaded if each.is_product)
        inputs = _find_inputs(got.text, names, self._path)
        if not inputs or len(got.text) > _MOST_TEXT:
            return None
        at = self._chooser.at(f"{line(node)}/{row}")
        count = 0 if all(map(_is_option, inputs)) else count_neighbours([*map(text, inputs)])
        others = dict.fromkeys(
            _make_neighbour(got.text, inputs, n, at.at(n)) for n in range(count * 2)
        )
        kept = [other for other in others if other != got.text][:count]
        digits = sum(sign.isdigit() for each in _find_numbers(inputs) for sign in text(each))
        has_digits = digits >= _LEAST_DIGITS
        data = [each for each in inputs if not _is_option(each)]
        return Question(
            got.text,
            wanted.text,
            tuple(kept),
            line(node),
            has_digits,
            renamed=_list_renamed(got.text, inputs, at, with_words=True),
            far=_list_far(got.text, names, self._path),
            walked=_list_walked(got.text, data, at),
            shifted=_list_shifted(got.text, data, at),
        )


def _find_inputs(call: str, names: frozenset[str], path: str) -> list[Node]:
    """Return the pieces of literals that are given to the product."""
    given = _find_given(call, names, path)
    pieces = {each.start_byte: each for node in given for each in _find_pieces(node)}
    return list(pieces.values())


def _find_given(call: str, names: frozenset[str], path: str) -> list[Node]:
    """Return what is given to the product."""
    top = script_root(Source(path, f"({call})"))
    found: list[Node] = []
    for node in walk(top) if not top.has_error else ():
        is_called = node.type in {"call_expression", "new_expression"}
        callee = field(node, "function") or field(node, "constructor") if is_called else None
        if callee is not None and _is_of_product(callee, names):
            found += arguments_of(node)
    return found


def _is_of_product(callee: Node, names: frozenset[str]) -> bool:
    if (
        text(field(callee, "property")) in list_words("looking")
        and callee.type == "member_expression"
    ):
        holder = field(callee, "object")
        if holder is not None and holder.type != "identifier":
            return False
    return any(each.type == "identifier" and text(each) in names for each in walk(callee))


def _find_pieces(given: Node) -> Iterator[Node]:
    """Yield numbers and pieces of texts in a literal, without its keys."""
    waiting = [given]
    while waiting:
        here = waiting.pop()
        if here.type == "string_fragment" or (
            here.type == "number" and _NUMBER.fullmatch(text(here))
        ):
            yield here
        elif here.type == "pair":
            waiting += [each for each in (field(here, "value"),) if each is not None]
        elif here.type not in FUNCTION_TYPES and here.type not in {"regex", "subscript_expression"}:
            waiting += reversed(here.named_children)


def _find_numbers(inputs: list[Node]) -> list[Node]:
    """Return the inputs with digits that are no options, as in `f(text, { charset: "utf-8" })`."""
    return [each for each in inputs if any(map(str.isdigit, text(each))) and not _is_option(each)]


def _is_option(leaf: Node) -> bool:
    """Return whether a literal stands in an object that is given last, or in a call for that."""
    here, parent = leaf, leaf.parent
    while parent is not None:
        is_last = parent.type == "arguments" and len(parent.named_children) > 1
        if is_last and here == parent.named_children[-1]:
            inner = here
            while inner.type == "parenthesized_expression" and inner.named_children:
                inner = inner.named_children[0]
            if inner.type in {"object", "call_expression"}:
                return True
        here, parent = parent, parent.parent
    return False


def _make_neighbour(call: str, inputs: list[Node], turn: int, chooser: Chooser) -> str:
    """Return the call with inputs that are a little different; options change seldom."""
    changes = []
    data = [each for each in inputs if not _is_option(each)]
    is_any = turn % _OPTIONS_TURN == 1
    chosen = choose_leaves(inputs if is_any else data, _find_numbers(data), turn, chooser)
    for place, leaf in enumerate(chosen):
        start, end = leaf.start_byte - 1, leaf.end_byte - 1  # it was read with a bracket before it
        changes.append(Change(start, end, _change_piece(leaf, chooser.at(place))))
    return apply_changes(call, changes)


def _list_far(call: str, names: frozenset[str], path: str) -> tuple[str, ...]:
    """Return the call with other sizes of all that it is given."""
    given = _find_given(call, names, path)
    found = [
        apply_changes(call, [each for node in given for each in _resize(node, turn)])
        for turn in range(RESIZED)
    ]
    return tuple(each for each in dict.fromkeys(found) if each != call)


def _resize(node: Node, turn: int) -> Iterator[Change]:
    """Yield what gives a literal another size; half a text may end within a sign."""
    start, end = node.start_byte - 1, node.end_byte - 1  # it was read with a bracket before it
    said = text(node)
    if node.type == "number" and said.isdigit():
        yield Change(start, end, f"{resize_number(int(said), turn):.0f}")
    elif node.type == "string" and "\\" not in said:
        yield Change(start + 1, end - 1, resize_text(said[1:-1], turn))
    elif node.type == "string" and turn == 0:
        yield Change(start + 1, end - 1, said[1:-1] * 2)
    elif node.type == "array":
        rows = resize_rows([text(each) for each in node.named_children], turn)
        yield Change(start, end, f"[{', '.join(rows)}]")
    elif node.type not in FUNCTION_TYPES:
        for each in node.named_children:
            yield from _resize(each.child_by_field_name("value") or each, turn)


def _join(written: WrittenExpression) -> str:
    return " ".join(each.statement for each in written.loaded)


def _vary_scenario(call: str, inputs: list[Node], turn: int, chooser: Chooser) -> str:
    """Return the steps with other literals; what stands in several places is the same thing."""
    numbers = [each for each in inputs if any(map(str.isdigit, text(each)))]
    chosen = {
        text(leaf): _change_piece(leaf, chooser.at(place))
        for place, leaf in enumerate(choose_leaves(inputs, numbers, turn, chooser))
    }
    return apply_changes(
        call,
        [
            Change(each.start_byte - 1, each.end_byte - 1, chosen[text(each)])
            for each in inputs
            if text(each) in chosen
        ],
    )


def _list_renamed(
    call: str, inputs: list[Node], chooser: Chooser, *, with_words: bool
) -> tuple[Renaming, ...]:
    """Return the call with parts of its inputs that are others, wherever they stand."""
    said = [*map(text, inputs)]
    parts = [*(choose_words(said, chooser) if with_words else ()), *choose_shifts(said, chooser)]
    return tuple(Renaming(_rewrite(call, inputs, part.change), part) for part in parts)


def _list_walked(call: str, inputs: list[Node], chooser: Chooser) -> tuple[tuple[str, ...], ...]:
    """Return the call with another number in place of one, wherever it stands."""
    numbers = choose_numbers([*map(text, inputs)], chooser)
    return tuple(
        tuple(_rewrite(call, inputs, partial(replace_number, old=old, new=n)) for n in new)
        for old, new in numbers.items()
    )


def _list_shifted(call: str, inputs: list[Node], chooser: Chooser) -> tuple[str, ...]:
    """Return the call with all numbers larger, or smaller, by the same."""
    shifts = list_shifts([*map(text, inputs)], chooser)
    return tuple(_rewrite(call, inputs, shift) for shift in shifts)


def _rewrite(call: str, pieces: list[Node], change: Callable[[str], str]) -> str:
    return apply_changes(
        call,
        [
            Change(each.start_byte - 1, each.end_byte - 1, change(text(each)))
            for each in pieces
            if change(text(each)) != text(each)
        ],
    )


def _change_piece(leaf: Node, chooser: Chooser) -> str:
    said = text(leaf)
    if leaf.type == "number" and said.isdigit():
        return str(change_a_little(int(said), chooser))
    return change_text_a_little(said, chooser)
