"""Hooks with which Python code steers the test runner: conftest.py and plugins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from goalkeeper.tamper.python.body import mock_target
from goalkeeper.tamper.python.doubles import is_product_module
from goalkeeper.tamper.python.names import Function, code_of, functions, parse_python, string
from goalkeeper.tamper.python.skips import skip_of_call, skip_of_raise
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, is_test_code
from goalkeeper.tamper.syntax import Source

# These run a test or say how it went; an honest conftest only watches them.
_OUTCOME = {
    "pytest_runtest_makereport", "pytest_report_teststatus", "pytest_runtest_logreport",
    "pytest_sessionfinish", "pytest_unconfigure", "pytest_runtest_protocol",
    "pytest_runtest_call", "pytest_pyfunc_call", "pytest_cmdline_main", "pytest_runtestloop",
    "pytest_exception_interact", "pytest_runtest_setup", "pytest_configure",
    "pytest_sessionstart", "pytest_assertion_pass",
}  # fmt: skip
_TAKES_OVER = {
    "pytest_runtest_protocol", "pytest_pyfunc_call", "pytest_cmdline_main", "pytest_runtestloop",
}  # fmt: skip
_COLLECTION = {
    "pytest_collection_modifyitems", "pytest_ignore_collect", "pytest_collect_file",
    "pytest_collection", "pytest_pycollect_makeitem", "pytest_itemcollected",
    "pytest_collect_directory", "pytest_make_collect_report", "pytest_collection_finish",
}  # fmt: skip
_LIES = re.compile(
    r"\.(outcome|longrepr|exitstatus|wasxfail|passed|failed|excinfo|testsfailed)\s*=[^=]"
    r"|force_result|force_exception|_exit\b|sys\.exit|SystemExit|return\s+\(?['\"]passed"
    r"|setattr\(\w+,\s*['\"](outcome|exitstatus|longrepr)['\"]"
)
_DROPS = re.compile(
    r"items\[:\]\s*=|items\[.*\]\s*=|items\.(clear|remove|pop)\(|del items"
    r"|(mark|pytest)\.(skip|xfail|skipif)\b|return\s+True|\.runtest\s*=|\.obj\s*="
)


def find_hooks(source: Source, tree: Tree) -> Iterator[Sighting]:
    module = parse_python(source.text)
    if module is None:
        return
    for name, function in functions(module).items():
        short = name.rpartition(".")[2]
        body = code_of(function)
        if short in _OUTCOME:
            lies = bool(_LIES.search(body)) or short in _TAKES_OVER
            if lies or short not in {"pytest_configure", "pytest_sessionstart"}:
                yield _report("outcome-hook", source, function, short, mild=not lies)
        elif short in _COLLECTION:
            drops = bool(_DROPS.search(body)) or short == "pytest_ignore_collect"
            yield _report("collection-hook", source, function, short, mild=not drops)
        elif is_test_code(source.path):
            yield from _read_fixture(source, function, tree)
    yield from _find_ignored(source, module)


def _report(rule: str, source: Source, node: Function, name: str, *, mild: bool) -> Sighting:
    return Sighting(rule, source.path, node.lineno, f"defines {name}", code_of(node), mild)


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


def _find_ignored(source: Source, module: ast.Module) -> Iterator[Sighting]:
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                pass
            case _:
                continue
        if name in {"collect_ignore", "collect_ignore_glob"}:
            shown = code_of(value)
            text = f"{name} hides {shown}"
            key, mild = f"{name} {shown}", not re.search(r"test|spec|\*", shown)
            yield Sighting("collect-ignored", source.path, node.lineno, text, key, mild)
