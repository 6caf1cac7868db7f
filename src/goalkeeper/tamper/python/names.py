"""Names, constants and scopes in Python source."""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.python.writing import WRITTEN, code_of
from goalkeeper.tamper.source import folder
from goalkeeper.wire.value import Value

Node = TypeVar("Node", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Python adds kinds of nodes now and then, so those that tell nothing are left out.
_TELLING_NOTHING = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
_BORDERS = frozenset(
    {ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.If}
)
_HOLDERS = frozenset({ast.Module, ast.ClassDef})
_PLAIN = frozenset({"id", "attr", "arg", "ctx", "op", "ops", "kind", "type_comment"})
_LINE = 40  # characters, on average
_KEPT = "_goalkeeper_parts"
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_ROOTS = ("", "src", "lib", "tests")  # folders in which projects keep what they import


def _list_kinds(kind: type[ast.AST]) -> Iterator[type[ast.AST]]:
    yield kind
    for each in kind.__subclasses__():
        if each not in _TELLING_NOTHING:
            yield from _list_kinds(each)


def _list_fields(kind: type[ast.AST]) -> Sequence[str]:
    """Return the fields that may hold nodes."""
    plain = _PLAIN | {"value"} if kind is ast.Constant else _PLAIN
    return [name for name in kind._fields if name not in plain]


# To look a kind up is much faster than isinstance.
_FIELDS = {kind: _list_fields(kind) for kind in _list_kinds(ast.AST)}


@remember(len)
def parse_python(text: str) -> ast.Module | None:
    """Return the tree, or None if the text is no Python. Callers must not change the tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def forget_kept(node: Node) -> Node:
    """Forget what is kept of a node's parts and text; a copy with other parts has others."""
    for kept in (_KEPT, WRITTEN):
        node.__dict__.pop(kept, None)
    return node


def fields_of(node: ast.AST) -> Sequence[str]:
    """Return the fields of a node that may hold others."""
    return _FIELDS[node.__class__]


def plain_name(node: ast.AST) -> str:
    """Return a name with its dots; it is empty for the member of something that has no name."""
    names: list[str] = []
    here = node
    while isinstance(here, ast.Attribute):
        names.append(here.attr)
        here = here.value
    return ".".join([here.id, *reversed(names)]) if isinstance(here, ast.Name) else ""


def walk_all(top: ast.AST) -> Iterator[ast.AST]:
    """Yield what `ast.walk` yields, but for contexts and operators, in a third of its time."""
    waiting = deque([top])
    while waiting:
        node = waiting.popleft()
        yield node
        if _FIELDS[node.__class__]:
            waiting += find_parts(node)


class CodeScope(Value):
    function: str  # the qualified name of the innermost function; empty at module level
    is_main: bool  # it stands below `if __name__ == "__main__"`


def walk(
    module: ast.AST, is_left_out: Callable[[ast.AST], bool] = lambda _: False
) -> Iterator[tuple[ast.AST, CodeScope]]:
    """Yield every node with its scope, without recursion, scope by scope.

    What encloses a node comes before it. Of a module and its classes, statements may be left out.
    """
    scopes = deque([([module], CodeScope("", False), "")])  # noqa: FBT003  the one field it has
    while scopes:
        waiting, scope, prefix = scopes.popleft()
        while waiting:
            node = waiting.pop()
            yield node, scope
            kind = node.__class__
            if not _FIELDS[kind]:
                continue
            parts = find_parts(node)
            if kind not in _BORDERS:
                waiting += reversed(parts)
            elif kind is ast.If:
                main = _find_main_statements(node)
                waiting += [each for each in reversed(parts) if each not in main]
                if main:
                    scopes.append(([*reversed(main)], scope.replace(is_main=True), prefix))
            else:
                inner = f"{prefix}{getattr(node, 'name', '<lambda>')}."
                if kind not in _HOLDERS:
                    named = scope.replace(function=inner[:-1])
                    scopes.append(([*reversed(parts)], named, inner))
                    continue
                left = [each for each in reversed(parts) if not is_left_out(each)]
                if kind is ast.Module:
                    waiting += left
                else:
                    scopes.append((left, scope, inner))


def find_parts(node: ast.AST) -> Sequence[ast.AST]:
    """Return the nodes right below one, which keeps them: several readers walk the same tree."""
    names = _FIELDS[node.__class__]
    if not names:
        return ()
    mine = node.__dict__
    known: tuple[ast.AST, ...] | None = mine.get(_KEPT)
    if known is not None:
        return known
    found: list[ast.AST] = []
    for name in names:
        value: Any = mine.get(name)
        kind = value.__class__
        if kind is list:
            found += [part for part in value if part.__class__ in _FIELDS]
        elif kind in _FIELDS:
            found.append(value)
    kept = tuple(found)
    mine[_KEPT] = kept
    return kept


def _find_main_statements(node: ast.AST) -> Sequence[ast.AST]:
    """Return what runs only in a program; another name, or the `else`, may be an import."""
    match node:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id="__name__"),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value="__main__")],
            )
        ):
            return node.body
        case _:
            return ()


def _measure_module(module: ast.Module) -> int:
    """Return about how many characters a module has."""
    return _LINE * (module.body[-1].end_lineno or 1) if module.body else 1


