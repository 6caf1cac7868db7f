"""Reads the questions of a Python test file."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.questions.model import (
    MOST_QUESTIONS,
    NEIGHBOURS,
    Question,
    QuestionSheet,
    ReadText,
    read_nothing,
)
from goalkeeper.tamper.questions.neighbours import (
    RESIZED,
    change_a_little,
    choose_leaves,
    count_neighbours,
    resize_number,
    resize_rows,
    resize_text,
)
from goalkeeper.tamper.questions.other_calls import list_renamed, list_shifted, list_walked
from goalkeeper.tamper.questions.scenarios import (
    Scenario,
    ScenarioReader,
    acts,
    find_varied,
    read_harness,
)
from goalkeeper.tamper.spoiling.expectations import (
    FUNCTIONS,
    Function,
    find_leaves,
    find_rows,
    is_written,
    name_of_call,
    walk_straight,
)
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.pattern import late_pattern

Bindings: TypeAlias = dict[str, ast.expr]
_RUNNERS = frozenset({"pytest", "unittest", "mock", "hypothesis", "nose"})
_STANDARD = sys.stdlib_module_names
_BUILTIN = frozenset(dir(builtins)) - {"open", "input", "print", "exit", "quit", "id", "object"}
_MOST_TEXT = 1000
_MOST_STEPS = 4
_LEAST_DIGITS = 2
_EXPECTS = late_pattern(r"(?i)^(?:assert_?)?raises")
_WIDE = late_pattern(r":[^{}]*\d{4}")  # a format may ask for any number of signs


def read_python_questions(
    text: str, path: str, chooser: Chooser, read: ReadText = read_nothing
) -> QuestionSheet | None:
    """Return the questions of a test file; None if there are none that can be asked elsewhere."""
    module = parse_python(text)
    if module is None:
        return None
    harness = read_harness(path, lambda place: parse_python(read(place) or ""))
    modules = [*harness, module]
    imported = {name: found for each in modules for name, found in _find_imports(each)}
    product = {name for name, (top, _) in imported.items() if top not in _STANDARD}
    fixed, names = _find_bindings(module, module.body), frozenset(imported)
    scenarios = ScenarioReader(modules, names, path)
    found: list[Question] = []
    for owner, function in _list_tests(module):
        asked = list(_find_questions(function, product, names, fixed, chooser))
        lines = {each.line for each in asked if each.expected}
        if acts(function):  # what a call alone would find is not there yet
            lines = set()
        played = list(_find_played(scenarios, (owner, function), product, lines, chooser))
        lines = {each.line for each in played}
        asked = [each for each in asked if each.line not in lines or not each.expected]
        found += [each.replace(test=function.name) for each in (*played, *asked)]
    head = dict.fromkeys(line for _, line in imported.values())
    return QuestionSheet(path, tuple(head), tuple(found)) if found else None


def _list_tests(module: ast.Module) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    owners = {
        id(node): each
        for each in ast.walk(module)
        if isinstance(each, ast.ClassDef)
        for node in each.body
    }
    for node in ast.walk(module):
        if isinstance(node, FUNCTIONS) and node.name.startswith("test"):
            yield owners.get(id(node)), node


def _find_played(
    scenarios: ScenarioReader,
    test: tuple[ast.ClassDef | None, Function],
    product: set[str],
    asked: set[int],
    chooser: Chooser,
) -> Iterator[Question]:
    """Return the questions of a test with its steps, but of lines that are asked without them."""
    owner, function = test
    rows = find_rows(function, all_columns=True)
    count = min(MOST_QUESTIONS, *map(len, rows.values())) if rows else 0
    for row in range(count or 1):
        values = {name: column[row] for name, column in rows.items()} if count else {}
        for each in scenarios.read(function, owner, values):
            if each.line in asked:
                continue
            names = {n.id for n in ast.walk(ast.parse(each.text)) if isinstance(n, ast.Name)}
            if names.isdisjoint({*product, "subprocess"}):
                continue
            with suppress(ValueError):
                wanted = _Substitution(values).apply(each.expected)
                is_known = _needs_only(wanted, scenarios.imported)
                place = chooser.at(f"played {each.line}/{row}")
                played = each.replace(text=_leave_out_unread(each.text))
                yield _make_played(played, ast.unparse(wanted) if is_known else "", place)


def _leave_out_unread(text: str) -> str:
    """Return steps without values that no step reads, as what a row of a table expects."""
    module = ast.parse(text)
    names = [node for node in ast.walk(module) if isinstance(node, ast.Name)]
    read = {name.id for name in names if isinstance(name.ctx, ast.Load)}

    def is_unread(node: ast.stmt) -> bool:
        if not isinstance(node, ast.Assign) or not is_written(node.value):
            return False
        return all(isinstance(each, ast.Name) and each.id not in read for each in node.targets)

    module.body = [node for node in module.body if not is_unread(node)]
    return ast.unparse(module)


def _make_played(scenario: Scenario, expected: str, chooser: Chooser) -> Question:
    """Make the question; only what has numbers is asked with other inputs."""
    inputs = find_varied(ast.parse(scenario.text))
    digits = sum(map(str.isdigit, "".join(str(each.value) for each in inputs)))
    has_digits = digits >= _LEAST_DIGITS
    turns = range(NEIGHBOURS * 2 if has_digits else 0)
    others = dict.fromkeys(_vary_scenario(scenario.text, n, chooser.at(n)) for n in turns)
    kept = [other for other in others if other != scenario.text][:NEIGHBOURS]
    return Question(
        scenario.text,
        expected,
        tuple(kept),
        scenario.line,
        has_digits,
        is_played=True,
        renamed=list_renamed(scenario.text, find_varied, chooser),
        walked=list_walked(scenario.text, chooser),
        shifted=list_shifted(scenario.text, chooser),
    )


def _vary_scenario(text: str, turn: int, chooser: Chooser) -> str:
    module = ast.parse(text)
    _change_leaves(find_varied(module), turn, chooser)
    return ast.unparse(module)


def _change_leaves(leaves: list[ast.Constant], turn: int, chooser: Chooser) -> None:
    """Change some literals; what stands in several places is the same thing most often."""
    numbers = [leaf for leaf in leaves if any(map(str.isdigit, str(leaf.value)))]
    chosen = {
        repr(leaf.value): change_a_little(leaf.value, chooser.at(place))
        for place, leaf in enumerate(choose_leaves(leaves, numbers, turn, chooser))
    }
    for leaf in leaves:
        leaf.value = chosen.get(repr(leaf.value), leaf.value)


def _find_imports(module: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
    """Return the names that imports at the top bind, each with its module and statement."""
    for node in module.body:
        if isinstance(node, ast.Import):
            for each in node.names:
                top = each.name.partition(".")[0]
                if top not in _RUNNERS:
                    yield each.asname or top, (top, ast.unparse(ast.Import([each])))
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            top = node.module.partition(".")[0]
            for each in node.names:
                if top not in _RUNNERS and top != "__future__" and each.name != "*":
                    line = f"from {node.module} import {each.name}"
                    line += f" as {each.asname}" if each.asname else ""
                    yield each.asname or each.name, (top, line)


def _find_questions(
    function: Function, product: set[str], known: frozenset[str], fixed: Bindings, chooser: Chooser
) -> Iterator[Question]:
    """Return the questions of a test: what it compares first, then what else it calls."""
    rows = find_rows(function, all_columns=True)
    count = min(MOST_QUESTIONS, *map(len, rows.values())) if rows else 0
    given = {**fixed, **_find_bindings(function, function.body)}
    statements = [*walk_straight(function.body)]
    pairs = [(node.lineno, *pair) for node in statements for pair in _find_pairs(node)]
    calls = [(node.lineno, call, None) for node in statements for call in _find_calls(node)]
    refused = {id(call) for node in statements for call in _find_refused(node)}
    asked: set[str] = set()
    for line, call, expected in (*pairs, *calls):
        for row in range(count or 1):
            values = {name: column[row] for name, column in rows.items()} if count else {}
            with suppress(ValueError):  # not every f-string can be written again
                put = _Substitution({**given, **values}).apply(call)
                if not _can_be_asked(put, product, known) or ast.unparse(put) in asked:
                    continue
                asked |= {ast.unparse(n) for n in ast.walk(put) if isinstance(n, ast.expr)}
                wanted = _Substitution({**given, **values}).apply(expected) if expected else None
                if wanted and not _needs_only(wanted, known):
                    wanted = None
                made = _make_question(put, wanted, line, chooser.at(f"{line}/{row}"))
                yield made.replace(is_refused=id(call) in refused)


def _find_bindings(scope: ast.AST, body: Sequence[ast.stmt]) -> Bindings:
    """Return names that are bound once, to an expression."""
    bound: Bindings = {}
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, node.value)
    stores = Counter(
        each.id
        for each in ast.walk(scope)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    )
    return {name: value for name, value in bound.items() if stores[name] == 1}


def _find_pairs(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Return what is compared, each with what it is compared with."""
    for each in ast.walk(node):
        sides: Sequence[ast.expr] = ()
        if isinstance(each, ast.Compare) and len(each.ops) == 1 and isinstance(each.ops[0], ast.Eq):
            sides = (each.left, each.comparators[0])
        elif isinstance(each, ast.Call) and name_of_call(each).startswith("assert"):
            sides = each.args[:2]
        if len(sides) == 2:  # noqa: PLR2004
            one, other = sides
            yield (other, one) if is_written(one) else (one, other)


