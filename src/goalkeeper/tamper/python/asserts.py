"""Reads assertions and skips of pytest, unittest and others in one common form."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from typing import cast

from goalkeeper.tamper.python.conditions import holds_here
from goalkeeper.tamper.python.names import (
    Node,
    fields_of,
    find_parts,
    forget_kept,
    is_literal,
    is_true,
    literals_in,
    names_in,
    plain_name,
    string,
    walk_all,
)
from goalkeeper.tamper.python.writing import code_of
from goalkeeper.tamper.testing import Assertion, Details, SkipMark, Strictness
from goalkeeper.tamper.words import read_table, read_words

Values = Mapping[str, ast.expr]

MOST_ROWS = 500  # each of thousands of tests may have the same table
MOST_NODES = 300  # the limit of an expression with its locals written out
_CONTRARY: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_LOOSER_WHEN_LARGER = {"rel", "abs", "rel_tol", "abs_tol", "rtol", "atol", "delta", "nulp"}
_LOOSER_WHEN_SMALLER = {"places", "decimal", "significant", "ndigits"}
_ANY_ERROR = {"Exception", "BaseException"}
_WEAK_CALLS = {"assertIsNotNone", "assertIsInstance", "assert_called", "assert_awaited", "assert_"}
_MARKS = {"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"}
_CONDITIONAL = {"skipif", "skipIf", "skipUnless", "xfail"}
_CALLS = {"pytest.skip", "pytest.xfail", "pytest.importorskip", "self.skipTest", "skip.skip"}
_SKIPPING_CALLS = {word.rpartition(".")[2] for word in _CALLS}
_RAISED = {"SkipTest", "unittest.SkipTest", "pytest.skip.Exception", "unittest.case.SkipTest"}


def _rewrite(node: Node, change: Callable[[ast.AST], ast.AST | None]) -> Node:
    """Return the node with changed parts; what does not change is shared, not copied."""
    changed = change(node)
    if changed is not None:
        return cast("Node", changed)
    fresh: dict[str, object] = {}
    for name in fields_of(node):
        value: object = getattr(node, name, None)
        if isinstance(value, ast.AST):
            if (part := _rewrite(value, change)) is not value:
                fresh[name] = part
        elif isinstance(value, list):
            parts = [_rewrite(x, change) if isinstance(x, ast.AST) else x for x in value]
            if any(now is not was for now, was in zip(parts, value, strict=True)):
                fresh[name] = parts
    if not fresh:
        return node
    made = node.__class__.__new__(node.__class__)
    made.__dict__.update({**node.__dict__, **fresh})
    return forget_kept(made)


def _write_names(node: Node, values: Values) -> Node:
    def change(part: ast.AST) -> ast.AST | None:
        match part:
            case ast.Name(id=name, ctx=ast.Load()):
                return values.get(name, part)
            case ast.Subscript(value=ast.Name(id=name)) if isinstance(values.get(name), ast.Dict):
                # A table may grow; its entries are compared one by one.
                key = _rewrite(part.slice, change)
                return part if key is part.slice else ast.Subscript(part.value, key, part.ctx)
            case ast.JoinedStr(values=parts):
                # It is written as a call, because not every expression fits into an f-string.
                inner = [x.value if isinstance(x, ast.FormattedValue) else x for x in parts]
                given = [_rewrite(each, change) for each in inner]
                return ast.Call(func=ast.Name(id="f", ctx=ast.Load()), args=given, keywords=[])
            case _:
                return None

    return _rewrite(node, change)


def _is_written_anew(node: ast.AST, values: Values) -> bool:
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name):
            if part.id in values:
                return True
        elif isinstance(part, ast.JoinedStr):
            return True
        else:
            waiting += find_parts(part)
    return False


def _blank_literals(node: Node) -> Node:
    blank = ast.Name(id="_", ctx=ast.Load())
    return _rewrite(node, lambda part: blank if is_literal(part) else None)


def write_out(node: Node, values: Values) -> Node:
    """Replace every known name by what it stands for, unless that grows too large."""
    if not _is_written_anew(node, values):
        return node
    full = _write_names(node, values)
    if full is node or sum(1 for _ in islice(walk_all(full), MOST_NODES + 1)) <= MOST_NODES:
        return full
    return _write_names(node, {})


def find_table(node: ast.expr, values: Values) -> ast.expr:
    """Return what a table stands for: it is read row by row, so that long rows do not matter."""
    table = values.get(node.id) if isinstance(node, ast.Name) else None
    is_read = isinstance(table, ast.List | ast.Tuple) and len(table.elts) <= MOST_ROWS
    return table if table is not None and is_read else write_out(node, values)


def call_name(node: ast.AST) -> str:
    """Return the last name of what is called."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_assertion_call(node: ast.AST) -> bool:
    name = call_name(node)
    if name in read_words("python-raiser"):
        return True
    if name == "fail" and isinstance(node, ast.Call):
        return plain_name(node.func) in {"pytest.fail", "self.fail"}
    return name.startswith(("assert", "assert_")) and name != "assert_type"