@remember(_measure_module)
def functions(module: ast.Module) -> Mapping[str, Function]:
    """Map qualified names to functions. Of two with the same name, Python keeps the later one."""
    found: dict[str, Function] = {}
    waiting: list[tuple[ast.AST, str]] = [(module, "")]
    while waiting:
        node, prefix = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found[prefix + child.name] = child
            elif isinstance(child, ast.ClassDef):
                waiting.append((child, f"{prefix}{child.name}."))
            elif isinstance(child, ast.If | ast.Try | ast.With):
                waiting.append((child, prefix))
    return found


@remember(_measure_module)
def find_statements(module: ast.Module) -> list[ast.stmt]:
    """Return every statement, also those in others; expressions hold no statements."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        for name in _BLOCKS:
            for part in getattr(node, name, ()):
                if isinstance(part, ast.stmt):
                    found.append(part)
                waiting.append(part)
    return found


@remember(_measure_module)
def aliases(module: ast.Module) -> Mapping[str, str]:
    """Map each local name to the full name that was imported."""
    found: dict[str, str] = {}
    for node in find_statements(module):
        if isinstance(node, ast.Import):
            for name in node.names:
                local = name.asname or name.name.partition(".")[0]
                found[local] = name.name if name.asname else local
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                found[name.asname or name.name] = f"{node.module or ''}.{name.name}"
    return found


def find_import_paths(node: ast.ImportFrom, path: str) -> Iterator[str]:
    """Yield files that `from … import` may mean in the file at `path`."""
    name = (node.module or "").replace(".", "/")
    here = folder(path)
    for _ in range(max(node.level - 1, 0)):
        here = folder(here)
    yield from find_module_paths(name, [here] if node.level else [here, *_ROOTS])


def find_module_paths(name: str, folders: Iterable[str] = _ROOTS) -> Iterator[str]:
    """Yield files that may be a module, of which the name has slashes for its dots."""
    for each in folders:
        for tail in (f"{name}.py", f"{name}/__init__.py"):
            yield f"{each}/{tail}" if each else tail


def qualify_name(node: ast.AST | None, known: Mapping[str, str]) -> str:
    """Return `os._exit` for all ways to write it that need no running; else an empty text."""
    match node:
        case ast.Name(id=name):
            return known.get(name, name)
        case ast.Attribute(value=value, attr=attr):
            inner = qualify_name(value, known)
            return f"{inner}.{attr}" if inner else ""
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module")
            | ast.Attribute(attr="__import__" | "import_module"),
            args=[first, *_],
        ):
            return string(first) or ""
        case (
            ast.Call(func=ast.Name(id="getattr"), args=[value, name, *_])
            | ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[value]), slice=name)
            | ast.Subscript(value=ast.Attribute(value=value, attr="__dict__"), slice=name)
        ):
            owner, member = qualify_name(value, known), string(name)
            return f"{owner}.{member}" if owner and member else ""
        case ast.Subscript(value=value, slice=name) if qualify_name(value, known) == "sys.modules":
            return string(name) or ""
        case _:
            return ""


def string(node: ast.AST | None) -> str | None:
    """Read a text constant, also one that is joined from constants."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = string(left), string(right)
            return None if first is None or second is None else first + second
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str(glue)), attr="join"),
            args=[ast.List(elts=parts) | ast.Tuple(elts=parts)],
        ):
            texts = [string(part) for part in parts]
            return None if None in texts else glue.join(text for text in texts if text is not None)
        case _:
            return None


def is_literal(node: ast.AST | None) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return is_literal(operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(is_literal(part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(key and is_literal(key) for key in keys) and all(map(is_literal, values))
        case _:
            return False


def read_entries(node: ast.Dict) -> Iterator[tuple[str, str]]:
    """Yield the entries of a table of which both sides are literals."""
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None and is_literal(key) and is_literal(value):
            yield code_of(key), code_of(value)


def is_true(node: ast.AST) -> bool:
    """Return whether the condition always holds, as far as reading shows."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=parts):
            return bool(parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_false(operand)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(is_true(value) for value in values)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(is_true(value) for value in values)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
        case ast.Call(func=ast.Name(id="bool" | "all" | "any"), args=[ast.Constant(value=value)]):
            return bool(value)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _is_true_comparison(left, operator, right)
        case _:
            return False


def _is_true_comparison(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    is_length = isinstance(left, ast.Call) and getattr(left.func, "id", "") == "len"
    if is_length and isinstance(operator, ast.GtE):
        return isinstance(right, ast.Constant) and right.value == 0
    if not isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE):
        return False
    return left.__class__ is right.__class__ and code_of(left) == code_of(right)


def is_false(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return not value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_true(operand)
        case ast.BoolOp(op=ast.And(), values=values):
            return any(is_false(value) for value in values)
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case _:
            return False


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def names_in(node: ast.AST) -> frozenset[str]:
    names = (getattr(part, "id", getattr(part, "attr", "")) for part in walk_all(node))
    return frozenset(name for name in names if name)


def literals_in(node: ast.AST) -> frozenset[str]:
    return frozenset(
        repr(part.value)
        for part in walk_all(node)
        if isinstance(part, ast.Constant) and part.value is not None
    )


def parameters(function: Function) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [argument.arg for argument in every if argument.arg not in {"self", "cls"}]
