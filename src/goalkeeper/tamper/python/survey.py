"""Looks through a function once, since tests call the same helpers again and again."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.python.asserts import call_name, is_assertion_call
from goalkeeper.tamper.python.names import Function, walk_all
from goalkeeper.wire.value import Value

_LINE = 40  # characters, on average
_TELLING = frozenset({ast.Name, ast.Call, ast.Assert, ast.ClassDef, ast.Expr})


class Survey(Value):
    """What a function does somewhere."""

    own: frozenset[str]  # the classes that it defines, and itself
    assigned: Counter[str]  # so often a name gets a value
    lent: frozenset[str]  # names whose values a statement of its own gives away, or asks to change
    called: frozenset[str]
    is_asserting: bool


def _measure_function(function: Function) -> int:
    return _LINE * ((function.end_lineno or function.lineno) - function.lineno + 1)


@remember(_measure_function)
def survey(function: Function) -> Survey:
    own, lent, called = {"self"}, set[str](), set[str]()
    assigned = Counter[str]()
    is_asserting = False
    for node in walk_all(function):
        if node.__class__ not in _TELLING:
            continue
        match node:
            case ast.Name(ctx=ast.Store()):
                assigned[node.id] += 1
            case ast.Call():
                called.add(name_called(node))
                is_error = call_name(node) == "AssertionError"
                is_asserting = is_asserting or is_error or is_assertion_call(node)
            case ast.Assert():
                is_asserting = True
            case ast.ClassDef():
                own.add(node.name)
            case ast.Expr():
                lent.update(_find_lent_names(node.value))
            case _:
                pass
    return Survey(frozenset(own), assigned, frozenset(lent), frozenset(called), is_asserting)


def _find_lent_names(call: ast.expr) -> Iterator[str]:
    if not isinstance(call, ast.Call) or is_assertion_call(call):
        return
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    for each in (*call.args, *(keyword.value for keyword in call.keywords), owner):
        if isinstance(each, ast.Name):
            yield each.id


def may_assert(function: Function, find: Callable[[str], Function | None]) -> bool:
    """Return whether a function may assert something, itself or through others."""
    waiting, seen = [function], {function}
    while waiting:
        known = survey(waiting.pop())
        if known.is_asserting:
            return True
        others = {other for name in known.called if (other := find(name)) is not None} - seen
        seen |= others
        waiting += others
    return False


def name_called(call: ast.Call) -> str:
    """Return the name by which a helper is looked up; it is empty where there is none."""
    match call.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=member):
            return f"self.{member}"
        case ast.Attribute(value=value, attr=member):
            return f"{getattr(value, 'id', '')}.{member}"
        case _:
            return ""
