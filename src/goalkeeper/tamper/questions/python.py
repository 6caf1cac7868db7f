"""Reads the questions of a Python test file, and writes the program that asks them."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping, Sequence

from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.questions.model import (
    NEIGHBOURS,
    AskingProgram,
    Question,
    QuestionSheet,
)
from goalkeeper.tamper.questions.neighbours import change_a_little
from goalkeeper.tamper.spoiling.expectations import (
    FUNCTIONS,
    Function,
    find_expected,
    find_leaves,
    find_rows,
    is_spoilable,
    name_of_call,
    walk_straight,
)
from goalkeeper.tamper.spoiling.values import Chooser

_RUNNERS = frozenset({"pytest", "unittest", "mock", "hypothesis", "nose"})
_STANDARD = sys.stdlib_module_names
_BUILTIN = frozenset(dir(builtins)) - {"open", "input", "print", "exit", "quit", "id", "object"}
_MOST_TEXT = 400
_LEAST_DIGITS = 2
_PROGRAM = """\
import json
import sys

say = sys.stdout.write
show = json.dumps


def tell(number, place, kind, value):
    say("\\n%s %d %d %s %s\\n" % (NONCE, number, place, kind, show(value)))


def describe(value):
    return "%s %.2000r" % (type(value).__name__, value)


for number, text in EXPECTED:
    tell(number, 0, "expected", describe(eval(text)))
sys.path[:0] = PLACES
names = {}
for line in HEAD:
    try:
        exec(line, names)
    except Exception:
        pass


def ask():
    for number, place, text in CALLS:
        try:
            told = "value", describe(eval(text, dict(names)))
        except BaseException as error:
            told = "error", type(error).__name__
        tell(number, place, *told)


"""


def read_python_questions(text: str, path: str, chooser: Chooser) -> QuestionSheet | None:
    """Return the questions of a test file; None if there are none that can be asked elsewhere."""
    module = parse_python(text)
    if module is None:
        return None
    imported = dict(_find_imports(module))
    product = {name for name, (top, _) in imported.items() if top not in _STANDARD}
    found = []
    for function in (node for node in ast.walk(module) if isinstance(node, FUNCTIONS)):
        if function.name.startswith("test"):
            found += list(_find_questions(function, product, frozenset(imported), chooser))
    head = dict.fromkeys(line for _, line in imported.values())
    return QuestionSheet(path, tuple(head), tuple(found)) if found else None


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
    function: Function, product: set[str], known: frozenset[str], chooser: Chooser
) -> Iterator[Question]:
    rows = find_rows(function, all_columns=True)
    count = min((len(values) for values in rows.values()), default=0)
    fixed = _find_literals(function)
    for node in walk_straight(function.body):
        for call, expected in _find_pairs(node):
            for row in range(count or 1):
                given = {**fixed, **{name: values[row] for name, values in rows.items() if count}}
                asked, wanted = (_Substitution(given).apply(each) for each in (call, expected))
                if _can_be_asked(asked, product, known) and is_spoilable(wanted):
                    at = chooser.at(f"{node.lineno}/{row}")
                    yield _make_question(asked, wanted, node.lineno, at)


def _find_literals(function: Function) -> dict[str, ast.expr]:
    """Return names that the test binds once, to a literal."""
    bound: dict[str, list[ast.expr]] = {}
    for node in function.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
    stores = [
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    ]
    return {
        name: values[0]
        for name, values in bound.items()
        if stores.count(name) == 1 and is_spoilable(values[0])
    }


def _find_pairs(node: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Return what is compared, each with what it is compared with."""
    written = {id(each) for each in find_expected(node)}
    for each in ast.walk(node):
        sides: Sequence[ast.expr] = ()
        if isinstance(each, ast.Compare) and len(each.ops) == 1 and isinstance(each.ops[0], ast.Eq):
            sides = (each.left, each.comparators[0])
        elif isinstance(each, ast.Call) and name_of_call(each).startswith("assert"):
            sides = each.args[:2]
        if len(sides) == 2:  # noqa: PLR2004
            one, other = sides
            if id(other) in written:
                yield one, other
            elif id(one) in written:
                yield other, one


