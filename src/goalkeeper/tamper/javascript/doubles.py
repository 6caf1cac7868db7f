"""Tests in JavaScript and TypeScript that leave out others, or try something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.asserts import is_assertion, render
from goalkeeper.tamper.javascript.names import arguments_of, find_imports, resolve_module
from goalkeeper.tamper.javascript.tests import read_test_call
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, walk

_RUNNER_NAMES = {"test", "it", "describe", "expect", "assert"}
_FUNCTIONS = {"arrow_function", "function_expression"}


def find_focus(source: Source) -> Iterator[Sighting]:
    """With `.only` and its short forms, every other test is left out."""
    for node in walk(script_root(source)):
        call = read_test_call(node)
        if call and (call.kind in {"fit", "fdescribe", "ftest"} or "only" in call.marks):
            message = f"only {call.title or 'some tests'} will run"
            yield Sighting("focus-added", source.path, line(node), message)


def find_mocked_modules(source: Source) -> Iterator[Sighting]:
    """`jest.mock("./sum")` may not stand in a file that asserts on what `./sum` gives."""
    top = script_root(source)
    asserted = " ".join(render(node, {}) for node in walk(top) if is_assertion(node))
    imported = dict(find_imports(top))
    for node in walk(top):
        if node.type != "call_expression":
            continue
        if text(field(node, "function")) not in {
            "jest.mock",
            "vi.mock",
            "vi.doMock",
            "jest.doMock",
        }:
            continue
        given = arguments_of(node)
        module = text(given[0]).strip("'\"`") if given else ""
        names = imported.get(module, [])
        if module.startswith(".") and any(f"({name}(" in asserted for name in names):
            message = f"replaces {module}, which its assertions are about"
            yield Sighting("subject-mocked", source.path, line(node), message)


def find_script_origins(source: Source, tree: Tree) -> Mapping[str, str]:
    top = script_root(source)
    found: dict[str, str] = {}
    for module, names in find_imports(top):
        place = resolve_module(source.path, module) if module.startswith(".") else module
        exists = module.startswith(".") and any(
            is_test(place + ending) and tree(place + ending) is not None
            for ending in ("", ".js", ".ts")
        )
        found.update(dict.fromkeys(names, place if exists else f"{module} (no test)"))
    for node in walk(top):
        if node.type == "function_declaration" and text(field(node, "name")) in found:
            found[text(field(node, "name"))] = "this file"
    return found


def find_shadowed_runner(source: Source) -> Iterator[Sighting]:
    """With `const test = (name) => …`, the runner's word has another meaning."""
    for node in walk(script_root(source)):
        value = field(node, "value") if node.type == "variable_declarator" else None
        name = text(field(node, "name"))
        defines = node.type == "function_declaration" or (
            value is not None and value.type in _FUNCTIONS
        )
        if defines and name in _RUNNER_NAMES and re.search(r"\w", text(node)):
            message = f"{name} means something else in this file"
            yield Sighting("runner-patched", source.path, line(node), message)
