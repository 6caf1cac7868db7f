"""Skips and expected failures in Python tests."""

from __future__ import annotations

import ast

from goalkeeper.tamper.python.names import code_of
from goalkeeper.tamper.testing import SkipMark
from goalkeeper.tamper.words import read_pattern

_MARKS = {"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"}
_CALLS = {"pytest.skip", "pytest.xfail", "pytest.importorskip", "self.skipTest", "skip.skip"}
_RAISED = {"SkipTest", "unittest.SkipTest", "pytest.skip.Exception", "unittest.case.SkipTest"}


def skip_of_decorator(decorator: ast.expr) -> SkipMark | None:
    """The mark may be a decorator, or stand in `pytestmark` or `pytest.param(marks=…)`."""
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
    if not isinstance(decorator, ast.Call) or last not in {"skipif", "skipIf", "xfail"}:
        return False
    keywords = {keyword.arg: keyword.value for keyword in decorator.keywords}
    condition = decorator.args[0] if decorator.args else keywords.get("condition")
    return condition is not None and is_condition_elsewhere(code_of(condition))


def is_condition_elsewhere(condition: str) -> bool:
    return bool(read_pattern("skip-elsewhere").fullmatch(condition))


def skip_of_call(call: ast.Call) -> SkipMark | None:
    word = code_of(call.func)
    if word in _CALLS or word.endswith(".skipTest"):
        return SkipMark(f"{word}()", getattr(call, "lineno", 0), xfail=word == "pytest.xfail")
    return None


def skip_of_raise(statement: ast.Raise) -> SkipMark | None:
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    word = code_of(raised) if raised is not None else ""
    return SkipMark(f"raise {word}", statement.lineno) if word in _RAISED else None


def skips_in_marks(value: ast.expr) -> list[SkipMark]:
    """`pytestmark` holds one mark or a list of them."""
    marks = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return [skip for mark in marks if (skip := skip_of_decorator(mark))]
