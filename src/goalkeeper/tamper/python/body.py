"""Reads what one Python test asserts, on what conditions, and what it mocks."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from goalkeeper.tamper.python.asserts import (
    Values,
    call_name,
    find_table,
    is_assertion_call,
    of_call,
    of_raises,
    of_test,
    skip_of_call,
    skip_of_raise,
    write_out,
)
from goalkeeper.tamper.python.conditions import holds_here
from goalkeeper.tamper.python.names import (
    Function,
    is_false,
    is_literal,
    is_true,
    parameters,
    walk_all,
    without_docstring,
)
from goalkeeper.tamper.python.survey import may_assert, name_called, survey
from goalkeeper.tamper.python.writing import code_of
from goalkeeper.tamper.testing import Assertion, SkipMark
from goalkeeper.tamper.words import read_words
from goalkeeper.wire.value import Value

MOST_HELPERS = 3  # helpers that call helpers are followed so deep
_BROAD = {"Exception", "BaseException", "AssertionError"}

Find = Callable[[str], Function | None]


class StatementContext(Value):
    """What surrounds a statement."""

    swallowed: bool = False
    conditional: bool = False
    holds: bool = False  # the condition is known to hold here


class PythonBodyReader:
    """Reads a function's statements in order; what it found is in its fields."""

    def __init__(self, find: Find, constants: Values, *, depth: int = 0) -> None:
        self.find = find
        self.constants = constants
        self.depth = depth
        self.assertions: list[Assertion] = []
        self.skips: list[SkipMark] = []
        self.cases: list[str] = []
        self.mocked: set[str] = set()
        self.early_return = 0
        self._values: dict[str, ast.expr] = dict(constants)
        self._assigned: Counter[str] = Counter()
        self._local: dict[str, Function] = {}
        self._returned = 0
        self._own: frozenset[str] = frozenset()
        self._lent: frozenset[str] = frozenset()  # what others get may not be what it was

    def read(self, function: Function, given: Mapping[str, ast.expr] | None = None) -> None:
        known = survey(function)
        self._own, self._assigned, self._lent = known.own, known.assigned, known.lent
        for name in parameters(function):
            self._values.pop(name, None)
        self._values.update(given or {})
        self._read_block(without_docstring(function.body), StatementContext())

    def _read_block(self, statements: Iterable[ast.stmt], around: StatementContext) -> bool:
        """Return whether the end of the block is never reached."""
        rest = list(statements)
        for index, statement in enumerate(rest):
            if self._read_statement(statement, around):
                if isinstance(statement, ast.Return) and _has_assertion(rest[index + 1 :]):
                    self.early_return = self.early_return or statement.lineno
                return True
            if _is_guard(statement):
                around = around.replace(conditional=True)
        return False

    def _read_statement(self, statement: ast.stmt, around: StatementContext) -> bool:
        if self._returned and not self.early_return and _has_assertion([statement]):
            self.early_return = self._returned
        match statement:
            case ast.Return():
                self._read_expressions(statement, around)
                return True
            case ast.Raise():
                self._read_raise(statement, around)
                return True
            case ast.Assert(test=test):
                self._add_assertions(
                    of_test(test, line=statement.lineno, values=self._values), around
                )
                self._read_expressions(statement, around)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._local[statement.name] = statement
            case ast.If():
                return self._read_if(statement, around)
            case ast.For() | ast.AsyncFor():
                self._read_for(statement, around)
            case ast.While(test=test, body=body):
                if not is_false(test):
                    self._read_block(body, around)
            case ast.With() | ast.AsyncWith():
                return self._read_with(statement, around)
            case ast.Try():
                return self._read_try(statement, around)
            case ast.Match(cases=cases):
                for case in cases:
                    self._read_block(case.body, around.replace(conditional=True))
            case _:
                self._remember_value(statement, self._read_expressions(statement, around))
        return False

    def _read_if(self, statement: ast.If, around: StatementContext) -> bool:
        if is_true(statement.test):
            return self._read_returning(statement.body, around)
        if is_false(statement.test):
            return self._read_returning(statement.orelse, around)
        both = _has_assertion(statement.body) and _has_assertion(statement.orelse)
        holds = holds_here(statement.test)  # a branch that is taken here is no condition
        hedged = around.replace(conditional=True, holds=is_literal(statement.test))
        ends = self._read_block(statement.body, around if both or holds is True else hedged)
        if ends and _has_return(statement.body) and not _has_assertion(statement.body):
            self._returned = self._returned or statement.lineno
        other = around if both or holds is False else hedged
        return self._read_block(statement.orelse, other) and ends

    def _read_returning(self, body: list[ast.stmt], around: StatementContext) -> bool:
        ends = self._read_block(body, around)
        if ends and _has_return(body):
            self._returned = self._returned or body[0].lineno
            return False  # the assertions below must be seen, and seen to be dead
        return ends

    def _read_for(self, statement: ast.For | ast.AsyncFor, around: StatementContext) -> None:
        iterated = find_table(statement.iter, self._values)
        if is_false(iterated):
            return
        if isinstance(iterated, ast.List | ast.Tuple) and _has_assertion(statement.body):
            self.cases += [code_of(case) for case in iterated.elts]
        self._read_block(statement.body, around)
        self._read_block(statement.orelse, around)

    def _read_with(self, statement: ast.With | ast.AsyncWith, around: StatementContext) -> bool:
        for item in statement.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and call_name(call) in read_words("python-raiser"):
                found = of_raises(call, statement.body, line=statement.lineno, values=self._values)
                self._add_assertions(found, around)
                continue
            if call_name(call) == "suppress" and isinstance(call, ast.Call):
                broad = any(_is_broad(argument) for argument in call.args)
                around = around.replace(swallowed=around.swallowed or broad)
            self._read_expressions(ast.Expr(call), around)
        return self._read_block(statement.body, around)

    def _read_try(self, statement: ast.Try, around: StatementContext) -> bool:
        swallowing = any(_is_swallowing(handler) for handler in statement.handlers)
        inner = around.replace(swallowed=True) if swallowing else around
        self._read_block(statement.body, inner)
        for handler in statement.handlers:
            self._read_block(handler.body, around.replace(conditional=True))
        self._read_block(statement.orelse, around)
        return self._read_block(statement.finalbody, around)

    def _read_raise(self, statement: ast.Raise, around: StatementContext) -> None:
        if skip := skip_of_raise(statement):
            self.skips.append(self._weigh_skip(skip, around))
        elif call_name(statement.exc or statement) == "AssertionError":
            # As an assertion it says only that its condition must not hold.
            test = ast.Name(id="raised", ctx=ast.Load())
            self._add_assertions(of_test(test, line=statement.lineno, values={}), around)

    def _read_expressions(self, statement: ast.AST, around: StatementContext) -> list[str]:
        """Read the calls in a statement; return the names that it gives values."""
        stored: list[str] = []
        for node in walk_all(statement):
            if isinstance(node, ast.Call):
                self._read_call(node, around)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stored.append(node.id)
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            # `module.function = …` in a test is a mock, too; in a class of its own it is none.
            if (
                isinstance(target, ast.Attribute)
                and getattr(target.value, "id", "") not in self._own
            ):
                self.mocked.add(target.attr)
        return stored

    def _read_call(self, call: ast.Call, around: StatementContext) -> None:
        line = getattr(call, "lineno", 0)
        if skip := skip_of_call(call):
            self.skips.append(self._weigh_skip(skip, around))
        elif is_assertion_call(call) and not self._find_helper(call):
            head, body = _split_raising(call)
            read = partial(of_raises, head, body) if body else partial(of_call, call)
            self._add_assertions(read(line=line, values=self._values), around)
        elif target := mock_target(call):
            self.mocked.add(target)
        else:
            self._read_helper(call, around)

    def _weigh_skip(self, skip: SkipMark, around: StatementContext) -> SkipMark:
        is_asked_first = around.conditional and not around.holds
        return skip.replace(elsewhere=skip.elsewhere or is_asked_first)

    def _find_helper(self, call: ast.Call) -> Function | None:
        return self._find_named(name_called(call))

    def _find_named(self, name: str) -> Function | None:
        return self._local.get(name) or self.find(name)

    def _read_helper(self, call: ast.Call, around: StatementContext) -> None:
        """Read a helper, whose assertions count as if they stood here."""
        helper = self._find_helper(call) if self.depth < MOST_HELPERS else None
        if helper is None or not may_assert(helper, self._find_named):
            return
        inner = PythonBodyReader(self._find_named, self.constants, depth=self.depth + 1)
        inner.read(helper, _bind_arguments(helper, call, self._values))
        if not inner.assertions:
            return
        line = getattr(call, "lineno", 0)
        self._add_assertions(
            (assertion.replace(line=line) for assertion in inner.assertions), around
        )
        self.skips += [skip.replace(line=line) for skip in inner.skips]
        self.cases += inner.cases

    def _add_assertions(self, found: Iterable[Assertion], around: StatementContext) -> None:
        if not around.swallowed and not around.conditional:
            self.assertions += found
            return
        for assertion in found:
            self.assertions.append(
                assertion.replace(
                    swallowed=assertion.swallowed or around.swallowed,
                    conditional=assertion.conditional or around.conditional,
                )
            )

    def _remember_value(self, statement: ast.stmt, stored: Iterable[str]) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._assigned[
                name
            ] == 1 and not self._may_vary(name, value):
                self._values[name] = write_out(value, self._values)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                not self._may_vary(name, value)
            ):
                self._values[name] = write_out(value, self._values)
            case _:
                for name in stored:
                    self._values.pop(name, None)

    def _may_vary(self, name: str, value: ast.expr) -> bool:
        return name in self._lent and isinstance(value, ast.List | ast.Dict | ast.Set)


