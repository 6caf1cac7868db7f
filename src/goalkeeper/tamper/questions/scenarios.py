"""Scenarios: what a Python test does, step by step, up to what it compares.

A test that has fixtures, or objects with a state, asks nothing that can be written as one call. So
its steps are written down with those of its fixtures, and what is compared comes last. Where that
is not what the runner does, the question has no expected answer with signs of a test either, and
nothing is held against the work.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from goalkeeper.tamper.questions.given import CASE, GIVEN, WRITTEN
from goalkeeper.tamper.spoiling.expectations import (
    FUNCTIONS,
    RAISES,
    Function,
    is_written,
    name_of_call,
)
from goalkeeper.wire.value import Value

_BUILTIN = frozenset(dir(builtins)) | {"__name__", "__file__", "ASK9_UNDO"}
# What only a runner has, or what stands for the product.
_RUNNER_ONLY = frozenset({"pytest", "mock", "patch", "Mock", "MagicMock", "hypothesis", "unittest"})
_MOST_TEXT = 4000
_MOST_DEPTH = 5  # fixtures that need fixtures are followed so deep


class Scenario(Value):
    """Steps that end with an expression, and what the test compares it with."""

    text: str
    expected: ast.expr
    line: int


class ScenarioReader(Value):
    """Reads scenarios; `modules` are those of the harness, and last the test's own."""

    modules: Sequence[ast.Module]
    imported: frozenset[str]
    path: str

    @cached_property
    def _fixtures(self) -> Mapping[str, Function]:
        return {f.name: f for f in self._list_functions() if _is_fixture(f)}

    @cached_property
    def _defined(self) -> Mapping[str, ast.stmt]:
        """Return what the modules define at their tops, by name, but for tests and fixtures."""
        found: dict[str, ast.stmt] = {}
        for node in (node for module in self.modules for node in module.body):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    found[name] = node
                case (
                    ast.Assign(targets=[ast.Name(id=name)])
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr())
                ):
                    found[name] = node
                case _:
                    pass
        return {name: node for name, node in found.items() if name not in self._fixtures}

    def _list_functions(self) -> Iterator[Function]:
        nodes = (node for module in self.modules for node in module.body)
        return (node for node in nodes if isinstance(node, FUNCTIONS))

    def read(
        self, function: Function, owner: ast.ClassDef | None, row: Mapping[str, ast.expr]
    ) -> Iterator[Scenario]:
        """Yield what a test compares; nothing where it needs what only a runner has."""
        steps = self._prepare(function, owner, row)
        if steps is None:
            return
        is_async = isinstance(function, ast.AsyncFunctionDef)
        for statement in function.body:
            if isinstance(statement, ast.Return | ast.Raise):
                return
            if isinstance(statement, ast.With) and _catches(statement):
                continue
            pair = _find_compared(statement)
            if pair is not None:
                if text := self._write(steps, pair[0], is_async=is_async):
                    yield Scenario(text, pair[1], statement.lineno)
                steps = [*steps, ast.Expr(pair[0])]
            elif isinstance(statement, ast.Assert):
                steps = [*steps, ast.Expr(statement.test)]
            else:
                steps = [*steps, statement]

    def _prepare(
        self, function: Function, owner: ast.ClassDef | None, row: Mapping[str, ast.expr]
    ) -> list[ast.stmt] | None:
        names = [each.arg for each in function.args.args]
        steps: list[ast.stmt] = []
        own = [each for each in (owner.body if owner else ()) if isinstance(each, FUNCTIONS)]
        if owner is not None and names[:1] == ["self"]:
            begin = next((each.body for each in own if each.name in {"setUp", "setup_method"}), [])
            begin = [each for each in begin if not ast.unparse(each).startswith("super()")]
            steps += [*_write_case(owner, [*begin, function]), *begin]
            names = names[1:]
        fixtures = {**self._fixtures, **{each.name: each for each in own if _is_fixture(each)}}
        done: dict[str, list[ast.stmt]] = {}
        for name in names:
            if name in row:
                steps.append(_bind(name, row[name]))
            elif not _follow(name, fixtures, done, _MOST_DEPTH):
                return None
        return [*steps, *(step for each in done.values() for step in each)]

    def _write(self, steps: Sequence[ast.stmt], last: ast.expr, *, is_async: bool) -> str:
        """Return the text with all that it names; empty if that cannot be had elsewhere."""
        nodes: list[ast.stmt] = [*steps, ast.Expr(last)]
        known = _BUILTIN | self.imported | _list_bound(nodes)
        needed: dict[str, ast.stmt] = {}
        waiting = [name for node in nodes for name in _list_used(node)]
        while waiting:
            name = waiting.pop()
            if name in _RUNNER_ONLY:
                return ""
            if name in known or name in needed:
                continue
            if name not in self._defined:
                return ""
            needed[name] = self._defined[name]
            waiting += [each for each in _list_used(needed[name]) if each != name]
            known |= _list_bound([needed[name]])
        # What was found last is needed by what was found before it.
        tops = [*reversed(needed.values())]
        if any("__file__" in _list_used(node) for node in (*tops, *nodes)):
            tops[:0] = ast.parse(f"__file__ = __import__('os').path.abspath({self.path!r})").body
        try:
            text = "\n".join(map(ast.unparse, [*tops, *(_await(nodes) if is_async else nodes)]))
        except ValueError:  # a number may have too many digits to be written
            return ""
        return text if len(text) <= _MOST_TEXT else ""


