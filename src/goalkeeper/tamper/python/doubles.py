"""Tests that try something else than the product, under the product's name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.tests import imports, resolved
from goalkeeper.tamper.python.names import aliases, code_of, functions, parse_python
from goalkeeper.tamper.python.names import walk as python_walk
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Pair, Tree, folder, is_python, is_script, is_test_code
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, walk

_RUNNER_NAMES = {"test", "it", "describe", "expect", "assert"}
_FUNCTIONS = {"arrow_function", "function_expression"}


def is_product_module(name: str, tree: Tree) -> bool:
    """Whether Python finds it in this repository, outside its tests."""
    first = name.partition(".")[0]
    places = [f"{root}{first}{tail}" for root in ("", "src/") for tail in (".py", "/__init__.py")]
    return bool(first) and any(not is_test(place) and tree(place) is not None for place in places)


def swapped_members(source: Source, tree: Tree) -> Iterator[Sighting]:
    """`product.function = …` in a conftest or at the top of a test file."""
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


def doubles(pair: Pair, tree: Tree) -> Iterator[Sighting]:
    """Names that came from the product, and now come from the tests."""
    if pair.old is None or pair.new is None or not is_test(pair.path):
        return
    if is_python(pair.path):
        old, new = _python_origins(pair.old, tree), _python_origins(pair.new, tree)
    elif is_script(pair.path):
        old, new = _script_origins(pair.old, tree), _script_origins(pair.new, tree)
    else:
        return
    for name, origin in sorted(old.items()):
        now = new.get(name, origin)
        if not _is_of_tests(origin) and _is_of_tests(now):
            message = f"{name} came from {origin}, and now comes from {now}"
            yield Sighting("subject-mocked", pair.path, 0, message)


def _is_of_tests(origin: str) -> bool:
    return origin == "this file" or is_test(origin)


def _python_origins(source: Source, tree: Tree) -> Mapping[str, str]:
    module = parse_python(source.text)
    if module is None:
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            origin = _place(node, source.path, tree)
            found.update({name.asname or name.name: origin for name in node.names})
    found.update({name: "this file" for name in functions(module) if name in found})
    return found


def _place(node: ast.ImportFrom, path: str, tree: Tree) -> str:
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


def _script_origins(source: Source, tree: Tree) -> Mapping[str, str]:
    top = script_root(source)
    found: dict[str, str] = {}
    for module, names in imports(top):
        place = resolved(source.path, module) if module.startswith(".") else module
        exists = module.startswith(".") and any(
            is_test(place + ending) and tree(place + ending) is not None
            for ending in ("", ".js", ".ts")
        )
        found.update(dict.fromkeys(names, place if exists else f"{module} (no test)"))
    for node in walk(top):
        if node.type == "function_declaration" and text(field(node, "name")) in found:
            found[text(field(node, "name"))] = "this file"
    return found


def shadowed_runner(source: Source) -> Iterator[Sighting]:
    """`const test = (name) => …`: the runner's word with another meaning."""
    for node in walk(script_root(source)):
        value = field(node, "value") if node.type == "variable_declarator" else None
        name = text(field(node, "name"))
        defines = node.type == "function_declaration" or (
            value is not None and value.type in _FUNCTIONS
        )
        if defines and name in _RUNNER_NAMES and re.search(r"\w", text(node)):
            message = f"{name} means something else in this file"
            yield Sighting("runner-patched", source.path, line(node), message)
