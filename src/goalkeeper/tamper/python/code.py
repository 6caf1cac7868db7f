"""Finds Python code that acts on its process or its runner, or knows that it is tested."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from goalkeeper.tamper.patterns import CodePart, NamedParts, match_code_patterns
from goalkeeper.tamper.python.names import (
    CodeScope,
    aliases,
    code_of,
    parse_python,
    qualify_name,
    string,
    walk,
    walk_all,
)
from goalkeeper.tamper.python.settled import is_settled
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import find_facts
from goalkeeper.tamper.syntax import Source
from goalkeeper.wire.pattern import late_pattern

# What `read_node` reads: to look a kind up is much faster than to match it with all of these.
_READ = frozenset(
    {
        *(ast.Attribute, ast.Name, ast.Subscript, ast.Call, ast.Raise, ast.Assign, ast.AugAssign),
        *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef),
        *(ast.Compare, ast.Constant),
    }
)
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
        if node.__class__ not in _READ or (id(node) in asked and isinstance(node, ast.Constant)):
            continue
        if not reader.may_match(node):
            continue
        found = list(match_code_patterns("python", path, reader.read_node(node, scope)))
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
        # What was reported as a question is not reported again.
        self._asked = NamedParts("python", source.path, wanted and wanted | {_QUESTION})
        self.facts = find_facts(source)
        if "environ" in source.text:
            self.facts |= {"environ"}
        if _FRAMES.search(source.text):
            self.facts |= {"frames"}

    def may_match(self, node: ast.AST) -> bool:
        """Return whether any pattern may ask for the node. Most nodes are names and constants."""
        match node:
            case ast.Attribute() | ast.Name():
                return self._asked.has("use", self._name(node))
            case ast.Constant(value=value):
                return isinstance(value, str) and self._asked.has("constant", value)
            case _:
                return True

    def read_node(self, node: ast.AST, scope: CodeScope) -> Iterator[CodePart]:
        match node:
            case ast.Attribute() | ast.Name():
                yield from self._make_part("use", self._name(node), node, scope)
            case ast.Subscript(value=value, slice=key):
                yield from self._make_part("use", self._name(node), node, scope)
                if isinstance(node.ctx, ast.Load):
                    yield from self._make_part("item", self._name(value), node, scope, key)
            case ast.Call():
                yield from self._read_call(node, scope)
            case ast.Raise(exc=ast.Name() | ast.Attribute() as exc):
                yield from self._make_part("raise", self._name(exc), exc, scope)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from self._read_assignment(target, node, scope, value)
            case ast.AugAssign(target=target, value=value):
                yield from self._read_assignment(target, node, scope, value)
            case ast.Import():
                for each in node.names:
                    yield from self._make_part("import", each.name, node, scope)
            case ast.ImportFrom(module=str(name), level=0):
                yield from self._make_part("import", name, node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from self._make_part("function", node.name, node, scope)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                yield from self._make_part("contains", self._name(right), node, scope, left)
            case ast.Compare():
                yield from self._make_part("comparison", "", node, scope)
            case ast.Constant(value=str(text)):
                yield from self._make_part("constant", text, node, scope)
            case _:
                pass

    def _make_part(
        self, kind: str, name: str, node: ast.AST, scope: CodeScope, *given: ast.expr
    ) -> Iterator[CodePart]:
        """Make a part, if any pattern asks for one of this kind and name."""
        if not self._asked.has(kind, name):
            return
        facts = self.facts
        if not scope.function:
            facts |= {"module"} if scope.is_main else {"module", "top"}
        write = partial(self._write, name, node, scope, given)
        yield CodePart(kind, name, getattr(node, "lineno", 0), facts, write)

    def _write(
        self, name: str, node: ast.AST, scope: CodeScope, given: tuple[ast.expr, ...], aspect: str
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
                return code_of(node)

    def _write_names(self, *nodes: ast.AST) -> str:
        """Write the names in the nodes: as they stand there, and in full."""
        inside = [part for node in nodes for part in walk_all(node) if isinstance(part, ast.expr)]
        written = (getattr(part, "id", getattr(part, "attr", "")) for part in inside)
        return " ".join(filter(None, (*map(self._name, inside), *written)))

    def _name(self, node: ast.expr) -> str:
        """Return the name, which is `?.f_back` where only the last part is known."""
        known = qualify_name(node, self.known)
        return known or (f"?.{node.attr}" if isinstance(node, ast.Attribute) else "")

    def _read_call(self, call: ast.Call, scope: CodeScope) -> Iterator[CodePart]:
        name, args = self._name(call.func), call.args
        yield from self._make_part("use", self._name(call), call, scope)
        yield from self._make_part("call", name, call, scope, *args)
        if name in {"setattr", "delattr"} and len(args) > 1:
            member = f"{qualify_name(args[0], self.known)}.{string(args[1])}"
            yield from self._make_part("assignment", member, call, scope)
        elif name in {"exec", "eval", "builtins.exec", "builtins.eval"} and args:
            inner = parse_python(string(args[0]) or "")
            if inner is not None:
                reader = PythonPartReader(Source(self.path, ""), inner)
                reader.facts = self.facts
                for node, inside in walk(inner):
                    for part in reader.read_node(node, inside):
                        yield part.replace(line=call.lineno)

    def _read_assignment(
        self, target: ast.expr, statement: ast.stmt, scope: CodeScope, value: ast.expr
    ) -> Iterator[CodePart]:
        match target:
            case ast.Subscript() if qualify_name(target.value, self.known) == "sys.modules":
                yield from self._make_part("assignment", f"{string(target.slice)}.*", target, scope)
            case ast.Attribute():
                yield from self._make_part("assignment", self._name(target), target, scope)
            case ast.Name(id=name):
                yield from self._make_part("assignment", name, statement, scope, value)
            case _:
                pass


def _write_argument(node: ast.expr) -> str:
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
