"""Finds JavaScript and TypeScript that acts on its process or runner, or knows it is tested."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.javascript.asserts import is_assertion, list_imported, render
from goalkeeper.tamper.javascript.body import list_parameters
from goalkeeper.tamper.javascript.names import (
    FUNCTIONS,
    arguments_of,
    find_function,
    find_imports,
    resolve_module,
)
from goalkeeper.tamper.javascript.tests import find_test_calls
from goalkeeper.tamper.patterns import CodePart, NamedParts, match_code_patterns
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import Tree, find_facts
from goalkeeper.tamper.syntax import (
    Source,
    field,
    group_nodes,
    line,
    list_steps,
    script_root,
    text,
    walk,
)
from goalkeeper.tamper.words import read_patterns
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED = {"function_declaration", "method_definition"}
# The kinds of parts that nodes may be.
_READ = {
    "assignment_expression": {"assignment"},
    "binary_expression": {"comparison"},
    "call_expression": {"test", "call", "import"},
    "function_declaration": {"definition"},
    "import_statement": {"import"},
    "member_expression": {"environment"},
    "subscript_expression": {"environment"},
    "variable_declarator": {"definition"},
}
_VARIABLE = late_pattern(r"(?:process|import\.meta)\.env(?:\.(\w+)|\[['\"`](\w+)['\"`]\])")


def may_show_tricks(source: Source) -> bool:
    """Return whether a script can break a rule, as far as its words tell."""
    telling = read_patterns("telling-script")
    return is_test(source.path) or any(each.search(source.text) for each in telling)


def find_script_tricks(
    source: Source, settled: Places = frozenset(), wanted: frozenset[str] | None = None
) -> Iterator[Sighting]:
    """Find tricks in what is not settled, which is to say the same in base and candidate.

    Those of rules that are not `wanted` may be left out.
    """
    asked = NamedParts("javascript", source.path, find_facts(source), wanted)
    reader = ScriptTrickReader(source, asked)
    nodes = _find_nodes(source, settled, asked)
    parts = (part for node in nodes for part in reader.find_parts(node))
    yield from match_code_patterns("javascript", source.path, parts)


def _find_nodes(source: Source, settled: Places, asked: NamedParts) -> list[Node]:
    """Find the nodes that rules may ask about, in the order of the source."""
    kinds = {node for node, parts in _READ.items() if parts & asked.kinds}
    known = group_nodes(source).items()
    found = [each for kind, nodes in known if kind in kinds for each in nodes]
    if settled:
        spans = _find_spans(script_root(source), sorted(settled))
        starts = [start for start, _ in spans]
        ends = [0, *(end for _, end in spans)]
        found = [x for x in found if x.start_byte >= ends[bisect_right(starts, x.start_byte)]]
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


def _find_spans(top: Node, settled: list[int]) -> list[tuple[int, int]]:
    """Return where the nodes begin and end that are settled."""
    found: list[tuple[int, int]] = []
    waiting = [*reversed(top.children)]
    while waiting:
        node = waiting.pop()
        start, end = node.byte_range
        first = bisect_left(settled, start)
        if first < len(settled) and settled[first] == start:
            found.append((start, end))
        elif first < bisect_left(settled, end):
            waiting += reversed(node.children)
    return found


class ScriptTrickReader:
    def __init__(self, source: Source, asked: NamedParts) -> None:
        self.asked = asked
        self.facts = find_facts(source)
        self.calls = find_test_calls(source)

    def find_parts(self, node: Node) -> Iterator[CodePart]:
        """Find the parts that rules may have patterns for."""
        match node.type:
            case "call_expression":
                if call := self.calls.find(node):
                    words = " ".join((call.kind, *call.marks))
                    yield from self._make_part("test", call.title or "some tests", node, words)
                given = field(node, "arguments")
                name = _write_name(field(node, "function"))
                yield from self._make_part("call", name, node, given)
                if name == "require":
                    yield from self._make_part("import", text(given).strip("()"), node)
            case "function_declaration":
                yield from self._make_part("definition", text(field(node, "name")), node)
            case "variable_declarator":
                value = field(node, "value")
                if value is not None and value.type in FUNCTIONS:
                    yield from self._make_part("definition", text(field(node, "name")), node)
            case "assignment_expression":
                target = _write_name(field(node, "left"))
                yield from self._make_part("assignment", target, node, field(node, "right"))
            case "member_expression" | "subscript_expression":
                if found := _VARIABLE.fullmatch(_write_name(node)):
                    yield from self._make_part("environment", found[1] or found[2], node)
            case "binary_expression" if text(field(node, "operator")) not in {"||", "&&", "??"}:
                name = _find_parameter(node)
                yield from self._make_part("comparison", name, node, field(node, "operator"))
            case "import_statement":
                yield from self._make_part("import", text(field(node, "source")), node)
            case _:
                pass

    def _make_part(
        self, kind: str, name: str, node: Node, given: Node | str | None = None
    ) -> Iterator[CodePart]:
        """Make a part, if any pattern asks for one of this kind and name."""
        if not self.asked.has(kind, name):
            return
        facts = self.facts if find_function(node) else self.facts | {"top"}
        # A test or a function that is edited is still the same one.
        key = name if kind in {"test", "definition"} else ""
        yield CodePart(kind, name, line(node), facts, partial(_write, node, given, key))


def _find_parameter(comparison: Node) -> str:
    """Return the parameter of a function whose type, and nothing else, is asked for by name."""
    asked, wanted = field(comparison, "left"), field(comparison, "right")
    if asked is None or wanted is None or wanted.type != "string":
        return ""
    name = text(field(asked, "argument")) if text(asked).startswith("typeof ") else ""
    around = find_function(comparison) if name else None
    is_given = around is not None and around.type in _NAMED and name in list_parameters(around)
    return name if is_given else ""


def _write(node: Node, given: Node | str | None, key: str, aspect: str) -> str:
    match aspect:
        case "arguments":
            return given if isinstance(given, str) else text(given)
        case "calls":
            return _find_guarded_calls(node)
        case "key" if key:
            return key
        case "key":
            owner = find_function(node)
            name = text(field(owner, "name")) if owner is not None else ""
            return f"{name}: {render(node, {})}"
        case _:
            return render(node, {})


def _write_name(node: Node | None) -> str:
    return text(node).replace("?.", ".")


def _find_guarded_calls(node: Node) -> str:
    """Find calls such as `if (NODE_ENV !== "test") { listen(); }`, which decide no result."""
    here: Node | None = node.parent
    while here is not None and here.type != "if_statement":
        if here.type in FUNCTIONS or here.type == "return_statement":
            return ""
        here = here.parent
    if here is None or any(part.type == "return_statement" for part in walk(here)):
        return ""
    return text(here)


def find_mocked_modules(source: Source) -> Iterator[Sighting]:
    """Find `jest.mock("./sum")` in a file that asserts on what `./sum` gives."""
    if not is_test(source.path):
        return
    if not re.search(r"\b(jest|vi)\.(mock|doMock)\b", source.text):
        return
    calls = group_nodes(source).get("call_expression", ())
    known = list_imported(source.text)
    steps = list_steps(source, script_root(source))
    whole = [x.node for x in steps if x.kind == "call_expression" and not x.is_link]
    asserted = " ".join(render(node, {}) for node in whole if is_assertion(node, known))
    imported = dict(find_imports(source))
    for node in calls:
        name = text(field(node, "function"))
        if not re.fullmatch(r"(jest|vi)\.(mock|doMock)", name):
            continue
        given = arguments_of(node)
        module = text(given[0]).strip("'\"`") if given else ""
        names = imported.get(module, [])
        if module.startswith(".") and any(f"({name}(" in asserted for name in names):
            message = f"replaces {module}, which its assertions are about"
            yield Sighting("subject-mocked", source.path, line(node), message)


def find_script_origins(source: Source, tree: Tree) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for module, names in find_imports(source):
        place = resolve_module(source.path, module) if module.startswith(".") else module
        exists = module.startswith(".") and any(
            is_test(place + ending) and tree(place + ending) is not None
            for ending in ("", ".js", ".ts")
        )
        found.update(dict.fromkeys(names, place if exists else f"{module} (no test)"))
    for node in group_nodes(source).get("function_declaration", ()):
        if text(field(node, "name")) in found:
            found[text(field(node, "name"))] = "this file"
    return found
