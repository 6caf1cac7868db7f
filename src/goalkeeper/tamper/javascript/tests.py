"""The tests of a JavaScript or TypeScript file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.asserts import (
    assertion_of,
    is_assertion,
    rendered,
)
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, folder
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, text_of, walk
from goalkeeper.tamper.testing import Assertion, Skip, Test
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST = {"it", "test", "specify", "xit", "xtest", "fit", "xspecify", "ftest"}
_GROUP = {"describe", "context", "suite", "xdescribe", "fdescribe", "xcontext"}
_OFF = {"skip", "todo", "failing", "fails"}
_FUNCTIONS = {"arrow_function", "function_expression", "function_declaration", "method_definition"}
_CONDITIONS = {"if_statement", "ternary_expression", "switch_case"}
_ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts")
MOST_HELPERS = 3


class _Around(Value):
    group: str
    skips: tuple[Skip, ...]


def is_script_test_path(path: str) -> bool:
    return bool(
        re.search(r"[.-](test|spec)\.[cm]?[jt]sx?$|(^|/)(__tests__|tests?)/.*[jt]sx?$", path)
    )


def script_tests(source: Source, tree: Tree) -> tuple[Test, ...]:
    top = script_root(source)
    helpers = {**dict(_imported_helpers(top, source.path, tree)), **dict(_helpers(top))}
    collected = is_script_test_path(source.path)
    return tuple(_tests(source, top, _Around("", ()), helpers, collected=collected))


def _helpers(top: Node) -> Iterator[tuple[str, Node]]:
    for node in walk(top):
        if node.type == "function_declaration":
            yield text(field(node, "name")), node
        elif node.type == "variable_declarator":
            value = field(node, "value")
            if value is not None and value.type in _FUNCTIONS:
                yield text(field(node, "name")), value


def _imported_helpers(top: Node, path: str, tree: Tree) -> Iterator[tuple[str, Node]]:
    """Functions that this file imports from test files beside it."""
    for module, names in imports(top):
        place = resolved(path, module) if module.startswith(".") else ""
        for ending in _ENDINGS if place else ():
            data = tree(place + ending) if is_test(place + ending) else None
            if data is not None:
                found = dict(_helpers(script_root(Source(place + ending, text_of(data)))))
                yield from ((name, found[name]) for name in names if name in found)
                break


def resolved(path: str, module: str) -> str:
    return posixpath.normpath(posixpath.join(folder(path), module))


def _tests(
    source: Source, top: Node, around: _Around, helpers: dict[str, Node], *, collected: bool
) -> Iterator[Test]:
    waiting = [(child, around) for child in reversed(top.children)]
    while waiting:
        node, here = waiting.pop()
        if node.type == "call_expression":
            first, marks = _chain(node)
            if first in _GROUP:
                title = _title(node)
                skips = (*here.skips, *_skips(node, first, marks))
                inner = _Around(f"{here.group}{title} > ", skips)
                waiting.extend((child, inner) for child in reversed(node.children))
                continue
            if first in _TEST and _title(node):
                yield _test(source, node, here, helpers, collected=collected)
                continue
        waiting.extend((child, here) for child in reversed(node.children))


def _chain(call: Node) -> tuple[str, list[str]]:
    """`it`, and the words after it: `only`, `skip`, `each`."""
    marks: list[str] = []
    here = field(call, "function")
    while here is not None and here.type in {"member_expression", "call_expression"}:
        if here.type == "member_expression":
            marks.append(text(field(here, "property")))
            here = field(here, "object")
        else:
            here = field(here, "function")
    return (text(here) if here is not None else ""), marks


def _title(call: Node) -> str:
    given = _arguments(call)
    return text(given[0])[1:-1] if given and given[0].type in {"string", "template_string"} else ""


def _arguments(call: Node) -> list[Node]:
    arguments = field(call, "arguments")
    return arguments.named_children if arguments is not None else []


def _skips(call: Node, first: str, marks: list[str]) -> Iterator[Skip]:
    if first.startswith("x"):
        yield Skip(first, line(call))
    for mark in marks:
        if mark in _OFF:
            yield Skip(f".{mark}", line(call), xfail=mark in {"failing", "fails"})
        elif mark in {"skipIf", "runIf"}:
            yield Skip(f".{mark}", line(call))
    for node in _arguments(call)[1:]:
        if node.type == "object" and (
            found := re.search(r"\b(skip|todo):\s*(?!false)", text(node))
        ):
            yield Skip(f"{{{found[1]}}}", line(call))


def _test(
    source: Source, call: Node, around: _Around, helpers: dict[str, Node], *, collected: bool
) -> Test:
    first, marks = _chain(call)
    body = next((node for node in reversed(_arguments(call)) if node.type in _FUNCTIONS), None)
    reader = _Body(helpers)
    if body is not None:
        reader.read(body, {})
    nodes = list(walk(body)) if body is not None else []
    inside = [Skip(f"{text(field(n, 'function'))}()", line(n)) for n in nodes if _is_skip_call(n)]
    inner = field(body, "body") if body is not None else None
    return Test(
        source.path,
        around.group + _title(call),
        line(call),
        rendered(inner, {}) if inner is not None else "",
        assertions=tuple(reader.assertions),
        skips=(*around.skips, *_skips(call, first, marks), *inside),
        cases=tuple(_cases(call)),
        mocked=frozenset(_mocked(nodes)),
        early_return=reader.early_return,
        names=frozenset(text(n) for n in nodes if n.type == "identifier"),
        collected=collected,
    )


def _is_skip_call(node: Node) -> bool:
    if node.type != "call_expression":
        return False
    return text(field(node, "function")) in {
        "this.skip",
        "t.skip",
        "t.todo",
        "ctx.skip",
        "context.skip",
    }


def _cases(call: Node) -> Iterator[str]:
    """Rows of `it.each([…])`."""
    here = field(call, "function")
    if here is None or here.type != "call_expression":
        return
    for table in _arguments(here)[:1]:
        if table.type == "array":
            yield from (rendered(row, {}) for row in table.named_children if row.type != "comment")


def _mocked(nodes: list[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type == "call_expression" and re.search(
            r"(spyOn|mock\.method|stub|replace)$", text(field(node, "function"))
        ):
            given = [text(each).strip("'\"`") for each in _arguments(node)]
            if len(given) > 1:
                yield given[1]


class _Body:
    def __init__(self, helpers: dict[str, Node], depth: int = 0) -> None:
        self.helpers = helpers
        self.depth = depth
        self.assertions: list[Assertion] = []
        self.early_return = 0

    def read(self, function: Node, given: dict[str, str]) -> None:
        values = dict(given)
        body = field(function, "body") or function
        returned = 0
        waiting = [body]
        while waiting:
            node = waiting.pop()
            if node.type == "variable_declarator" and field(node, "value") is not None:
                self._remember(node, values)
            if node.type == "return_statement" and _owner(node) == function.id:
                returned = returned or (0 if node.named_children else line(node))
            if node.type == "call_expression":
                self._call(node, values, function, returned)
            if node.type == "if_statement" and text(field(node, "condition")) in {"(false)", "(0)"}:
                continue
            waiting.extend(reversed(node.children))

    def _remember(self, node: Node, values: dict[str, str]) -> None:
        name, value = field(node, "name"), field(node, "value")
        if name is None or value is None or name.type != "identifier":
            return
        constant = node.parent is not None and text(node.parent).startswith("const")
        if constant and value.type not in _FUNCTIONS:
            values[text(name)] = rendered(value, values)

    def _call(self, node: Node, values: dict[str, str], function: Node, returned: int) -> None:
        if is_assertion(node):
            if returned and not self.early_return:
                self.early_return = returned
            self.assertions.append(
                assertion_of(node, values).replace(
                    swallowed=_is_swallowed(node, function),
                    conditional=_is_conditional(node, function),
                )
            )
            return
        called = field(node, "function")
        helper = self.helpers.get(text(called)) if called is not None else None
        if helper is None or self.depth >= MOST_HELPERS:
            return
        inner = _Body(self.helpers, self.depth + 1)
        inner.read(helper, _bound(helper, node, values))
        self.assertions += [each.replace(line=line(node)) for each in inner.assertions]


def _owner(node: Node) -> int:
    here = node.parent
    while here is not None and here.type not in _FUNCTIONS:
        here = here.parent
    return here.id if here is not None else 0


def _bound(function: Node, call: Node, values: dict[str, str]) -> dict[str, str]:
    listed = field(function, "parameters")
    names = [text(node).split(":")[0] for node in listed.named_children] if listed else []
    if not names and (single := field(function, "parameter")) is not None:
        names = [text(single)]
    return dict(zip(names, (rendered(each, values) for each in _arguments(call)), strict=False))


def _around(node: Node, function: Node) -> Iterator[tuple[Node, Node]]:
    """Each node between, with the one below it that leads here."""
    below, here = node, node.parent
    while here is not None and here.id != function.id:
        yield here, below
        below, here = here, here.parent


def _is_swallowed(node: Node, function: Node) -> bool:
    for here, below in _around(node, function):
        if here.type == "try_statement" and field(here, "body") == below:
            handler = field(here, "handler")
            if handler is not None and not re.search(
                r"\bthrow\b|expect|assert|fail\(", text(handler)
            ):
                return True
        if here.type == "call_expression" and re.search(r"\)\s*\.catch\(", text(here)):
            return True
    return False


def _is_conditional(node: Node, function: Node) -> bool:
    for here, _ in _around(node, function):
        if here.type == "if_statement":
            other = text(field(here, "alternative"))
            return not re.search(r"expect|assert", other)
        if here.type in _CONDITIONS or (
            here.type == "binary_expression"
            and re.search(r"&&|\|\|", text(field(here, "operator")))
        ):
            return True
    return False


def focus(source: Source) -> Iterator[Sighting]:
    """`.only` and its short forms: every other test is left out."""
    for node in walk(script_root(source)):
        if node.type != "call_expression":
            continue
        first, marks = _chain(node)
        if first in {"fit", "fdescribe", "ftest"} or (first in _TEST | _GROUP and "only" in marks):
            text_ = f"only {_title(node) or 'some tests'} will run"
            yield Sighting("focus-added", source.path, line(node), text_)


def mocked_modules(source: Source) -> Iterator[Sighting]:
    """`jest.mock("./sum")` in a file that asserts on what `./sum` gives."""
    top = script_root(source)
    asserted = " ".join(rendered(node, {}) for node in walk(top) if is_assertion(node))
    imported = dict(imports(top))
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
        given = _arguments(node)
        module = text(given[0]).strip("'\"`") if given else ""
        names = imported.get(module, [])
        if module.startswith(".") and any(f"({name}(" in asserted for name in names):
            message = f"replaces {module}, which its assertions are about"
            yield Sighting("subject-mocked", source.path, line(node), message)


def imports(top: Node) -> Iterator[tuple[str, list[str]]]:
    for node in walk(top):
        if node.type == "import_statement":
            names = [text(each) for each in walk(node) if each.type == "identifier"]
            yield text(field(node, "source")).strip("'\""), names
        elif node.type == "variable_declarator":
            value = text(field(node, "value"))
            if found := re.fullmatch(r"require\(['\"](.+)['\"]\)", value):
                yield found[1], re.findall(r"\w+", text(field(node, "name")))