class _Substitution(ast.NodeTransformer):
    """It puts the values of a row into the place of parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def apply(self, node: ast.expr) -> ast.expr:
        copy = ast.parse(ast.unparse(node), mode="eval").body
        made: ast.expr = self.visit(copy)
        return made

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)


def _can_be_asked(node: ast.expr, product: set[str], known: frozenset[str]) -> bool:
    """Return whether a call needs nothing but imports, and asks the product with literals."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    kinds = (ast.Lambda, ast.Await, ast.NamedExpr, ast.Yield, ast.comprehension, ast.JoinedStr)
    if not names <= known | _BUILTIN or any(isinstance(each, kinds) for each in ast.walk(node)):
        return False
    asks = any(
        isinstance(each, ast.Call)
        and not {n.id for n in ast.walk(each.func) if isinstance(n, ast.Name)}.isdisjoint(product)
        for each in ast.walk(node)
    )
    return asks and bool(_find_inputs(node)) and len(ast.unparse(node)) <= _MOST_TEXT


def _find_inputs(node: ast.expr) -> list[ast.Constant]:
    """Return the literals that are given to calls."""
    found: list[ast.Constant] = []
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        for value in (*call.args, *(word.value for word in call.keywords)):
            found += [leaf for leaf in find_leaves(value) if not isinstance(leaf.value, bool)]
    return found


def _make_question(call: ast.expr, expected: ast.expr, line: int, chooser: Chooser) -> Question:
    text = ast.unparse(call)
    others = dict.fromkeys(_make_neighbour(text, chooser.at(n)) for n in range(NEIGHBOURS * 2))
    digits = sum(str(each.value).count(d) for each in _find_inputs(call) for d in "0123456789")
    kept = [other for other in others if other != text][:NEIGHBOURS]
    return Question(text, ast.unparse(expected), tuple(kept), line, digits >= _LEAST_DIGITS)


def _make_neighbour(text: str, chooser: Chooser) -> str:
    """Return the call with inputs that are a little different, so that they may still be valid.

    All numbers change together: an answer that is put together of known answers would be new.
    """
    node = ast.parse(text, mode="eval").body
    leaves = _find_inputs(node)
    numbers = [leaf for leaf in leaves if any(map(str.isdigit, str(leaf.value)))]
    for place, leaf in enumerate(numbers or [leaves[chooser.draw(len(leaves), "leaf")]]):
        leaf.value = change_a_little(leaf.value, chooser.at(place))
    return ast.unparse(node)


def write_python_program(
    sheets: Sequence[QuestionSheet], nonce: str, *, name: str, folder: str = "", python: str
) -> AskingProgram:
    """Write the program; with a `folder` it is a test there, which a runner runs."""
    questions = [question for sheet in sheets for question in sheet.questions]
    calls = [
        (number, place, call)
        for number, question in enumerate(questions)
        for place, call in enumerate((question.call, *(() if folder else question.others)))
    ]
    calls.sort(key=lambda each: min(each[1], 1))
    places = dict.fromkeys(
        place for sheet in sheets for place in (".", "src", sheet.path.rpartition("/")[0] or ".")
    )
    given = {
        "NONCE": nonce,
        "EXPECTED": [(n, question.expected) for n, question in enumerate(questions)],
        "PLACES": list(places),
        "HEAD": list(dict.fromkeys(line for sheet in sheets for line in sheet.head)),
        "CALLS": calls,
    }
    text = "".join(f"{word} = {value!r}\n" for word, value in given.items()) + _PROGRAM
    if not folder:
        return AskingProgram(f"{name}.py", text + "ask()\n", (python, f"{name}.py"))
    path = f"{folder}/test_{name}.py".removeprefix("./")
    argv = (python, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", path)
    return AskingProgram(path, f"{text}def test_{name}():\n    ask()\n", argv)
