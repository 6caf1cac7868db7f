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
    unify_quotes,
)
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, folder
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, text_of, tokens, walk
from goalkeeper.tamper.testing import Assertion, Skip, Test, TestFile, fingerprint
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = {"it", "test", "specify", "xit", "xtest", "fit", "xspecify", "ftest"}
_GROUPS = {"describe", "context", "suite", "xdescribe", "fdescribe", "xcontext"}
_MODIFIERS = {
    "only", "skip", "todo", "concurrent", "sequential", "serial", "parallel", "each", "for",
    "failing", "fails", "fixme", "slow", "skipIf", "runIf",
}  # fmt: skip
_OFF = {"skip", "todo", "failing", "fails"}
_FUNCTIONS = {"arrow_function", "function_expression", "function_declaration", "method_definition"}
_GIVEN_FUNCTIONS = {"arrow_function", "function_expression", "generator_function"}
_CONDITIONS = {"if_statement", "ternary_expression", "switch_case"}
_ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", "/index.js", "/index.ts")
_VERBATIM = frozenset({"string", "template_string", "regex", "jsx_text"})
_COMMENTS = frozenset({"comment", "html_comment"})
_DROPPED = _COMMENTS | {";"}
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
MOST_HELPERS = 3
MOST_DEPTH = 20  # of groups in groups
MOST_TESTS_AROUND = 2  # each reads again what is in it
MOST_TITLE = 300  # a title is repeated in all that it encloses


class _TestCall(Value):
    """`describe`, `it` and the like, with what they are given."""

    node: Node
    kind: str  # the word itself: `it` of `it.only`, `test` of `t.test`
    marks: tuple[str, ...]
    title: str
    function: Node | None

    @property
    def is_group(self) -> bool:
        return self.kind in _GROUPS


class _Place(Value):
    titles: tuple[str, ...] = ()
    skips: tuple[Skip, ...] = ()
    tests_around: int = 0


def is_script_test_path(path: str) -> bool:
    return bool(
        re.search(r"[.-](test|spec)\.[cm]?[jt]sx?$|(^|/)(__tests__|tests?)/.*[jt]sx?$", path)
    )


def read_script_tests(source: Source, tree: Tree) -> TestFile:
    top = script_root(source)
    helpers = {**dict(_imported_helpers(top, source.path, tree)), **dict(_helpers(top))}
    return TestFile(tuple(_find_tests(source, top, helpers)), has_errors=top.has_error)


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


def _find_tests(source: Source, top: Node, helpers: dict[str, Node]) -> Iterator[Test]:
    waiting = [(top, _Place())]
    while waiting:
        node, place = waiting.pop()
        call = read_test_call(node)
        if call is not None and len(place.titles) < MOST_DEPTH:
            titles = (*place.titles, call.title)
            skips = (*place.skips, *_find_skips(call))
            inner = _Place(titles, skips, place.tests_around + (not call.is_group))
            if not call.is_group and place.tests_around <= MOST_TESTS_AROUND:
                yield _read_test(source, call, inner, helpers)
            node, place = call.function or node, inner
        waiting += [(child, place) for child in reversed(node.children)]


def read_test_call(node: Node) -> _TestCall | None:
    """None for a call that is not about a test. A title that is no text needs a function."""
    callee = field(node, "function") if node.type == "call_expression" else None
    names = _find_names(callee)
    marks: list[str] = []
    while names[1:] and names[-1] in _MODIFIERS:
        marks.append(names.pop())
    if not names:
        return None
    first, last = names[0], names[-1]
    known = _TESTS | _GROUPS
    is_member = last in known and (len(names) <= 2 or first in _TESTS)  # noqa: PLR2004
    kind = last if is_member else first
    given = [each for each in _arguments(node) if each.type not in _COMMENTS]
    functions = [each for each in given[1:] if each.type in _GIVEN_FUNCTIONS]
    is_titled = bool(given) and given[0].type in {"string", "template_string"}
    if kind not in known or not (functions or (is_titled and first in known)):
        return None
    words = (*marks, *names[1:])
    return _TestCall(node, kind, words, _read_title(given[0]), functions[-1] if functions else None)


