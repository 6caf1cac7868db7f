"""Hooks with which Python code steers the test runner: conftest.py and plugins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goalkeeper.tamper.python.body import mock_target
from goalkeeper.tamper.python.doubles import is_product_module
from goalkeeper.tamper.python.names import Function, code_of, functions, parse_python, string
from goalkeeper.tamper.python.skips import skip_of_call, skip_of_raise
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, is_test_code
from goalkeeper.tamper.syntax import Source


def find_hooks(source: Source, tree: Tree) -> Iterator[Sighting]:
    module = parse_python(source.text)
    if module is None:
        return
    if is_test_code(source.path):
        for function in functions(module).values():
            yield from _read_fixture(source, function, tree)


def _read_fixture(source: Source, function: Function, tree: Tree) -> Iterator[Sighting]:
    """A fixture that every test gets unasked may neither skip nor replace product code."""
    marks = [code_of(each) for each in function.decorator_list]
    if not any("fixture" in mark and "autouse=True" in mark for mark in marks):
        return
    for node in ast.walk(function):
        match node:
            case ast.Call():
                skip = skip_of_call(node)
            case ast.Raise():
                skip = skip_of_raise(node)
            case _:
                continue
        key = f"{function.name}: {code_of(node)}"
        if skip is not None:
            text = f"the fixture {function.name} skips every test below it"
            yield Sighting("fixture-skips", source.path, node.lineno, text, key)
        elif (
            isinstance(node, ast.Call)
            and mock_target(node)
            and is_product_module((string(node.args[0]) or "") if node.args else "", tree)
        ):
            text = f"the fixture {function.name} replaces product code for every test"
            yield Sighting("subject-mocked", source.path, node.lineno, text, key)