def of_test(test: ast.expr, *, line: int, values: Values) -> Iterator[Assertion]:
    """Read what `assert test` asserts; each side of an `and` is an assertion."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from of_test(part, line=line, values=values)
        return
    yield _make_assertion(_write_plainly(write_out(test, values)), line)


def of_call(call: ast.Call, *, line: int, values: Values) -> Iterator[Assertion]:
    template = read_table("unittest").get(call_name(call), "")
    if template and len(call.args) > ("b" in template):
        given = dict(zip("ab", call.args, strict=False))
        test = _write_names(_parse_template(template), given)
        yield from of_test(test, line=line, values=values)
    else:
        yield _make_assertion(write_out(call, values), line)


@cache
def _parse_template(template: str) -> ast.expr:
    return ast.parse(template, mode="eval").body


def of_raises(
    call: ast.Call, body: list[ast.stmt], *, line: int, values: Values
) -> Iterator[Assertion]:
    """Read `with pytest.raises(…):` and the like, which assert something of all below them."""
    full = write_out(call, values)
    below = "; ".join(code_of(write_out(statement, values)) for statement in body)
    name = "raises" if call_name(call).startswith("assertRaises") else call_name(call)
    kinds = [code_of(argument) for argument in full.args[:1]]
    pattern = _find_pattern(full)
    text = f"{name}({', '.join([*kinds, repr(pattern)] if pattern else kinds)}): {below}"
    strength = Strictness.TRUTH if set(kinds) & _ANY_ERROR else Strictness.RELATION

    def read_details() -> Details:
        return Details(
            f"{name}: {below}",
            below,
            pattern=pattern,
            names=names_in(full).union(*(names_in(statement) for statement in body)),
            literals=frozenset().union(*(literals_in(statement) for statement in body)),
        )

    yield Assertion(text, strength, line, cache(read_details))


def _write_plainly(test: ast.expr) -> ast.expr:
    """Return one of the ways to write a comparison: the literal to the right, and without `not`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(left, [operator], others)) if (
            operator.__class__ in _CONTRARY
        ):
            return _write_plainly(ast.Compare(left, [_CONTRARY[operator.__class__]()], others))
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if is_literal(
            left
        ) and not is_literal(right):
            return ast.Compare(left=right, ops=[ast.Eq()], comparators=[left])
        case _:
            return test


def _make_assertion(node: ast.expr, line: int) -> Assertion:
    read = cache(partial(_read_details, node))
    return Assertion(code_of(node), _weigh_strength(node), line, read)


def _read_details(node: ast.expr) -> Details:
    return Details(
        code_of(_blank_literals(node)),
        _find_subject(node),
        tuple(sorted(_find_slack(node))),
        _find_pattern(node),
        _is_narrowing(node),
        names_in(node),
        literals_in(node),
    )


def _is_narrowing(node: ast.expr) -> bool:
    match node:
        case (
            ast.Call(func=ast.Name(id="isinstance"))
            | ast.Compare(ops=[ast.IsNot()], comparators=[ast.Constant(value=None)])
        ):
            return True
        case _:
            return False


def _find_subject(node: ast.expr) -> str:
    match node:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len" | "bool" | "str" | "type"), args=[inner])
        ):
            return code_of(inner)
        case ast.Compare(left=left):
            return code_of(left)
        case ast.UnaryOp(operand=operand):
            return _find_subject(operand)
        case ast.BoolOp(values=[first, *_]):
            return _find_subject(first)
        case ast.Call(args=[first, *_]) if is_assertion_call(node) or call_name(node) in {
            "isinstance", "hasattr", "callable", "bool", "len", "isclose", "all", "any",
        }:  # fmt: skip
            return code_of(first)
        case _:
            return code_of(node)


def _weigh_strength(node: ast.expr) -> Strictness:
    if is_true(node):
        return Strictness.NOTHING
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _weigh_comparison(left, operator, right)
        case ast.Compare(left=left, ops=operators, comparators=others):
            sides = zip((left, *others), operators, others, strict=False)
            return max(_weigh_comparison(*each) for each in sides)  # each of them must hold
        case ast.BoolOp(values=values):
            weakest = min(_weigh_strength(value) for value in values)
            return min(weakest, Strictness.RELATION)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare()):
            return Strictness.RELATION
        case ast.Call():
            return _weigh_call(node)
        case _:
            return Strictness.TRUTH