def _find_names(callee: Node | None) -> list[str]:
    """`it` and `each` of `it.each(table)`; nothing if something else than a name is called."""
    names: list[str] = []
    node = callee
    while node is not None:
        if node.type == "identifier":
            return [text(node), *reversed(names)]
        if node.type == "member_expression":
            names.append(text(field(node, "property") or node))
            node = field(node, "object")
        else:
            node = field(node, "function") if node.type == "call_expression" else None
    return []


def _read_title(node: Node) -> str:
    whole = text(node)
    if node.type not in {"string", "template_string"}:
        return whole[:MOST_TITLE]
    return _ESCAPE.sub(_unescape, whole[1:-1])[:MOST_TITLE]


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPES.get(found[4], found[4])
    return chr(min(int(code, 16), 0x10FFFF))


def _arguments(call: Node) -> list[Node]:
    arguments = field(call, "arguments")
    return arguments.named_children if arguments is not None else []


def _find_skips(call: _TestCall) -> Iterator[Skip]:
    at = line(call.node)
    if call.kind.startswith("x"):
        yield Skip(call.kind, at)
    for mark in call.marks:
        if mark in _OFF:
            yield Skip(f".{mark}", at, xfail=mark in {"failing", "fails"})
        elif mark in {"skipIf", "runIf"}:
            yield Skip(f".{mark}", at)
    for node in _arguments(call.node)[1:]:
        if node.type == "object" and (
            found := re.search(r"\b(skip|todo):\s*(?!false)", text(node))
        ):
            yield Skip(f"{{{found[1]}}}", at)


def _read_test(source: Source, call: _TestCall, place: _Place, helpers: dict[str, Node]) -> Test:
    function = call.function
    name = " > ".join(place.titles)
    if function is None:
        collected = is_script_test_path(source.path)
        return Test(source.path, name, line(call.node), "", skips=place.skips, collected=collected)
    body = field(function, "body")
    table = field(call.node, "function", "arguments")
    frame = [each for each in function.children if each != body]
    test = Test(
        source.path,
        name,
        line(call.node),
        fingerprint(_find_words(body)),
        fingerprint(word for node in (table, *frame) for word in _find_words(node)),
    )
    if place.tests_around > 1:
        return test.replace(is_part=True)
    reader = ScriptBodyReader(helpers)
    reader.read(function, {})
    nodes = list(walk(function))
    inside = [Skip(f"{text(field(n, 'function'))}()", line(n)) for n in nodes if _is_skip_call(n)]
    return test.replace(
        assertions=tuple(reader.assertions),
        skips=(*place.skips, *inside),
        cases=tuple(_find_cases(call.node)),
        mocked=frozenset(_find_mocked(nodes)),
        early_return=reader.early_return,
        names=frozenset(text(n) for n in nodes if n.type == "identifier"),
        collected=is_script_test_path(source.path),
    )


def _find_words(node: Node | None) -> Iterator[str]:
    return (
        map(unify_quotes, tokens(node, verbatim=_VERBATIM, dropped=_DROPPED)) if node else iter(())
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


def _find_cases(call: Node) -> Iterator[str]:
    """Rows of `it.each([…])`."""
    here = field(call, "function")
    if here is None or here.type != "call_expression":
        return
    for table in _arguments(here)[:1]:
        if table.type == "array":
            yield from (rendered(row, {}) for row in table.named_children if row.type != "comment")


def _find_mocked(nodes: list[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type == "call_expression" and re.search(
            r"(spyOn|mock\.method|stub|replace)$", text(field(node, "function"))
        ):
            given = [text(each).strip("'\"`") for each in _arguments(node)]
            if len(given) > 1:
                yield given[1]


class ScriptBodyReader:
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
        inner = ScriptBodyReader(self.helpers, self.depth + 1)
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
        call = read_test_call(node)
        if call and (call.kind in {"fit", "fdescribe", "ftest"} or "only" in call.marks):
            message = f"only {call.title or 'some tests'} will run"
            yield Sighting("focus-added", source.path, line(node), message)


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
