"""Every code that goalkeeper may say no with, read from its source.

A call such as `Refused("reason", …)` names one. Where the code is a parameter of the function
around the call, that function's callers are looked at instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

HOUSE = Path(__file__).parents[2] / "src" / "goalkeeper"
_CODE = re.compile(r"[a-z*…][a-z0-9*]*(-[a-z0-9*]+)*")
_PASSED_ON = ("reason", "rule", "code")  # attributes that carry a code which somebody else named


class Sink(NamedTuple):
    """Something that is called with a code: which argument it is, and whose code that is then."""

    place: int
    keyword: str
    family: str


REFUSALS, RECEIPTS, GATE, ARTIFACTS = "Refusals", "Receipts", "The strict gate", "Artifacts"
_FIRST = {
    "Refused": Sink(0, "reason", REFUSALS),
    "ReceiptRefused": Sink(0, "reason", RECEIPTS),
    "Diagnostic": Sink(1, "code", GATE),
    "Unfit": Sink(0, "code", ARTIFACTS),
    "UnfitArtifact": Sink(0, "code", ARTIFACTS),
}


class Found(NamedTuple):
    codes: dict[str, set[str]]  # by family; `*` stands for what the source does not tell
    unreadable: list[str]


def collected() -> Found:
    """A pass for each function that only hands a code on, until there is no other."""
    texts = {path: path.read_text() for path in sorted(HOUSE.rglob("*.py"))}
    parsed = cache(lambda path: ast.parse(texts[path]))
    sinks: dict[tuple[Path | None, str], Sink] = {(None, n): s for n, s in _FIRST.items()}
    while True:
        names = re.compile("|".join(rf"\b{name}\(" for _, name in sinks))
        calling = [path for path, text in texts.items() if names.search(text)]
        readers = [Reader(path, parsed(path), sinks) for path in calling]
        grown = {key: sink for reader in readers for key, sink in reader.sinks.items()}
        if not grown.keys() - sinks.keys():
            return _merged(readers)
        sinks |= grown


def _merged(readers: list[Reader]) -> Found:
    codes: dict[str, set[str]] = {}
    for reader in readers:
        for family, code in reader.codes:
            codes.setdefault(family, set()).add(code)
    return Found(codes, [line for reader in readers for line in reader.unreadable])


class Reader(ast.NodeVisitor):
    """One module."""

    def __init__(
        self, path: Path, tree: ast.Module, sinks: dict[tuple[Path | None, str], Sink]
    ) -> None:
        self.codes: set[tuple[str, str]] = set()
        self.unreadable: list[str] = []
        self.sinks: dict[tuple[Path | None, str], Sink] = {}
        self._path = path
        self._known = sinks
        self._scopes: list[ast.AST] = [tree]
        self.visit(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._scopes.append(node)
        self.generic_visit(node)
        self._scopes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        sink = self._known.get((self._path, name)) or self._known.get((None, name))
        given = _argument(node, sink) if sink else None
        if sink is None or given is None:
            return
        if isinstance(given, ast.Name) and self._is_parameter(given.id):
            self._hand_on(given.id, sink)
            return
        found = set(self._values(given))
        where = f"{self._path.relative_to(HOUSE)}:{node.lineno}: {ast.unparse(given)}"
        self.unreadable += [] if found else [where]
        self.codes |= {(sink.family, code) for code in found if _CODE.fullmatch(code)}

    def _is_parameter(self, name: str) -> bool:
        scope = self._scopes[-1]
        return isinstance(scope, ast.FunctionDef) and name in _names(scope)

    def _hand_on(self, name: str, sink: Sink) -> None:
        function = self._scopes[-1]
        assert isinstance(function, ast.FunctionDef)
        names = _names(function)
        index = names.index(name) - (names[0] == "self")
        private = self._path if function.name.startswith("_") else None
        self.sinks[private, function.name] = Sink(index, name, sink.family)
        defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
        for value in self._values(defaults[name]) if name in defaults else ():
            self.codes.add((sink.family, value))

    def _values(self, node: ast.expr) -> Iterator[str]:
        """What an expression may come to."""
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.IfExp(body=body, orelse=orelse):
                yield from self._values(body)
                yield from self._values(orelse)
            case ast.Name(id=name):
                for value in self._assigned(name):
                    yield from self._values(value)
            case ast.JoinedStr(values=parts):
                told = (p.value if isinstance(p, ast.Constant) else "*" for p in parts)
                yield "".join(map(str, told))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                for first in self._values(left):
                    yield from (first + second for second in [*self._values(right)] or ["*"])
            case ast.Attribute(attr=name) if name in _PASSED_ON:
                yield ""  # no code of its own

    def _assigned(self, name: str) -> Iterator[ast.expr]:
        for scope in (self._scopes[-1], self._scopes[0]):
            for node in ast.walk(scope):
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        yield from _to(target, node.value, name)


def _to(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _to(one, other, name)


def _names(function: ast.FunctionDef) -> list[str]:
    return [arg.arg for arg in (*function.args.args, *function.args.kwonlyargs)]


def _argument(node: ast.Call, sink: Sink) -> ast.expr | None:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    if sink.keyword in named:
        return named[sink.keyword]
    return node.args[sink.place] if len(node.args) > sink.place else None
