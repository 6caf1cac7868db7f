"""Finds functions of the product that tests judge with: whoever changes them changes the judge."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.names import ENDINGS, find_imports, resolve_module
from goalkeeper.tamper.python.asserts import is_assertion_call
from goalkeeper.tamper.python.names import (
    find_import_paths,
    find_statements,
    functions,
    parse_python,
    walk_all,
)
from goalkeeper.tamper.source import Tree, is_python, is_script
from goalkeeper.tamper.syntax import Source, text_of

_JUDGING = ("assert", "expect")


def find_judging_functions(test: Source, tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield paths of the product, and names in them that the test imports and that assert."""
    if is_python(test.path):
        yield from _find_in_python(test, tree)
    elif is_script(test.path):
        for module, names in find_imports(test):
            places = (resolve_module(test.path, module) + ending for ending in ENDINGS)
            place = next((p for p in places if not is_test(p) and tree(p) is not None), "")
            if module.startswith(".") and place:
                yield from ((place, name) for name in names if name.startswith(_JUDGING))


def _find_in_python(test: Source, tree: Tree) -> Iterator[tuple[str, str]]:
    module = parse_python(test.text)
    for node in find_statements(module) if module else ():
        if not isinstance(node, ast.ImportFrom):
            continue
        for place in find_import_paths(node, test.path):
            data = None if is_test(place) else tree(place)
            helpers = parse_python(text_of(data)) if data is not None else None
            known = functions(helpers) if helpers else {}
            for name in (each.name for each in node.names if each.name in known):
                body = walk_all(known[name])
                if any(isinstance(part, ast.Assert) or is_assertion_call(part) for part in body):
                    yield place, name
