"""The parts of a Python file that rules may have patterns for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from goalkeeper.tamper.patterns import CodePart
from goalkeeper.tamper.python.names import (
    CodeScope,
    aliases,
    code_of,
    functions,
    names_in,
    parse_python,
    qualify_name,
    string,
    walk,
)
from goalkeeper.tamper.source import find_facts
from goalkeeper.tamper.syntax import Source


class PythonPartReader:
    def __init__(self, source: Source, module: ast.Module) -> None:
        self.module = module
        self.known = aliases(module)
        self.functions = functions(module)
        self.facts = find_facts(source)
        self.asks_environment = any(
            getattr(node, "attr", getattr(node, "id", "")) == "environ" for node in ast.walk(module)
        )

    def find_parts(self) -> Iterator[CodePart]:
        asked: set[int] = set()
        for node, scope in walk(self.module):
            match node:
                case ast.Attribute() | ast.Name() | ast.Subscript():
                    yield self._make_part("use", self._name(node), node, scope)
                case ast.Call():
                    yield from self._read_call(node, scope)
                case ast.Raise(exc=ast.Name() | ast.Attribute() as exc):
                    yield self._make_part("raise", self._name(exc), exc, scope)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        yield from self._read_assignment(target, node, scope, value)
                case ast.AugAssign(target=target, value=value):
                    yield from self._read_assignment(target, node, scope, value)
                case ast.Import():
                    for each in node.names:
                        yield self._make_part("import", each.name, node, scope)
                case ast.ImportFrom(module=str(name), level=0):
                    yield self._make_part("import", name, node, scope)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield self._make_part("function", node.name, node, scope)
                case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                    yield self._make_part("contains", self._name(right), node, scope, left)
                case ast.Compare():
                    yield self._make_part("comparison", "", node, scope)
                case ast.Constant(value=str(text)) if id(node) not in asked:
                    yield self._make_part("constant", text, node, scope)
            for word in self.find_asked_words(node):
                asked |= {id(part) for part in ast.walk(node)}
                yield self._make_part("environment", word, node, scope)

    def _make_part(
        self, kind: str, name: str, node: ast.AST, scope: CodeScope, *given: ast.expr
    ) -> CodePart:
        facts = self.facts if scope.function or scope.is_main else self.facts | {"top"}
        write = partial(self._write, node, scope, given)
        return CodePart(kind, name, getattr(node, "lineno", 0), facts, write)

    def _write(
        self, node: ast.AST, scope: CodeScope, given: tuple[ast.expr, ...], aspect: str
    ) -> str:
        owner = self.functions.get(scope.function)
        match aspect:
            case "arguments":
                return ", ".join(map(_write_argument, given))
            case "names":
                return " ".join(names_in(given[0])) if given else ""
            case "reach":
                named = [self.functions.get(self._name(each), each) for each in given]
                return "\n".join(map(code_of, named))
            case "around":
                return code_of(owner) if owner else ""
            case "calls":
                inside = ast.walk(owner or self.module)
                return "\n".join(
                    self._name(each.func) for each in inside if isinstance(each, ast.Call)
                )
            case "key":
                return f"{scope.function}: {code_of(node)}"
            case _:
                return code_of(node)

    def _name(self, node: ast.expr) -> str:
        """This is `?.f_back` where only the last name is known."""
        known = qualify_name(node, self.known)
        return known or (f"?.{node.attr}" if isinstance(node, ast.Attribute) else "")

    def _read_call(self, call: ast.Call, scope: CodeScope) -> Iterator[CodePart]:
        name, args = self._name(call.func), call.args
        yield self._make_part("use", self._name(call), call, scope)
        yield self._make_part("call", name, call, scope, *args)
        if name in {"setattr", "delattr"} and len(args) > 1:
            member = f"{qualify_name(args[0], self.known)}.{string(args[1])}"
            yield self._make_part("assignment", member, call, scope)
        elif name in {"exec", "eval", "builtins.exec", "builtins.eval"} and args:
            inner = parse_python(string(args[0]) or "")
            if inner is not None:
                reader = PythonPartReader(Source("", ""), inner)
                reader.facts = self.facts - {"program"}
                yield from (part.replace(line=call.lineno) for part in reader.find_parts())

    def _read_assignment(
        self, target: ast.expr, statement: ast.stmt, scope: CodeScope, value: ast.expr
    ) -> Iterator[CodePart]:
        match target:
            case ast.Subscript() if qualify_name(target.value, self.known) == "sys.modules":
                yield self._make_part("assignment", f"{string(target.slice)}.*", target, scope)
            case ast.Attribute():
                yield self._make_part("assignment", self._name(target), target, scope)
            case ast.Name(id=name):
                yield self._make_part("assignment", name, statement, scope, value)
            case _:
                pass

    def find_asked_words(self, node: ast.AST) -> list[str]:
        """This finds the names of variables that the node looks up in the environment."""
        match node:
            case ast.Subscript(value=value, slice=key, ctx=ast.Load()) if self._is_environment(
                value
            ):
                asked = key
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]) if (
                self._is_environment(right)
            ):
                asked = left
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[first, *_]) if (
                self._is_environment(value)
            ):
                asked = first
            case ast.Call(func=ast.Attribute(attr="startswith"), args=[first, *_]):
                word = string(first) or ""
                return [word] if word.startswith("PYTEST") and self.asks_environment else []
            case ast.Call(func=func, args=[first, *_]):
                name = qualify_name(func, self.known)
                if name == "hasattr" and "sys" in code_of(first):
                    asked = node.args[-1]
                elif name == "os.getenv":
                    asked = first
                else:
                    return []
            case _:
                return []
        return [string(asked) or ""]

    def _is_environment(self, node: ast.expr) -> bool:
        return qualify_name(node, self.known) in {"os.environ", "environ", "os.environb"}


def _write_argument(node: ast.expr) -> str:
    """A text that is glued together is written as one."""
    whole = string(node)
    return code_of(node) if whole is None else repr(whole)
