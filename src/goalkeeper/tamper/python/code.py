"""Python product code that behaves differently when it is watched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from goalkeeper.tamper.patterns import match_code_patterns
from goalkeeper.tamper.python.names import (
    CodeScope,
    Function,
    code_of,
    functions,
    is_false,
    is_literal,
    parse_python,
    qualify_name,
    walk,
    without_docstring,
)
from goalkeeper.tamper.python.parts import PythonPartReader
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import is_product
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.words import read_words

_WHO_VARIABLES = {"USER", "HOME", "HOSTNAME", "LOGNAME", "PWD", "USERNAME"}
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?.*|\d{8}")
_YEARS = range(1990, 2200)
_EPOCH = 1_000_000_000
_LOGS = re.compile(r"\b(log\w*|_log\w*|warn\w*|print|report\w*|capture\w*|record\w*)\b")


def find_code_tricks(source: Source) -> Iterator[Sighting]:
    module = parse_python(source.text)
    if module is None:
        return
    reader = PythonTrickReader(source, module)
    yield from match_code_patterns("python", source.path, reader.parts.find_parts())
    yield from reader.find_class_tricks()
    if is_product(source.path):
        yield from reader.find_function_tricks()


class PythonTrickReader:
    def __init__(self, source: Source, module: ast.Module) -> None:
        self.path = source.path
        self.module = module
        self.parts = PythonPartReader(source, module)

    def _report(
        self, rule: str, node: ast.AST, key: str, message: str, *, mild: bool = False
    ) -> Sighting:
        line = getattr(node, "lineno", 0)
        return Sighting(rule, self.path, line, message, f"{key}: {code_of(node)}", mild)

    def find_class_tricks(self) -> Iterator[Sighting]:
        for node in ast.walk(self.module):
            if not isinstance(node, ast.ClassDef):
                continue
            for member in node.body:
                name, result = _constant_member(member)
                if (name, result) in {("__eq__", True), ("__ne__", False)}:
                    text = f"{node.name} equals everything"
                    mild = not is_product(self.path)
                    yield self._report("always-equal", member, node.name, text, mild=mild)
                elif (name, result) in {("__contains__", True), ("__instancecheck__", True)}:
                    text = f"{node.name} answers every question with yes"
                    yield self._report("always-equal", member, node.name, text, mild=True)

    def find_function_tricks(self) -> Iterator[Sighting]:
        for name, function in functions(self.module).items():
            yield from self._find_call_count(name, function)
            yield from self._find_turns(name, function)
            for node in ast.walk(function):
                if isinstance(node, ast.Try):
                    yield from self._find_swallowed(name, node)
        for node, scope in walk(self.module):
            if isinstance(node, ast.Compare):
                yield from self._find_host_question(node, scope)
            elif isinstance(node, ast.If) and is_false(node.test):
                text = "code is switched off by a constant"
                yield self._report("feature-off", node, scope.function, text)

    def _find_turns(self, name: str, function: Function) -> Iterator[Sighting]:
        """Answers were laid out beforehand, and are handed out one by one."""
        laid = {
            target.id
            for node in self.module.body
            if isinstance(node, ast.Assign) and _is_queue(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=queue), *_]) if (
                    queue in laid
                ):
                    text = f"{name} hands out prepared answers in turn"
                    yield self._report("call-count-branch", node, name, text)

    def _find_call_count(self, name: str, function: Function) -> Iterator[Sighting]:
        """A counter outlives the call and decides what the call returns."""
        counted = {
            code_of(node.target)
            for node in ast.walk(function)
            if isinstance(node, ast.AugAssign) and _is_outliving(node.target, function)
        }
        for node in ast.walk(function):
            if isinstance(node, ast.If) and _is_comparing(node.test, counted):
                returned = [part for part in node.body if isinstance(part, ast.Return)]
                if any(is_literal(part.value) for part in returned):
                    text = f"{name} answers by how often it was called"
                    yield self._report("call-count-branch", node, name, text)

    def _find_swallowed(self, name: str, node: ast.Try) -> Iterator[Sighting]:
        for handler in node.handlers:
            kind = "" if handler.type is None else code_of(handler.type)
            if not re.search(r"^$|\b(Exception|BaseException|AssertionError)\b", kind):
                continue
            words = code_of(handler)
            if any(isinstance(part, ast.Raise) for part in ast.walk(handler)) or _LOGS.search(
                words
            ):
                continue
            answer = next((part for part in handler.body if isinstance(part, ast.Return)), None)
            is_telling = answer is not None and is_literal(answer.value) and _is_an_answer(answer)
            text = f"{name} hides every error" + (" behind an answer" if is_telling else "")
            mild = not (is_telling or kind == "AssertionError")
            yield self._report("exception-swallowed", handler, name, text, mild=mild)

    def _find_host_question(self, node: ast.Compare, scope: CodeScope) -> Iterator[Sighting]:
        sides = [node.left, *node.comparators]
        words = {qualify_name(part, self.parts.known) for side in sides for part in ast.walk(side)}
        words |= {
            word
            for side in sides
            for part in ast.walk(side)
            for word in self.parts.find_asked_words(part)
        }
        literal = [side for side in sides if is_literal(side) and _has_text(side)]
        if literal and words & (read_words("host-question") | _WHO_VARIABLES):
            text = f"`{code_of(node)}` asks where it runs"
            yield self._report("host-or-date-branch", node, scope.function, text)
        elif words & read_words("date-question") and any(_is_a_date(side) for side in sides):
            text = f"`{code_of(node)}` asks which day it is"
            yield self._report("host-or-date-branch", node, scope.function, text)


def _constant_member(member: ast.stmt) -> tuple[str, object]:
    match member:
        case ast.FunctionDef(name=name, body=body):
            match without_docstring(body):
                case [ast.Return(value=ast.Constant(value=bool(result)))]:
                    return name, result
                case _:
                    pass
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Lambda(body=ast.Constant(value=bool(result))),
        ):
            return name, result
        case _:
            pass
    return "", None


def _is_queue(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="iter"), args=[ast.Tuple() | ast.List()]):
            return True
        case _:
            return False


def _is_outliving(target: ast.expr, function: Function) -> bool:
    """Global names, attributes of functions and items of global things outlive the call."""
    if isinstance(target, ast.Name):
        return any(
            isinstance(node, ast.Global | ast.Nonlocal) and target.id in node.names
            for node in ast.walk(function)
        )
    owner = getattr(target, "value", None)
    return isinstance(owner, ast.Name) and owner.id not in {"self", "cls"}


def _is_comparing(test: ast.expr, counted: set[str]) -> bool:
    return any(
        isinstance(part, ast.Compare)
        and any(isinstance(side, ast.Constant) for side in part.comparators)
        and any(code_of(side) in counted for side in ast.walk(part) if isinstance(side, ast.expr))
        for part in ast.walk(test)
    )


def _is_an_answer(statement: ast.Return) -> bool:
    """Some values are usual ways to say that there is nothing; they are no answer."""
    empty = isinstance(statement.value, ast.Tuple | ast.List | ast.Dict) and not any(
        isinstance(part, ast.Constant) for part in ast.walk(statement.value)
    )
    plain = isinstance(statement.value, ast.Constant) and not (
        isinstance(statement.value.value, int | float | str | bytes)
        and statement.value.value not in {0, 1, -1, "", b""}
    )
    negative = isinstance(statement.value, ast.UnaryOp)
    return not (empty or plain or negative)


def _has_text(node: ast.expr) -> bool:
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node)
    )


def _is_a_date(node: ast.expr) -> bool:
    for part in ast.walk(node):
        match part:
            case ast.Call(args=[ast.Constant(value=int(year)), _, *_]) if year in _YEARS:
                return True
            case ast.Constant(value=str(text)) if _DATE.fullmatch(text):
                return True
            case ast.Constant(value=int() | float() as number) if number > _EPOCH:
                return True
    return False
