"""Reads the tests of a JavaScript or TypeScript file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.asserts import list_imported, render, unify_quotes
from goalkeeper.tamper.javascript.body import Helper, Helpers, ScriptBodyReader, list_parameters
from goalkeeper.tamper.javascript.names import (
    ENDINGS,
    arguments_of,
    find_functions,
    find_imports,
    resolve_module,
)
from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.source import Tree
from goalkeeper.tamper.syntax import (
    Source,
    field,
    group_nodes,
    line,
    list_steps,
    measure_source,
    script_root,
    text,
    text_of,
    tokens,
    walk,
)
from goalkeeper.tamper.testing import Code, SkipMark, Test, TestFile, fingerprint
from goalkeeper.tamper.words import read_pattern, read_words
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_TESTS = {"it", "test", "specify", "xit", "xtest", "fit", "xspecify", "ftest"}
_GROUPS = {"describe", "context", "suite", "xdescribe", "fdescribe", "xcontext"}
_FIRST = late_pattern(rf"(?:{'|'.join(sorted(_TESTS | _GROUPS))})\b".encode())
_OFF = {"skip", "todo", "failing", "fails"}
_GIVEN_FUNCTIONS = {"arrow_function", "function_expression", "generator_function"}
_VERBATIM = frozenset({"string", "template_string", "regex", "jsx_text"})
_COMMENTS = frozenset({"comment", "html_comment"})
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_SKIPPED = late_pattern(r"\b(skip|todo):\s*(?!false)(\S+)")
_SKIP_CALL = late_pattern(r"(this|t|ctx|context)\.skip|t\.todo")
_REPLACING = late_pattern(r"(spyOn|mock\.method|stub|replace)$")
MOST_DEPTH = 20  # groups may be nested so deep
MOST_TESTS_AROUND = 2  # each reads again what is in it
MOST_TITLE = 300  # a title is repeated in all that it encloses


class TestCall(Value):
    """A call of `describe`, `it` and the like, with what it is given."""

    __test__ = False  # pytest would collect it by its name

    node: Node
    kind: str  # the word itself: `it` of `it.only`, `test` of `t.test`
    marks: tuple[str, ...]
    title: str | None  # it is None where only a value tells it
    function: Node | None

    @property
    def is_group(self) -> bool:
        return self.kind in _GROUPS


class _Place(Value):
    titles: tuple[str, ...] = ()
    skips: tuple[SkipMark, ...] = ()
    tests_around: int = 0


def is_script_test_path(path: str) -> bool:
    return bool(
        re.search(r"[.-](test|spec)\.[cm]?[jt]sx?$|(^|/)(__tests__|tests?)/.*[jt]sx?$", path)
    )


def read_script_tests(source: Source, tree: Tree | None, settled: Places = frozenset()) -> TestFile:
    """Read the tests; those that begin at bytes which are `settled` are left out."""
    top = script_root(source)
    helpers = None
    if tree is not None:
        known = {**dict(_find_imported_helpers(source, tree)), **_list_helpers(source)}
        helpers = Helpers(known)
    found = tuple(_find_tests(source, top, helpers, settled))
    return TestFile(found, has_errors=top.has_error)


@remember(measure_source)
def _list_helpers(source: Source) -> Mapping[str, Helper]:
    imported = list_imported(source.text)
    return {name: Helper(source, node, imported) for name, node in find_functions(source)}


def _find_imported_helpers(source: Source, tree: Tree) -> Iterator[tuple[str, Helper]]:
    """Find functions that the file imports from test files beside it."""
    for module, names in find_imports(source):
        place = resolve_module(source.path, module) if module.startswith(".") else ""
        for ending in ENDINGS if place else ():
            data = tree(place + ending) if is_test(place + ending) else None
            if data is not None:
                found = _list_helpers(Source(place + ending, text_of(data)))
                yield from ((name, found[name]) for name in names if name in found)
                break


def _find_tests(
    source: Source, top: Node, helpers: Helpers | None, settled: Places
) -> Iterator[Test]:
    calls = find_test_calls(source)
    waiting = [(child, _Place()) for child in reversed(top.children)]
    while waiting:
        node, place = waiting.pop()
        start, end = node.byte_range
        is_empty = bisect_left(calls.starts, start) == bisect_left(calls.starts, end)
        if is_empty or start in settled:
            continue
        call = calls.find(node)
        is_place = call is not None and (call.is_group or call.title is not None)
        if call is not None and is_place and len(place.titles) < MOST_DEPTH:
            titles = place.titles if call.title is None else (*place.titles, call.title)
            skips = (*place.skips, *_find_skips(call))
            # Reports name a test that holds others; rules look at each of those by itself.
            is_group = call.is_group or (helpers is not None and has_inner_tests(call, calls))
            inner = _Place(titles, skips, place.tests_around + (not is_group))
            if not is_group and place.tests_around <= MOST_TESTS_AROUND:
                yield _read_test(source, call, inner, helpers)
            node, place = call.function or node, inner
        waiting += [(child, place) for child in reversed(node.children)]


class TestCalls:
    """The calls in a file that are about tests. Each is read once."""

    __test__ = False  # pytest would collect it by its name

    def __init__(self, source: Source) -> None:
        nodes = group_nodes(source).get("call_expression", ())
        data = source.text.encode(errors="replace")
        likely = (
            node
            for node in nodes
            if _FIRST.match(data, node.start_byte) or _is_named_so(field(node, "function"))
        )
        self._known = {node.byte_range: call for node in likely if (call := read_test_call(node))}
        self.starts = sorted(start for start, _ in self._known)

    def find(self, node: Node) -> TestCall | None:
        return self._known.get(node.byte_range) if node.type == "call_expression" else None


def _is_named_so(callee: Node | None) -> bool:
    if callee is None or callee.type != "member_expression":
        return callee is not None and callee.type == "call_expression"
    last = text(field(callee, "property"))
    return last in _TESTS or last in _GROUPS or last in read_words("script-modifier")


find_test_calls = remember(measure_source)(TestCalls)


def read_test_call(node: Node) -> TestCall | None:
    """Return None for a call that is about no test.

    A title is a text, or whatever stands before a function. A call without either counts if it is
    made on a runner's own word: it may skip or single out what it is given.
    """
    callee = field(node, "function") if node.type == "call_expression" else None
    names = _find_names(callee)
    marks: list[str] = []
    while names[1:] and names[-1] in read_words("script-modifier"):
        marks.append(names.pop())
    if not names:
        return None
    first, last = names[0], names[-1]
    known = _TESTS | _GROUPS
    is_member = last in known and (len(names) <= 2 or first in _TESTS)  # noqa: PLR2004
    kind = last if is_member else first
    given = [each for each in arguments_of(node) if each.type not in _COMMENTS]
    functions = [each for each in given[1:] if each.type in _GIVEN_FUNCTIONS]
    is_titled = bool(given) and given[0].type in {"string", "template_string"}
    if kind not in known or not (functions or first in known):
        return None
    title = _read_title(given[0]) if functions or is_titled else None
    words = (*marks, *names[1:])
    return TestCall(node, kind, words, title, functions[-1] if functions else None)


def has_inner_tests(call: TestCall, calls: TestCalls) -> bool:
    """Return whether a test only holds others, as `t.test(…)` in it."""
    body = field(call.function, "body") if call.function is not None else None
    statements = body.named_children if body is not None else []
    inner = (each.named_children[0] for each in statements if each.type == "expression_statement")
    inside = [calls.find(each) for each in inner]
    return any(each is not None and each.function is not None for each in inside)


def _find_names(callee: Node | None) -> list[str]:
    """Return `it` and `each` for `it.each(table)`. The list is empty if no name is called."""
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
    return read_pattern("script-escape").sub(_unescape, whole[1:-1])[:MOST_TITLE]


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _ESCAPES.get(found[4], found[4])
    return chr(min(int(code, 16), 0x10FFFF))


def _find_skips(call: TestCall) -> Iterator[SkipMark]:
    at = line(call.node)
    if call.kind.startswith("x"):
        yield SkipMark(call.kind, at)
    for mark in call.marks:
        if mark in _OFF:
            yield SkipMark(f".{mark}", at, xfail=mark in {"failing", "fails"})
        elif mark in {"skipIf", "runIf"}:
            yield SkipMark(f".{mark}", at)
    for node in arguments_of(call.node)[1:]:
        if node.type == "object" and (found := _SKIPPED.search(text(node))):
            # What only a condition tells may not hold here.
            elsewhere = not re.match(r"true\b|['\"`\d]", found[2])
            yield SkipMark(f"{{{found[1]}}}", at, elsewhere=elsewhere)


def _read_test(source: Source, call: TestCall, place: _Place, helpers: Helpers | None) -> Test:
    function = call.function
    name = " > ".join(place.titles)
    collected = is_script_test_path(source.path)
    if function is None:
        code = partial(Code, "")
        return Test(
            source.path, name, line(call.node), code, skips=place.skips, collected=collected
        )
    test = Test(
        source.path,
        name,
        line(call.node),
        cache(partial(_read_code, call, function)),
        partial(_outline, function),
        is_part=place.tests_around > 1,
    )
    if helpers is None or test.is_part:
        return test
    owner = next(iter(list_parameters(function)), "t")
    reader = ScriptBodyReader(helpers, list_imported(source.text), owner=owner)
    calls: list[Node] = []
    if function.type != "generator_function":  # a runner calls it, and so only makes an iterator
        reader.read(source, function, {owner: "t"})
        steps = list_steps(source, function)
        calls = [step.node for step in steps if step.kind == "call_expression"]
    inside = [
        SkipMark(f"{name}()", line(node))
        for node in calls
        if _SKIP_CALL.fullmatch(name := text(field(node, "function")))
    ]
    return test.replace(
        assertions=tuple(reader.assertions),
        skips=(*place.skips, *inside),
        cases=tuple(_find_cases(call.node)),
        looped=tuple(_find_looped(source, function)) if " of " in text(function) else (),
        mocked=frozenset(_find_mocked(calls)),
        early_return=reader.early_return,
        names=cache(partial(_find_names_in, function)),
        collected=collected,
    )


def _outline(function: Node) -> object:
    """Return the kinds of statements."""
    body = field(function, "body")
    if body is None or body.type != "statement_block":
        return ()
    return tuple(each.type for each in body.named_children if each.type not in _COMMENTS)


def _read_code(call: TestCall, function: Node) -> Code:
    body = field(function, "body")
    table = field(call.node, "function", "arguments")
    frame = [each for each in function.children if each != body]
    return Code(
        fingerprint(_find_words(body)),
        fingerprint(word for node in (table, *frame) for word in _find_words(node)),
    )


def _find_names_in(function: Node) -> frozenset[str]:
    if function.type == "generator_function":
        return frozenset()
    return frozenset(text(node) for node in walk(function) if node.type == "identifier")


def _find_words(node: Node | None) -> Iterator[str]:
    return (
        map(unify_quotes, tokens(node, verbatim=_VERBATIM, dropped=_COMMENTS)) if node else iter(())
    )


def _find_cases(call: Node) -> Iterator[str]:
    """Find the cases of a test, which are the rows of `it.each([…])`."""
    here = field(call, "function")
    if here is None or here.type != "call_expression":
        return
    for table in arguments_of(here)[:1]:
        if table.type == "array":
            yield from (render(row, {}) for row in table.named_children if row.type != "comment")


def _find_looped(source: Source, function: Node) -> Iterator[str]:
    """Find the rows of the tables that a test loops over, written there or above it."""
    tables = _list_tables(source)
    for node in walk(function):
        if node.type == "for_in_statement" and (given := field(node, "right")) is not None:
            table = tables.get(text(given)) if given.type == "identifier" else given
            if table is not None and table.type == "array":
                yield from (render(row, {}) for row in table.named_children)


@remember(measure_source)
def _list_tables(source: Source) -> Mapping[str, Node]:
    named = group_nodes(source).get("variable_declarator", ())
    pairs = ((field(node, "name"), field(node, "value")) for node in named)
    return {text(name): value for name, value in pairs if name and value and value.type == "array"}


def _find_mocked(calls: list[Node]) -> Iterator[str]:
    for node in calls:
        if _REPLACING.search(text(field(node, "function"))):
            given = [text(each).strip("'\"`") for each in arguments_of(node)]
            if len(given) > 1 and given[1]:  # a text may be replaced by nothing
                yield given[1]