def _write_case(owner: ast.ClassDef, using: Sequence[ast.AST]) -> list[ast.stmt]:
    """Return what makes the object of a test, with what it has and its steps use."""
    case, made = ast.parse(CASE).body
    waiting = list(using)
    taken: set[int] = set()
    while waiting:
        nodes = ast.walk(waiting.pop())
        named = {each.attr for each in nodes if isinstance(each, ast.Attribute)}
        fresh = [e for e in owner.body if id(e) not in taken and _names(e) & named]
        taken |= {id(each) for each in fresh}
        waiting += fresh
    if isinstance(case, ast.ClassDef):
        case.body = [*(each for each in owner.body if id(each) in taken), *case.body]
    return [case, made]


def _names(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a class gives to its objects."""
    match node:
        case ast.FunctionDef(name=name) if not _is_fixture(node) and not name.startswith("test"):
            return {name}
        case ast.Assign(targets=targets):
            return {each.id for each in targets if isinstance(each, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return {name}
        case _:
            return set()


def _await(nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return steps, of which the last is an expression, as those of a loop of events."""
    function, call = ast.parse("async def steps(): pass\n__import__('asyncio').run(steps())").body
    last = nodes[-1]
    if isinstance(function, ast.AsyncFunctionDef) and isinstance(last, ast.Expr):
        function.body = [*nodes[:-1], ast.Return(last.value)]
    return [function, call]


def _follow(
    name: str, fixtures: Mapping[str, Function], done: dict[str, list[ast.stmt]], depth: int
) -> bool:
    """Put the steps of a fixture, and before it those that it needs, into `done`."""
    if name in done or name in GIVEN:
        done.setdefault(name, ast.parse(GIVEN.get(name, "")).body)
        return True
    fixture = fixtures.get(name)
    if fixture is None or not depth or isinstance(fixture, ast.AsyncFunctionDef):
        return False
    needed = [each.arg for each in fixture.args.args if each.arg != "self"]
    if not all(_follow(each, fixtures, done, depth - 1) for each in needed):
        return False
    steps = _read_fixture(fixture)
    if steps is not None:
        done[name] = steps
    return steps is not None


def find_varied(module: ast.Module) -> list[ast.Constant]:
    """Return the literals of a scenario that are given to something; keys stay as they are."""
    nodes = [*ast.walk(module)]
    kept = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Subscript | ast.JoinedStr)
        for part in ast.walk(node.slice if isinstance(node, ast.Subscript) else node)
    }
    kept |= {
        id(part)
        for node in nodes
        if isinstance(node, ast.Call) and name_of_call(node) in {"__import__", "abspath"}
        for part in node.args
    }
    kept |= {
        id(part)
        for node in nodes
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in WRITTEN
        for part in ast.walk(node)
    }
    kept |= {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str | int | float)
        and not isinstance(node.value, bool)
        and id(node) not in kept
    ]


def acts(function: Function) -> bool:
    """Return whether a test does more than to name values and compare them."""
    plain = (ast.Assign, ast.Assert, ast.Pass)
    return any(
        not isinstance(node, plain)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and _find_compared(node) is None
        and not (isinstance(node, ast.With) and _catches(node))
        for node in function.body
    )


def read_harness(path: str, read: Callable[[str], ast.Module | None]) -> list[ast.Module]:
    """Return the modules that give fixtures to all tests below them, the outermost first."""
    parts = path.split("/")[:-1]
    folders = ["/".join(parts[:count]) for count in range(len(parts) + 1)]
    found = (read(f"{folder}/conftest.py".removeprefix("/")) for folder in folders)
    return [module for module in found if module is not None]


def _is_fixture(function: Function) -> bool:
    return any("fixture" in ast.unparse(mark) for mark in function.decorator_list)


def _read_fixture(fixture: Function) -> list[ast.stmt] | None:
    """Return the steps that make what a fixture gives; None if it gives it on several ways."""
    steps: list[ast.stmt] = []
    for node in fixture.body:
        match node:
            case (
                ast.Return(value=ast.expr() as value)
                | ast.Expr(value=ast.Yield(value=ast.expr() as value))
            ):
                return [*steps, _bind(fixture.name, value)]
            case ast.With() | ast.Try() | ast.If() if _gives(node):
                return None
            case _:
                steps.append(node)
    return None


def _gives(node: ast.stmt) -> bool:
    return any(isinstance(each, ast.Return | ast.Yield) for each in ast.walk(node))


def _catches(node: ast.With) -> bool:
    names = {name_of_call(item.context_expr) for item in node.items}
    return bool(names & {*RAISES, "suppress", "warns"})


def _find_compared(node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    match node:
        case ast.Assert(
            test=ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right])
        ):
            return _choose_sides(left, right)
        case ast.Expr(value=ast.Call(args=[left, right, *_]) as call) if name_of_call(call) in {
            "assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertIs",
        }:  # fmt: skip
            return _choose_sides(left, right)
        case _:
            return None


def _choose_sides(left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr]:
    return (right, left) if is_written(left) and not is_written(right) else (left, right)


def _bind(name: str, value: ast.expr) -> ast.stmt:
    return ast.fix_missing_locations(
        ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)
    )


def _list_used(node: ast.AST) -> list[str]:
    return [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    ]


def _list_bound(nodes: Sequence[ast.AST]) -> set[str]:
    """Return all names that are bound anywhere in the statements."""
    bound: set[str] = set()
    for node in (part for each in nodes for part in ast.walk(each)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str() as name):
                bound.add(name)
            case _:
                pass
    return bound
