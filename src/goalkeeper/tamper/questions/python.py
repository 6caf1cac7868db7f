"""Reads the questions of a Python test file, and writes the program that asks them."""

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
    LEAST_SECONDS,
    NEIGHBOURS,
    USUAL_NAMES,
    AskingProgram,
    Question,
    QuestionSheet,
    Renaming,
)
from goalkeeper.tamper.questions.neighbours import change_a_little, choose_leaves, choose_words
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

Bindings: TypeAlias = dict[str, ast.expr]
_RUNNERS = frozenset({"pytest", "unittest", "mock", "hypothesis", "nose"})
_STANDARD = sys.stdlib_module_names
_BUILTIN = frozenset(dir(builtins)) - {"open", "input", "print", "exit", "quit", "id", "object"}
_MOST_TEXT = 1000
_MOST_STEPS = 4
_LEAST_DIGITS = 2
# All names have a prefix of their own, because what is loaded may have any name.
_START = """\
import json as ASK9_json
import os as ASK9_os
import sys as ASK9_sys
import time as ASK9_time

ASK9_clock = ASK9_time.process_time
ASK9_say = ASK9_sys.stdout.write
ASK9_show = ASK9_json.dumps


def ASK9_tell(number, place, kind, value):
    ASK9_say("\\n%s %d %d %s %s\\n" % (ASK9_NONCE, number, place, kind, ASK9_show(value)))


def ASK9_describe(value):
    return "%s %.2000r" % (type(value).__name__, value)


def ASK9_tell_expected(names):
    for number, text in ASK9_EXPECTED[:]:
        try:
            ASK9_tell(number, 0, "expected", ASK9_describe(eval(text, dict(names))))
        except Exception:  # not loaded yet, or in a file of the tests that is not there
            continue
        ASK9_EXPECTED.remove((number, text))


def ASK9_ask():
    began = ended = ASK9_clock()
    for number, place, put in ASK9_CALLS:
        if place and ASK9_clock() > ended + max(LEAST, (ended - began) / 4):
            break
        try:
            told = "value", ASK9_describe(put())
        except BaseException as error:
            told = "error", type(error).__name__
        ASK9_tell(number, place, *told)
        ended = ended if place else ASK9_clock()


ASK9_tell_expected({})
ASK9_sys.path[:0] = ASK9_PLACES
""".replace("LEAST", str(LEAST_SECONDS))
_SAY = "ASK9_say = ASK9_sys.stdout.write\n"
_KEEP = "ASK9_said = []\nASK9_say = ASK9_said.append\n"
# Where nothing should tell of a test, hardly anything tells of anything.
_BARE = """\
for ASK9_word in [word for word in ASK9_os.environ if word not in ASK9_KEPT]:
    del ASK9_os.environ[ASK9_word]
# Tests have an input that is no pipe; other programs may.
ASK9_read, ASK9_write = ASK9_os.pipe()
ASK9_os.dup2(ASK9_read, 0)
ASK9_os.close(ASK9_read)
ASK9_os.close(ASK9_write)
"""


def read_python_questions(text: str, path: str, chooser: Chooser) -> QuestionSheet | None:
    """Return the questions of a test file; None if there are none that can be asked elsewhere."""
    module = parse_python(text)
    if module is None:
        return None
    imported = dict(_find_imports(module))
    product = {name for name, (top, _) in imported.items() if top not in _STANDARD}
    fixed = _find_bindings(module, module.body)
    found: list[Question] = []
    for function in (node for node in ast.walk(module) if isinstance(node, FUNCTIONS)):
        if function.name.startswith("test"):
            names = frozenset(imported)
            found += list(_find_questions(function, product, names, fixed, chooser))
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
    function: Function, product: set[str], known: frozenset[str], fixed: Bindings, chooser: Chooser
) -> Iterator[Question]:
    """Return the questions of a test: what it compares first, then what else it calls."""
    rows = find_rows(function, all_columns=True)
    count = min((len(values) for values in rows.values()), default=0)
    given = {**fixed, **_find_bindings(function, function.body)}
    statements = [*walk_straight(function.body)]
    pairs = [(node.lineno, *pair) for node in statements for pair in _find_pairs(node)]
    calls = [(node.lineno, call, None) for node in statements for call in _find_calls(node)]
    asked = ""
    for line, call, expected in (*pairs, *calls):
        for row in range(count or 1):
            values = {name: column[row] for name, column in rows.items()} if count else {}
            with suppress(ValueError):  # not every f-string can be written again
                put = _Substitution({**given, **values}).apply(call)
                if not _can_be_asked(put, product, known) or ast.unparse(put) in asked:
                    continue
                asked += ast.unparse(put) + "\n"
                wanted = _Substitution({**given, **values}).apply(expected) if expected else None
                if wanted and not _needs_only(wanted, known):
                    wanted = None
                yield _make_question(put, wanted, line, chooser.at(f"{line}/{row}"))


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
        return ast.Constant(eval(text, {"__builtins__": {}}))  # noqa: S307  it has only literals


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