def mock_target(call: ast.Call) -> str:
    """Return the last name of what `patch` or `monkeypatch` replaces."""
    name, args = call_name(call), call.args
    if name not in {"object", "patch", "setattr"}:
        return ""
    owner = code_of(call.func)
    if name == "object" and owner.endswith("patch.object") and len(args) > 1:
        return str(getattr(args[1], "value", ""))
    if name == "patch" and args:
        return str(getattr(args[0], "value", "")).rpartition(".")[2]
    if owner == "monkeypatch.setattr" and args:
        named = args[0] if isinstance(args[0], ast.Constant) else args[1] if args[1:] else args[0]
        return str(getattr(named, "value", "")).rpartition(".")[2]
    return ""


def _split_raising(call: ast.Call) -> tuple[ast.Call, list[ast.stmt]]:
    """Split `assertRaises(E, f, 1)` into `assertRaises(E)` and what would stand below it."""
    name = call_name(call)
    least = 2 if name.endswith("Regex") else int(name != "deprecated_call")
    if name not in read_words("python-raiser") or len(call.args) <= least:
        return call, []
    called, *given = call.args[least:]
    inner: ast.expr = ast.Call(called, given, call.keywords)
    if isinstance(called, ast.Lambda) and not given:
        inner = called.body
    return ast.Call(call.func, call.args[:least], []), [ast.Expr(inner)]