def _weigh_comparison(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Strictness:
    if is_literal(left) and is_literal(right):
        return Strictness.NOTHING
    if isinstance(operator, ast.Eq | ast.Is):
        return Strictness.TRUTH if call_name(left) == "type" else Strictness.EQUALITY
    if isinstance(operator, ast.NotEq | ast.IsNot):
        return Strictness.TRUTH
    if isinstance(operator, ast.Gt | ast.GtE) and call_name(left) == "len":
        at_least_one = isinstance(right, ast.Constant) and right.value in {0, 1}
        return Strictness.TRUTH if at_least_one else Strictness.RELATION
    return Strictness.RELATION


def _weigh_call(node: ast.Call) -> Strictness:
    name = call_name(node)
    if name in read_words("python-exact"):
        return Strictness.EQUALITY
    if name in _WEAK_CALLS or name in {"isinstance", "hasattr", "callable", "bool"}:
        return Strictness.TRUTH
    known = {"match", "search", "fullmatch", "startswith", "endswith", "isclose", "allclose", "all"}
    return Strictness.RELATION if is_assertion_call(node) or name in known else Strictness.TRUTH


def _find_slack(node: ast.expr) -> Iterator[tuple[str, float]]:
    for part in walk_all(node):
        if isinstance(part, ast.Call):
            yield from _find_call_slack(part)
        match part:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="abs")),
                ops=[ast.Lt() | ast.LtE()],
                comparators=[ast.Constant(value=int() | float() as bound)],
            ):
                yield "difference", float(bound)
            case _:
                pass


def _find_call_slack(call: ast.Call) -> Iterator[tuple[str, float]]:
    name = call_name(call)
    if name in {"approx", "assertAlmostEqual", "isclose", "assert_allclose"}:
        yield name, 0.0
    for keyword in call.keywords:
        value = _read_number(keyword.value)
        if value is None:
            continue
        if keyword.arg in _LOOSER_WHEN_LARGER:
            yield str(keyword.arg), value
        elif keyword.arg in _LOOSER_WHEN_SMALLER:
            yield str(keyword.arg), -value
    positional = {"approx": (1, 1.0), "assertAlmostEqual": (2, -1.0), "round": (1, -1.0)}
    index, sign = positional.get(name, (0, 0.0))
    value = _read_number(call.args[index]) if index and len(call.args) > index else None
    if value is not None:
        yield {"approx": "rel", "assertAlmostEqual": "places"}.get(name, name), sign * value


def _read_number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -float(value)
        case _:
            return None


def _find_pattern(node: ast.expr) -> str:
    for part in walk_all(node):
        if not isinstance(part, ast.Call):
            continue
        for keyword in part.keywords:
            if keyword.arg == "match":
                return string(keyword.value) or code_of(keyword.value)
        name = call_name(part)
        if name in {"match", "search", "fullmatch", "compile"} and part.args:
            return string(part.args[0]) or ""
        if name in {"assertRegex", "assertRaisesRegex", "assertNotRegex"} and len(part.args) > 1:
            return string(part.args[1]) or ""
    return ""


def skip_of_decorator(decorator: ast.expr) -> SkipMark | None:
    """Read a mark. It may be a decorator, or stand in `pytestmark` or `pytest.param(marks=…)`."""
    call = decorator.func if isinstance(decorator, ast.Call) else decorator
    word = code_of(call)
    last = word.rpartition(".")[2]
    if last not in _MARKS or not (word == last or "mark." in word or "unittest" in word):
        return None
    return SkipMark(
        f"@{word}",
        decorator.lineno,
        xfail=last in {"xfail", "expectedFailure"},
        elsewhere=_is_elsewhere(decorator, last),
    )


def _is_elsewhere(decorator: ast.expr, last: str) -> bool:
    """Return whether a condition decides, which may not hold here."""
    if not isinstance(decorator, ast.Call) or last not in _CONDITIONAL:
        return False
    keywords = {keyword.arg: keyword.value for keyword in decorator.keywords}
    condition = decorator.args[0] if decorator.args else keywords.get("condition")
    if condition is None or is_literal(condition):
        return False
    holds = holds_here(condition)
    return holds is None or holds is (last == "skipUnless")


def skip_of_call(call: ast.Call) -> SkipMark | None:
    if call_name(call) not in _SKIPPING_CALLS:
        return None
    word = code_of(call.func)
    if word in _CALLS or word.endswith(".skipTest"):
        return SkipMark(f"{word}()", getattr(call, "lineno", 0), xfail=word == "pytest.xfail")
    return None


def skip_of_raise(statement: ast.Raise) -> SkipMark | None:
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    word = code_of(raised) if raised is not None else ""
    return SkipMark(f"raise {word}", statement.lineno) if word in _RAISED else None


def skips_in_marks(value: ast.expr) -> list[SkipMark]:
    """Read the skips in `pytestmark`, which holds one mark or a list of them."""
    marks = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return [skip for mark in marks if (skip := skip_of_decorator(mark))]