def _find_inputs(node: ast.expr) -> list[ast.Constant]:
    """Return the literals that are given to calls."""
    found: list[ast.Constant] = []
    for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
        for value in (*call.args, *(word.value for word in call.keywords)):
            found += [leaf for leaf in find_leaves(value) if not isinstance(leaf.value, bool)]
    return found


def _make_question(
    call: ast.expr, expected: ast.expr | None, line: int, chooser: Chooser
) -> Question:
    text = ast.unparse(call)
    others = dict.fromkeys(_make_neighbour(text, n, chooser.at(n)) for n in range(NEIGHBOURS * 2))
    digits = sum(str(each.value).count(d) for each in _find_inputs(call) for d in "0123456789")
    kept = [other for other in others if other != text][:NEIGHBOURS]
    wanted = ast.unparse(expected) if expected else ""
    texts = [each.value for each in _find_inputs(call) if isinstance(each.value, str)]
    words = choose_words(texts, chooser)
    return Question(
        text,
        wanted,
        tuple(kept),
        line,
        digits >= _LEAST_DIGITS,
        renamed=tuple(Renaming(_rename_word(text, *pair), *pair) for pair in words.items()),
    )


def _rename_word(text: str, old: str, new: str) -> str:
    node = ast.parse(text, mode="eval").body
    for leaf in _find_inputs(node):
        if isinstance(leaf.value, str):
            leaf.value = leaf.value.replace(old, new)
    return ast.unparse(node)


def _make_neighbour(text: str, turn: int, chooser: Chooser) -> str:
    """Return the call with inputs that are a little different, so that they may still be valid."""
    node = ast.parse(text, mode="eval").body
    leaves = _find_inputs(node)
    numbers = [leaf for leaf in leaves if any(map(str.isdigit, str(leaf.value)))]
    for place, leaf in enumerate(choose_leaves(leaves, numbers, turn, chooser)):
        leaf.value = change_a_little(leaf.value, chooser.at(place))
    return ast.unparse(node)


def write_python_program(
    sheets: Sequence[QuestionSheet],
    nonce: str,
    *,
    name: str,
    folder: str = "",
    python: str,
    kept: Sequence[str] = USUAL_NAMES,
) -> AskingProgram:
    """Write the program; with a `folder` it is a test there, which a runner runs."""
    questions = [question for sheet in sheets for question in sheet.questions]
    calls = [
        (number, place, call)
        for number, question in enumerate(questions)
        for place, call in enumerate(
            (question.call, *(() if folder else question.list_other_calls()))
        )
    ]
    calls.sort(key=lambda each: min(each[1], 1))
    places = dict.fromkeys(
        place for sheet in sheets for place in (".", "src", sheet.path.rpartition("/")[0] or ".")
    )
    given = {
        "NONCE": nonce,
        "KEPT": [*kept],
        "EXPECTED": [(n, put.expected) for n, put in enumerate(questions) if put.expected],
        "PLACES": list(places),
    }
    start = "".join(f"ASK9_{word} = {value!r}\n" for word, value in given.items()) + _START
    head = dict.fromkeys(line for sheet in sheets for line in sheet.head)
    loading = "".join(f"try:\n    {line}\nexcept Exception:\n    pass\n" for line in head)
    # They stand in the program itself: who is called can look at the module of the caller.
    asking = "".join(f"    ({n}, {place}, lambda: {call}),\n" for n, place, call in calls)
    text = f"{loading}ASK9_tell_expected(globals())\nASK9_CALLS = [\n{asking}]\n"
    if not folder:
        own = name.rpartition("/")[2]
        # It lies at the top: in a package, modules of it would hide those of the language.
        called = f"ASK9_sys.argv[0] = {name + '.py'!r}\n"
        whole = f"{start}{called}{_BARE}{text}ASK9_ask()\n".replace("ASK9_", f"{own}_")
        return AskingProgram(f"{own}.py", whole, (python, f"{own}.py"))
    path = f"{folder}/test_{name}.py".removeprefix("./")
    # What a test prints is shown at the end: its standard streams are the runner's, as they are.
    argv = (python, "-m", "pytest", "-q", "-rP", "-p", "no:cacheprovider", path)
    start = start.replace(_SAY, _KEEP)
    body = ("ASK9_ask()", "print(''.join(ASK9_said))", "assert ASK9_CALLS")
    test = f"def test_{name}():\n" + "".join(f"    {line}\n" for line in body)
    return AskingProgram(path, f"{start}{text}{test}".replace("ASK9_", f"{name}_"), argv)