def _find_refused(node: ast.stmt) -> Iterator[ast.expr]:
    """Return the calls that must fail, each alone in a block that expects it."""
    for each in ast.walk(node):
        if isinstance(each, ast.With) and len(each.items) == len(each.body) == 1:
            context, step = each.items[0].context_expr, each.body[0]
            is_expected = isinstance(context, ast.Call) and _EXPECTS.search(name_of_call(context))
            if is_expected and isinstance(step, ast.Expr):
                yield step.value


def _find_calls(node: ast.stmt) -> Iterator[ast.expr]:
    """Return what a statement calls, the widest first."""
    for each in ast.walk(node):
        is_value = isinstance(each, ast.Call) and is_written(each)
        if isinstance(each, ast.Call) and not is_value:
            yield each


class _Substitution(ast.NodeTransformer):
    """It puts the values of a row into the place of parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def apply(self, node: ast.expr) -> ast.expr:
        for _ in range(_MOST_STEPS):  # a value may name another one
            text = ast.unparse(node)
            node = self.visit(ast.parse(text, mode="eval").body)
            if ast.unparse(node) == text or len(text) > _MOST_TEXT:
                break
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        self.generic_visit(node)
        parts = [
            each.value if isinstance(each, ast.FormattedValue) else each for each in node.values
        ]
        if not all(isinstance(each, ast.Constant) for each in parts):
            return node
        text = ast.unparse(node)
        if _WIDE.search(text):
            return node
        try:
            return ast.Constant(eval(text, {"__builtins__": {}}))  # noqa: S307  it has only literals
        except (TypeError, ValueError, OverflowError):
            return node


def _can_be_asked(node: ast.expr, product: set[str], known: frozenset[str]) -> bool:
    """Return whether a call needs nothing but imports, and asks the product with literals."""
    if not _needs_only(node, known):
        return False
    asks = any(
        isinstance(each, ast.Call)
        and not {n.id for n in ast.walk(each.func) if isinstance(n, ast.Name)}.isdisjoint(product)
        for each in ast.walk(node)
    )
    return asks and bool(_find_inputs(node)) and len(ast.unparse(node)) <= _MOST_TEXT


def _needs_only(node: ast.expr, known: frozenset[str]) -> bool:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    kinds = (ast.Lambda, ast.Await, ast.NamedExpr, ast.Yield, ast.comprehension, ast.JoinedStr)
    return names <= known | _BUILTIN and not any(isinstance(n, kinds) for n in ast.walk(node))


def _find_inputs(node: ast.AST) -> list[ast.Constant]:
    """Return the literals that are given to calls."""
    found: list[ast.Constant] = []
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        given = [each.value if isinstance(each, ast.Starred) else each for each in call.args]
        for value in (*given, *(word.value for word in call.keywords)):
            found += [leaf for leaf in find_leaves(value) if not isinstance(leaf.value, bool)]
    return found


def _make_question(
    call: ast.expr, expected: ast.expr | None, line: int, chooser: Chooser
) -> Question:
    text = ast.unparse(call)
    inputs = [str(each.value) for each in _find_inputs(call)]
    count, digits = count_neighbours(inputs), sum(map(str.isdigit, "".join(inputs)))
    others = dict.fromkeys(_make_neighbour(text, n, chooser.at(n)) for n in range(count * 2))
    kept = [other for other in others if other != text][:count]
    wanted = ast.unparse(expected) if expected else ""
    return Question(
        text,
        wanted,
        tuple(kept),
        line,
        digits >= _LEAST_DIGITS,
        renamed=list_renamed(text, _find_inputs, chooser),
        far=_list_far(text),
        walked=list_walked(text, chooser),
        shifted=list_shifted(text, chooser),
    )


def _list_far(text: str) -> tuple[str, ...]:
    """Return the call with other sizes of all that it is given."""
    found = [_resize(text, turn) for turn in range(RESIZED)]
    return tuple(each for each in dict.fromkeys(found) if each != text)


def _resize(text: str, turn: int) -> str:
    node = ast.parse(text, mode="eval").body
    for leaf in _find_inputs(node):
        if isinstance(leaf.value, str):
            leaf.value = resize_text(leaf.value, turn)
        elif isinstance(leaf.value, int | float):
            leaf.value = resize_number(leaf.value, turn)
    for each in ast.walk(node):
        if isinstance(each, ast.List):
            each.elts = resize_rows(each.elts, turn)
    return ast.unparse(node)


def _make_neighbour(text: str, turn: int, chooser: Chooser) -> str:
    """Return the call with inputs that are a little different, so that they may still be valid."""
    node = ast.parse(text, mode="eval").body
    _change_leaves(_find_inputs(node), turn, chooser)
    return ast.unparse(node)
