"""Finds Python code that acts on its process or its runner, or knows that it is tested."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from goalkeeper.tamper.patterns import CodePart, find_named_patterns, match_code_patterns
from goalkeeper.tamper.python.names import (
    CodeScope,
    Function,
    aliases,
    code_of,
    functions,
    is_false,
    is_literal,
    literals_in,
    parse_python,
    qualify_name,
    string,
    walk,
    walk_all,
    without_docstring,
)
from goalkeeper.tamper.python.settled import is_settled
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import find_facts, is_product
from goalkeeper.tamper.syntax import Source
from goalkeeper.wire.pattern import late_pattern

# What `read_node` reads: to look a kind up is much faster than to match it with all of these.
_READ = frozenset(
    {
        *(ast.Attribute, ast.Name, ast.Subscript, ast.Call, ast.Raise, ast.Assign, ast.AugAssign),
        *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
        *(ast.Compare, ast.If, ast.Constant),
    }
)
_SHARING = (ast.Global, ast.Nonlocal)
_FRAMES = late_pattern(r"co_filename|co_name|f_back|\.function\b|\\[xuUN0-7]")
_LOGS = late_pattern(r"\b(log\w*|_log\w*|warn\w*|print|report\w*|capture\w*|record\w*)\b")


def find_code_tricks(source: Source, settled: Places = frozenset()) -> Iterator[Sighting]:
    """Find tricks in what is not settled, which is to say the same in base and candidate."""
    module = parse_python(source.text)
    if module is None:
        return
    yield from _match_nodes(source.path, PythonPartReader(source, module), settled)
    if is_product(source.path):
        yield from PythonTrickReader(source, module, settled).find_function_tricks()


def _match_nodes(path: str, reader: PythonPartReader, settled: Places) -> Iterator[Sighting]:
    """Match node by node: a text in a question that was reported is not reported again."""
    asked: set[int] = set()
    for node, scope in walk(reader.module, lambda each: is_settled(each, settled)):
        if node.__class__ not in _READ or (id(node) in asked and isinstance(node, ast.Constant)):
            continue
        found = list(match_code_patterns("python", path, reader.read_node(node, scope)))
        if any(each.rule == "test-env-branch" for each in found):
            asked |= {id(each) for each in walk_all(node)}
        yield from found


class PythonPartReader:
    def __init__(self, source: Source, module: ast.Module) -> None:
        self.path = source.path
        self.module = module
        self.known = aliases(module)
        self.functions = functions(module)
        self.facts = find_facts(source)
        self._written: dict[tuple[str, Function | None], str] = {}
        if "environ" in source.text:
            self.facts |= {"environ"}
        if _FRAMES.search(source.text):
            self.facts |= {"frames"}

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
            case ast.ClassDef():
                for member in node.body:
                    name, result = _read_constant_member(member)
                    yield from self._make_part(
                        "member", f"{node.name}.{name}", member, scope, result
                    )
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                yield from self._make_part("contains", self._name(right), node, scope, left)
            case ast.Compare():
                yield from self._make_part("comparison", "", node, scope)
            case ast.If(test=test):
                yield from self._make_part("condition", "(false)" * is_false(test), node, scope)
            case ast.Constant(value=str(text)):
                yield from self._make_part("constant", text, node, scope)
            case _:
                pass

    def _make_part(
        self, kind: str, name: str, node: ast.AST, scope: CodeScope, *given: ast.expr
    ) -> Iterator[CodePart]:
        """Make a part, if any pattern asks for one of this kind and name."""
        if not find_named_patterns("python", self.path, kind, name):
            return
        facts = self.facts
        if not scope.function:
            facts |= {"module"} if scope.is_main else {"module", "top"}
        write = partial(self._write, name, node, scope, given)
        yield CodePart(kind, name, getattr(node, "lineno", 0), facts, write)

    def _write(
        self, name: str, node: ast.AST, scope: CodeScope, given: tuple[ast.expr, ...], aspect: str
    ) -> str:
        owner = self.functions.get(scope.function)
        match aspect:
            case "arguments":
                return ", ".join(map(_write_argument, given))
            case "texts":
                texts = (string(each) for each in given)
                return "\n".join(text.replace("\n", "\\n") for text in texts if text)
            case "first":
                return self._write_names(*given[:1])
            case "names":
                return self._write_names(node)
            case "lookups":
                return "\n".join(self._find_lookups(node))
            case "constants":
                return "\n".join(literals_in(node))
            case "owner":
                return _write_owner(node)
            case "literals" if isinstance(node, ast.Compare):
                return " ".join(map(code_of, filter(is_literal, (node.left, *node.comparators))))
            case "reach":
                named = [self.functions.get(self._name(each), each) for each in given]
                return "\0".join(map(code_of, named))
            case "around" | "calls":
                return self._write_surroundings(aspect, owner)
            case "key":
                return f"{scope.function}: {name}: {code_of(node)}"
            case _:
                return code_of(node)

    def _write_surroundings(self, aspect: str, owner: Function | None) -> str:
        """Write what is around a part, once for all the parts that it is around."""
        if (aspect, owner) not in self._written:
            nodes = walk_all(owner or self.module) if aspect == "calls" else ()
            calls = (each.func for each in nodes if isinstance(each, ast.Call))
            code = code_of(owner) if owner and aspect == "around" else ""
            self._written[aspect, owner] = code or "\n".join(map(self._name, calls))
        return self._written[aspect, owner]

    def _write_names(self, *nodes: ast.AST) -> str:
        """Write the names in the nodes: as they stand there, and in full."""
        inside = [part for node in nodes for part in walk_all(node) if isinstance(part, ast.expr)]
        written = (getattr(part, "id", getattr(part, "attr", "")) for part in inside)
        return " ".join(filter(None, (*map(self._name, inside), *written)))

    def _find_lookups(self, node: ast.AST) -> Iterator[str]:
        for part in walk_all(node):
            match part:
                case ast.Subscript(value=table, slice=key) | ast.Call(func=table, args=[key, *_]):
                    yield f"{self._name(table)} {string(key)}"
                case _:
                    pass

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
                reader.facts = self.facts - {"program"}
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


def _read_constant_member(member: ast.stmt) -> tuple[str, ast.expr]:
    """Return the name of a member that always answers the same, and its answer."""
    match member:
        case ast.FunctionDef(name=name, body=body):
            match without_docstring(body):
                case [ast.Return(value=ast.Constant() as result)]:
                    return name, result
                case _:
                    pass
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(body=result)):
            return name, result
        case _:
            pass
    return "", ast.Constant(None)


class PythonTrickReader:
    def __init__(self, source: Source, module: ast.Module, settled: Places) -> None:
        self.path = source.path
        self.module = module
        self.settled = settled

    def _report(
        self, rule: str, node: ast.AST, key: str, message: str, *, mild: bool = False
    ) -> Sighting:
        line = getattr(node, "lineno", 0)
        return Sighting(rule, self.path, line, message, f"{key}: {code_of(node)}", mild)

    def find_function_tricks(self) -> Iterator[Sighting]:
        laid = self._find_laid_out()
        for name, function in functions(self.module).items():
            if is_settled(function, self.settled):
                continue
            parts = list(walk_all(function))
            yield from self._find_call_count(name, parts)
            yield from self._find_turns(name, parts, laid)
            for node in parts:
                if isinstance(node, ast.Try):
                    yield from self._find_swallowed(name, node)

    def _find_laid_out(self) -> set[str]:
        laid: set[str] = set()
        for node in self.module.body:
            match node:
                case ast.Assign(
                    value=ast.Call(func=ast.Name(id="iter"), args=[ast.Tuple() | ast.List()])
                ):
                    laid |= {code_of(target) for target in node.targets}
                case _:
                    pass
        return laid

    def _find_turns(self, name: str, parts: list[ast.AST], laid: set[str]) -> Iterator[Sighting]:
        """Find answers that were laid out beforehand and are handed out one by one."""
        for part in parts if laid else ():
            match part:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=queue), *_]) if (
                    queue in laid
                ):
                    text = f"{name} hands out prepared answers in turn"
                    yield self._report("call-count-branch", part, name, text)

    def _find_call_count(self, name: str, parts: list[ast.AST]) -> Iterator[Sighting]:
        """Find a counter that outlives the call and decides what the call returns."""
        counters = [part.target for part in parts if isinstance(part, ast.AugAssign)]
        counted = {code_of(each) for each in counters if _is_outliving(each, parts)}
        for node in parts if counted else ():
            if isinstance(node, ast.If) and _is_comparing(node.test, counted):
                returned = [part for part in node.body if isinstance(part, ast.Return)]
                if any(is_literal(part.value) for part in returned):
                    text = f"{name} answers by how often it was called"
                    yield self._report("call-count-branch", node, name, text)

    def _find_swallowed(self, name: str, node: ast.Try) -> Iterator[Sighting]:
        for handler in node.handlers:
            kind = "" if handler.type is None else code_of(handler.type)
            if not re.search(r"^$|\b(Exception|BaseException|AssertionError)\b", kind):
                continue
            raises = any(isinstance(part, ast.Raise) for part in walk_all(handler))
            if raises or _LOGS.search(code_of(handler)):
                continue
            answer = next((part for part in handler.body if isinstance(part, ast.Return)), None)
            is_telling = answer is not None and is_literal(answer.value) and _is_an_answer(answer)
            text = f"{name} hides every error" + (" behind an answer" if is_telling else "")
            mild = not (is_telling or kind == "AssertionError")
            yield self._report("exception-swallowed", handler, name, text, mild=mild)


def _is_outliving(target: ast.expr, parts: list[ast.AST]) -> bool:
    """Return whether the target outlives the call: a global, a function's attribute, an item."""
    if isinstance(target, ast.Name):
        return any(isinstance(node, _SHARING) and target.id in node.names for node in parts)
    owner = getattr(target, "value", None)
    return isinstance(owner, ast.Name) and owner.id not in {"self", "cls"}


def _is_comparing(test: ast.expr, counted: set[str]) -> bool:
    return any(
        isinstance(part, ast.Compare)
        and any(isinstance(side, ast.Constant) for side in part.comparators)
        and any(code_of(side) in counted for side in walk_all(part) if isinstance(side, ast.expr))
        for part in walk_all(test)
    )


def _is_an_answer(statement: ast.Return) -> bool:
    """Return whether this is an answer; some values only say that there is nothing."""
    match statement.value:
        case ast.Constant(value=int() | float() | str() | bytes() as value):
            return value not in {0, 1, -1, "", b""}
        case ast.Tuple() | ast.List() | ast.Dict() as table:
            return any(isinstance(part, ast.Constant) for part in walk_all(table))
        case value:
            return not isinstance(value, ast.Constant | ast.UnaryOp)
