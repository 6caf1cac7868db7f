"""Finds tests that try something else than the product, under the product's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.python.asserts import skip_of_call, skip_of_raise
from goalkeeper.tamper.python.body import mock_target
from goalkeeper.tamper.python.names import (
    Function,
    aliases,
    find_import_paths,
    find_module_paths,
    find_statements,
    functions,
    parse_python,
    string,
    walk,
    walk_all,
)
from goalkeeper.tamper.python.writing import code_of
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, is_test_code
from goalkeeper.tamper.syntax import Source


def _is_product_module(name: str, tree: Tree) -> bool:
    """Return whether Python finds the module in this repository, outside its tests."""
    first = name.partition(".")[0]
    places = find_module_paths(first) if first else ()
    return any(not is_test(place) and tree(place) is not None for place in places)


def find_swapped_members(source: Source, tree: Tree) -> Iterator[Sighting]:
    """Find `product.function = …` in a conftest or at the top of a test file: all tests get it."""
    module = parse_python(source.text)
    if module is None or not is_test_code(source.path):
        return
    assigned = (each for each in find_statements(module) if isinstance(each, ast.Assign))
    targets = [target for each in assigned for target in each.targets]
    owners = {_find_owner(each) for each in targets if isinstance(each, ast.Attribute)}
    known = aliases(module)
    owners = {each for each in owners if _is_product_module(known.get(each, ""), tree)}
    if not owners:
        return
    for node, scope in walk(module):
        if scope.function and not scope.function.startswith("pytest_"):
            continue
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Attribute) and _find_owner(target) in owners:
                message = f"replaces {code_of(target)} for every test"
                yield Sighting("subject-mocked", source.path, node.lineno, message)


def _find_owner(target: ast.Attribute) -> str:
    return getattr(target.value, "id", "")


def find_python_origins(source: Source, tree: Tree) -> Mapping[str, str]:
    """Map imported names to the files that they come from, or to modules of others."""
    module = parse_python(source.text)
    if module is None:
        return {}
    found: dict[str, str] = {}
    for node in find_statements(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            places = find_import_paths(node, source.path)
            known = (place for place in places if tree(place) is not None)
            origin = next(known, node.module)
            found.update({name.asname or name.name: origin for name in node.names})
    found.update({name: "this file" for name in functions(module) if name in found})
    return found


def find_fixture_tricks(source: Source, tree: Tree) -> Iterator[Sighting]:
    module = parse_python(source.text)
    if module is None or "autouse" not in source.text:
        return
    if is_test_code(source.path):
        for function in functions(module).values():
            yield from _read_fixture(source, function, tree)


def _read_fixture(source: Source, function: Function, tree: Tree) -> Iterator[Sighting]:
    """Report a fixture that every test gets unasked, if it skips or replaces product code."""
    marks = [code_of(each) for each in function.decorator_list]
    if not any("fixture" in mark and "autouse=True" in mark for mark in marks):
        return
    for node in walk_all(function):
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
            yield Sighting("skip-added", source.path, node.lineno, text, key)
        elif (
            isinstance(node, ast.Call)
            and mock_target(node)
            and _is_product_module((string(node.args[0]) or "") if node.args else "", tree)
        ):
            text = f"the fixture {function.name} replaces product code for every test"
            yield Sighting("subject-mocked", source.path, node.lineno, text, key)
