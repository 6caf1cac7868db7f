"""Tests in Python: `test_x`, `TestX::test_y`."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator

from goalkeeper.tamper.identity.tokens import fingerprint

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_MEANINGFUL_MARKS = ("parametrize", "usefixtures")
_ANONYMOUS = "\0"
_MOST_NAME = 300  # a name is repeated in all that it encloses


def tests(source: bytes) -> dict[str, str]:
    """By name, a fingerprint of what is done: arguments, decorators, statements."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        return {
            "::".join([*classes, function.name]): fingerprint(
                _parts(function, {*classes, function.name})
            )
            for classes, function in _functions(tree.body, ())
        }
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _functions(
    statements: Iterable[ast.stmt], classes: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], _Function]]:
    for statement in statements:
        if isinstance(statement, _Function):
            if statement.name.startswith("test"):
                yield classes, statement
        elif isinstance(statement, ast.ClassDef):
            if len(statement.name) <= _MOST_NAME:
                yield from _functions(statement.body, (*classes, statement.name))
        else:  # tests may stand in an if, a try or a with
            yield from _functions(_inner(statement), classes)


def _inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield node
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            yield from node.body


def _parts(function: _Function, own_names: set[str]) -> list[str]:
    anonymous = _Anonymous(own_names)
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    statements = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return [
        "async" if isinstance(function, ast.AsyncFunctionDef) else "",
        " ".join(argument.arg for argument in named if argument.arg not in {"self", "cls"}),
        *(ast.dump(node) for node in function.decorator_list if _is_meaningful(node)),
        *(ast.dump(anonymous.visit(node)) for node in statements),
    ]


def _is_meaningful(decorator: ast.expr) -> bool:
    """Whether it changes what is tested. What skips shows in the outcome; other marks may vary."""
    name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
    *_, outer, last = ["", "", *name.split(".")]
    return outer != "mark" or last in _MEANINGFUL_MARKS


class _Anonymous(ast.NodeTransformer):
    """Takes a test's own names out of its body: they change when it is renamed."""

    def __init__(self, own_names: set[str]) -> None:
        self._own = own_names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(_ANONYMOUS, node.ctx) if node.id in self._own else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        own = isinstance(node.value, str) and node.value in self._own
        return ast.Constant(_ANONYMOUS) if own else node