def _bind_arguments(function: Function, call: ast.Call, values: Values) -> dict[str, ast.expr]:
    names = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    defaults = function.args.defaults
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=False))
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=False):
        if default is not None:
            given[argument.arg] = default
    given.update(zip(names, call.args, strict=False))
    given.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    return {name: write_out(value, values) for name, value in given.items()}


def _has_assertion(statements: Iterable[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Assert) or is_assertion_call(node)
        for statement in statements
        for node in walk_all(statement)
    )


def _is_guard(statement: ast.stmt) -> bool:
    """Return whether what follows in a loop is for some turns only."""
    match statement:
        case ast.If(test=test, body=[*_, ast.Continue() | ast.Break()]):
            return not is_false(test) and holds_here(test) is None
        case _:
            return False


def _has_return(statements: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return) for node in statements)


def _is_broad(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(getattr(each, "id", getattr(each, "attr", "")) in _BROAD for each in kinds)


def _is_swallowing(handler: ast.ExceptHandler) -> bool:
    raises = any(isinstance(node, ast.Raise) for node in walk_all(handler))
    return _is_broad(handler.type) and not raises and not _has_assertion(handler.body)


def find_constants(module: ast.Module, known: Values | None = None) -> dict[str, ast.expr]:
    """Find names at module level that stand for one literal; `known` are those it imports."""
    found: dict[str, ast.expr] = dict(known or {})
    again: set[str] = set()
    mine: set[str] = set()
    for statement in module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                pass
            case _:
                continue
        if name in mine:
            again.add(name)
        mine.add(name)
        if is_literal(value) or isinstance(value, ast.List | ast.Tuple | ast.Dict):
            found[name] = write_out(value, found)
    return {name: value for name, value in found.items() if name not in again}
