"""Tests that try something else than the product, under the product's name."""

from __future__ import annotations

from collections.abc import Iterator

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.doubles import find_script_origins
from goalkeeper.tamper.python.doubles import find_python_origins
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import ChangedFile, Tree, is_python, is_script


def find_doubles(pair: ChangedFile, tree: Tree) -> Iterator[Sighting]:
    """This finds names that came from the product, and now come from the tests."""
    if pair.old is None or pair.new is None or not is_test(pair.path):
        return
    if is_python(pair.path):
        old, new = find_python_origins(pair.old, tree), find_python_origins(pair.new, tree)
    elif is_script(pair.path):
        old, new = find_script_origins(pair.old, tree), find_script_origins(pair.new, tree)
    else:
        return
    for name, origin in sorted(old.items()):
        now = new.get(name, origin)
        if not _is_of_tests(origin) and _is_of_tests(now):
            message = f"{name} came from {origin}, and now comes from {now}"
            yield Sighting("subject-mocked", pair.path, 0, message)


def _is_of_tests(origin: str) -> bool:
    return origin == "this file" or is_test(origin)
