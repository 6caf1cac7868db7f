"""Tests that try something else than the product, under the product's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.python.names import aliases, code_of, functions, parse_python
from goalkeeper.tamper.python.names import walk as python_walk
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, folder, is_test_code
from goalkeeper.tamper.syntax import Source


def is_product_module(name: str, tree: Tree) -> bool:
    """This is true if Python finds the module in this repository, outside its tests."""
    first = name.partition(".")[0]
    places = [f"{root}{first}{tail}" for root in ("", "src/") for tail in (".py", "/__init__.py")]
    return bool(first) and any(not is_test(place) and tree(place) is not None for place in places)


def find_swapped_members(source: Source, tree: Tree) -> Iterator[Sighting]:
    """`product.function = …` in a conftest or at the top of a test file holds for all tests."""
    module = parse_python(source.text)
    if module is None or not is_test_code(source.path):
        return
    known = aliases(module)
    for node, scope in python_walk(module):
        if scope.function and not scope.function.startswith("pytest_"):
            continue
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            owner = getattr(getattr(target, "value", None), "id", "")
            if isinstance(target, ast.Attribute) and is_product_module(known.get(owner, ""), tree):
                message = f"replaces {code_of(target)} for every test"
                yield Sighting("subject-mocked", source.path, node.lineno, message)


def find_python_origins(source: Source, tree: Tree) -> Mapping[str, str]:
    module = parse_python(source.text)
    if module is None:
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            origin = _find_place(node, source.path, tree)
            found.update({name.asname or name.name: origin for name in node.names})
    found.update({name: "this file" for name in functions(module) if name in found})
    return found


def _find_place(node: ast.ImportFrom, path: str, tree: Tree) -> str:
    name = (node.module or "").replace(".", "/")
    here = folder(path)
    for _ in range(max(node.level - 1, 0)):
        here = folder(here)
    for root in [here] if node.level else [here, "", "tests"]:
        for tail in (f"{name}.py", f"{name}/__init__.py"):
            place = f"{root}/{tail}" if root else tail
            if is_test(place) and tree(place) is not None:
                return place
    return node.module or ""
