"""Finds Python code that acts on its process or its runner, or knows that it is tested."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import partial

from goalkeeper.tamper.patterns import CodePart, NamedParts, match_code_patterns
from goalkeeper.tamper.python.names import (
    CodeScope,
    aliases,
    forget_kept,
    parse_python,
    qualify_name,
    string,
    walk,
    walk_all,
    without_docstring,
)
from goalkeeper.tamper.python.settled import is_settled
from goalkeeper.tamper.python.writing import code_of
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import find_facts
from goalkeeper.tamper.syntax import Source
from goalkeeper.wire.pattern import late_pattern

# The kinds of parts that nodes may be. To look a node up is much faster than to match it.
_READ: Mapping[type[ast.AST], frozenset[str]] = {
    **dict.fromkeys((ast.Attribute, ast.Name), frozenset({"use"})),
    ast.Constant: frozenset({"constant"}),
    ast.Call: frozenset({"use", "call", "assignment"}),
    ast.Subscript: frozenset({"use", "item"}),
    ast.Raise: frozenset({"raise"}),
    **dict.fromkeys((ast.Assign, ast.AugAssign), frozenset({"assignment"})),
    **dict.fromkeys((ast.Import, ast.ImportFrom), frozenset({"import"})),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), frozenset({"function"})),
    ast.Compare: frozenset({"contains", "comparison"}),
}
NamedPart = tuple[
    str, str, ast.AST, Sequence[ast.AST]
]  # its kind, name, place and what it is given

_QUESTION = "test-env-branch"
_FRAMES = late_pattern(r"co_filename|co_name|f_back|\.function\b|\\[xuUN0-7]")


def find_code_tricks(
    source: Source, settled: Places = frozenset(), wanted: frozenset[str] | None = None
) -> Iterator[Sighting]:
    """Find tricks in what is not settled, which is to say the same in base and candidate.

    Those of rules that are not `wanted` may be left out.
    """
    module = parse_python(source.text)
    if module is None:
        return
    yield from _match_nodes(source.path, PythonPartReader(source, module, wanted), settled)


def _match_nodes(path: str, reader: PythonPartReader, settled: Places) -> Iterator[Sighting]:
    """Match node by node: a text in a question that was reported is not reported again."""
    asked: set[int] = set()
    for node, scope in walk(reader.module, lambda each: is_settled(each, settled)):
        if not reader.may_match(node) or (id(node) in asked and isinstance(node, ast.Constant)):
            continue
        parts = reader.read_node(node, scope)
        if not parts:
            continue
        found = list(match_code_patterns("python", path, parts))
        if any(each.rule == _QUESTION for each in found):
            asked |= {id(each) for each in walk_all(node)}
        yield from found


class PythonPartReader:
    def __init__(
        self, source: Source, module: ast.Module, wanted: frozenset[str] | None = None
    ) -> None:
        self.path = source.path
        self.module = module
        self.known = aliases(module)
        self.facts = find_facts(source)
        if "environ" in source.text:
            self.facts |= {"environ"}
        if _FRAMES.search(source.text):
            self.facts |= {"frames"}
        # What was reported as a question is not reported again.
        asked = wanted and wanted | {_QUESTION}
        self._asked = NamedParts("python", source.path, self.facts, asked)
        self._read = {node for node, kinds in _READ.items() if kinds & self._asked.kinds}
        self._dull: set[object] = set()  # names that no pattern asks for

    def may_match(self, node: ast.AST) -> bool:
        """Return whether any pattern may ask for the node. Most nodes are names and constants."""
        if node.__class__ not in self._read:
            return False
        key: object = None
        if isinstance(node, ast.Name):
            key = node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            key = node.attr, node.value.id
        if key is None or key in self._dull:
            return key is None
        is_asked = self._asked.has("use", self._name(node))
        if not is_asked:
            self._dull.add(key)
        return is_asked

    def read_node(self, node: ast.AST, scope: CodeScope) -> list[CodePart]:
        """Return the parts that any pattern may ask for. Most nodes have none."""
        parts = [
            self._make_part(kind, name, scope, place, given)
            for kind, name, place, given in self._name_parts(node)
            if self._asked.has(kind, name)
        ]
        return parts + self._read_hidden(node) if isinstance(node, ast.Call) else parts

    def _name_parts(self, node: ast.AST) -> Sequence[NamedPart]:
        """Return each part with its kind, its name, its place and what it is given."""
        match node:
            case ast.Attribute() | ast.Name():
                return [("use", self._name(node), node, ())]
            case ast.Constant(value=text):
                return [("constant", text, node, ())] if isinstance(text, str) else ()
            case ast.Call(func=called, args=args):
                name = self._name(called)
                parts: list[NamedPart] = [
                    ("use", self._name(node), node, ()),
                    ("call", name, node, args),
                ]
                if name in {"setattr", "delattr"} and len(args) > 1:
                    member = f"{qualify_name(args[0], self.known)}.{string(args[1])}"
                    parts.append(("assignment", member, node, ()))
                return parts
            case ast.Subscript(value=value, slice=key):
                use: NamedPart = ("use", self._name(node), node, ())
                is_read = isinstance(node.ctx, ast.Load)
                return [use, ("item", self._name(value), node, [key])] if is_read else [use]
            case ast.Raise(exc=ast.Name() | ast.Attribute() as exc):
                return [("raise", self._name(exc), exc, ())]
            case ast.Assign(targets=targets, value=value):
                return [x for each in targets for x in self._name_target(each, node, value)]
            case ast.AugAssign(target=target, value=value):
                return self._name_target(target, node, value)
            case ast.Import():
                return [("import", each.name, node, ()) for each in node.names]
            case ast.ImportFrom(module=str(name), level=0):
                return [("import", name, node, ())]
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return [("function", node.name, node, ())]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                return [("contains", self._name(right), node, [left])]
            case ast.Compare():
                return [("comparison", "", node, ())]
            case _:
                return ()

    def _name_target(
        self, target: ast.expr, statement: ast.stmt, value: ast.expr
    ) -> Sequence[NamedPart]:
        match target:
            case ast.Subscript() if qualify_name(target.value, self.known) == "sys.modules":
                return [("assignment", f"{string(target.slice)}.*", target, ())]
            case ast.Attribute():
                return [("assignment", self._name(target), target, ())]
            case ast.Name(id=name):
                return [("assignment", name, statement, [value])]
            case _:
                return ()

    def _read_hidden(self, call: ast.Call) -> list[CodePart]:
        """Read code that a call of `exec` or `eval` is given as a text."""
        name = self._name(call.func)
        is_hiding = name in {"exec", "eval", "builtins.exec", "builtins.eval"} and call.args
        inner = parse_python(string(call.args[0]) or "") if is_hiding else None
        if inner is None:
            return []
        reader = PythonPartReader(Source(self.path, ""), inner)
        reader.facts, reader._asked = self.facts, self._asked
        return [
            part.replace(line=call.lineno)
            for node, scope in walk(inner)
            for part in reader.read_node(node, scope)
        ]

    def _make_part(
        self, kind: str, name: str, scope: CodeScope, node: ast.AST, given: Sequence[ast.AST]
    ) -> CodePart:
        facts = self.facts
        if not scope.function:
            facts |= {"module"} if scope.is_main else {"module", "top"}
        write = partial(self._write, name, node, scope, given)
        return CodePart(kind, name, getattr(node, "lineno", 0), facts, write)

    def _write(
        self, name: str, node: ast.AST, scope: CodeScope, given: Sequence[ast.AST], aspect: str
    ) -> str:
        match aspect:
            case "arguments":
                return ", ".join(map(_write_argument, given))
            case "first":
                return self._write_names(*given[:1])
            case "owner":
                return _write_owner(node)
            case "key":
                return f"{scope.function}: {name}: {code_of(node)}"
            case _:
                return code_of(_leave_out_docstring(node))

    def _write_names(self, *nodes: ast.AST) -> str:
        """Write the names in the nodes: as they stand there, and in full."""
        inside = [part for node in nodes for part in walk_all(node) if isinstance(part, ast.expr)]
        written = (getattr(part, "id", getattr(part, "attr", "")) for part in inside)
        return " ".join(filter(None, (*map(self._name, inside), *written)))

    def _name(self, node: ast.AST) -> str:
        """Return the name, which is `?.f_back` where only the last part is known."""
        known = qualify_name(node, self.known)
        return known or (f"?.{node.attr}" if isinstance(node, ast.Attribute) else "")


def _leave_out_docstring(node: ast.AST) -> ast.AST:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node
    bare = copy(node)
    bare.body = without_docstring(node.body)
    return forget_kept(bare)


def _write_argument(node: ast.AST) -> str:
    """Write an argument; a text that is joined from parts is written as one."""
    whole = string(node)
    return code_of(node) if whole is None else repr(whole)


def _write_owner(node: ast.AST) -> str:
    """Write that of which a call or `in` asks something."""
    match node:
        case ast.Compare(comparators=[owner]) | ast.Call(func=ast.Attribute(value=owner)):
            return code_of(owner)
        case _:
            return ""
