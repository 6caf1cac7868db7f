"""Reads the tests of a Python file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TypeVar

from goalkeeper.tamper.python.asserts import (
    call_name,
    find_table,
    skip_of_call,
    skip_of_decorator,
    skips_in_marks,
)
from goalkeeper.tamper.python.body import PythonBodyReader, find_constants, mock_target
from goalkeeper.tamper.python.names import (
    Function,
    find_import_paths,
    find_parts,
    find_statements,
    functions,
    parameters,
    parse_python,
    read_entries,
    walk_all,
    without_docstring,
)
from goalkeeper.tamper.python.settled import first_line, split_lines
from goalkeeper.tamper.python.writing import code_of
from goalkeeper.tamper.settled import WORD, Places
from goalkeeper.tamper.source import Tree, base_name, folder, is_test_code
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.testing import Code, SkipMark, Test, TestFile, fingerprint
from goalkeeper.tamper.words import read_pattern
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

Imported = TypeVar("Imported")

_FILE = late_pattern(r"test_.*\.py|.*_test\.py|tests?\.py|.*_tests\.py")
_MEANINGFUL_MARKS = {"parametrize", "usefixtures"}
MOST_NAME = 300  # a name is repeated in all that it encloses


class ClassContext(Value):
    """What the classes around a function say of it."""

    name: str = ""  # it has dots
    collected: bool = True
    skips: tuple[SkipMark, ...] = ()


def is_collected_path(path: str) -> bool:
    parts = filter(None, folder(path).split("/"))
    aside = any(map(read_pattern("aside-folder").fullmatch, parts))
    return bool(_FILE.fullmatch(base_name(path))) and not aside


def read_python_tests(
    source: Source, tree: Tree | None, settled: Places = frozenset()
) -> TestFile | None:
    """Read the tests; those that begin at lines which are `settled` are left out."""
    module = parse_python(source.text)
    if module is None:
        return None
    return TestFile(tuple(PythonTestReader(source, module, tree, settled).read_tests()))


class PythonTestReader:
    def __init__(
        self, source: Source, module: ast.Module, tree: Tree | None, settled: Places = frozenset()
    ) -> None:
        self.source = source
        self.module = module
        self.settled = settled
        self.lines = split_lines(source.text)
        self.functions = functions(module)
        self.names_only = tree is None
        helpers = list(_find_imported_modules(module, source.path, tree)) if tree else []
        self.imported = _find_imported(helpers, functions)
        self.constants = find_constants(module, _find_imported(helpers, find_constants))
        self.tables = {n: x for n, x in self.constants.items() if isinstance(x, ast.Dict)}
        self.is_collected = is_collected_path(source.path) and not _is_off(module.body)
        self.rebound = _find_rebound_names(module)
        self.bases_of = {
            node.name: [code_of(base) for base in node.bases]
            for node in find_statements(module)
            if isinstance(node, ast.ClassDef)
        }
        self.bases = set(self._find_bases_of_tests())

    def _find_bases_of_tests(self) -> Iterator[str]:
        """Find classes whose tests run because a class that is collected inherits them."""
        waiting = [
            name for name, bases in self.bases_of.items() if "Test" in " ".join((name, *bases))
        ]
        seen = set(waiting)
        while waiting:
            for base in self.bases_of.get(waiting.pop(), ()):
                yield base
                if base not in seen:
                    seen.add(base)
                    waiting.append(base)

    def read_tests(self) -> Iterator[Test]:
        """Yield the tests. Of two functions with the same name, Python keeps the later one."""
        bare = [skip for statement in self.module.body for skip in _find_bare_skips(statement)]
        whole = ClassContext(skips=(*_find_marks(self.module.body), *bare))
        named = {
            (f"{group.name}." if group.name else "") + function.name: (function, group)
            for function, group in self._find_functions(self.module.body, whole)
        }
        for name, (function, group) in named.items():
            if first_line(function) in self.settled:
                continue
            is_named = function.name.startswith("test") and name not in self.rebound
            collected = self.is_collected and group.collected and is_named
            if self.names_only:
                if function.name.startswith("test"):
                    yield self._read_name(name, function)
            elif collected or _looks_like_a_test(function.name, function):
                yield self._read_test(name, function, group.skips, collected=collected)

    def _find_functions(
        self, statements: Iterable[ast.stmt], group: ClassContext
    ) -> Iterator[tuple[Function, ClassContext]]:
        for statement in statements:
            if isinstance(statement, Function):
                yield statement, group
            elif isinstance(statement, ast.ClassDef):
                if len(statement.name) <= MOST_NAME:
                    yield from self._find_functions(
                        statement.body, self._enter_class(statement, group)
                    )
            elif self.names_only or not isinstance(statement, ast.For | ast.AsyncFor | ast.While):
                # Tests may stand in an if, a try or a with; but a loop may run no time at all.
                yield from self._find_functions(_find_inner_statements(statement), group)

    def _enter_class(self, node: ast.ClassDef, group: ClassContext) -> ClassContext:
        bases = " ".join(code_of(base) for base in node.bases)
        named = node.name.startswith("Test") or "Test" in bases or node.name in self.bases
        is_on = not _is_off(node.body) and node.name not in self.rebound
        marks = [skip for each in node.decorator_list if (skip := skip_of_decorator(each))]
        return ClassContext(
            f"{group.name}.{node.name}".lstrip("."),
            collected=group.collected and named and is_on,
            skips=(*group.skips, *marks, *_find_marks(node.body)),
        )

    def _read_name(self, name: str, function: Function) -> Test:
        code = cache(partial(_read_code, function, name))
        outline = partial(_outline, function)
        names = cache(partial(self._find_words, function))
        return Test(self.source.path, name, function.lineno, code, outline, names)

    def _find_words(self, function: Function) -> frozenset[str]:
        written = self.lines[first_line(function) - 1 : function.end_lineno]
        return frozenset(WORD.findall("\n".join(written)))

    def _read_test(
        self, name: str, function: Function, skips: tuple[SkipMark, ...], *, collected: bool
    ) -> Test:
        owner = name.rpartition(".")[0]
        body = PythonBodyReader(lambda helper: self._find_helper(helper, owner), self.constants)
        body.read(function)
        marks = [skip for each in function.decorator_list if (skip := skip_of_decorator(each))]
        cases, case_skips = self._read_cases(function)
        mocks = [
            mock_target(each) for each in function.decorator_list if isinstance(each, ast.Call)
        ]
        return self._read_name(name, function).replace(
            assertions=tuple(body.assertions),
            skips=(*skips, *marks, *case_skips, *body.skips),
            cases=(*cases, *body.cases),
            entries=tuple(self._find_entries(function)),
            mocked=frozenset(body.mocked | {mock for mock in mocks if mock}),
            early_return=body.early_return,
            collected=collected,
        )

    def _find_entries(self, function: Function) -> Iterator[str]:
        names = self._find_words(function) if self.tables else frozenset()
        for name in sorted(names & self.tables.keys()):
            yield from (f"{key}: {value}" for key, value in read_entries(self.tables[name]))

    def _find_helper(self, name: str, owner: str) -> Function | None:
        if name.startswith("self."):
            return self.functions.get(f"{owner}.{name[5:]}") or self._find_inherited(
                owner, name[5:]
            )
        return self.functions.get(name) or self.imported.get(name)

    def _find_inherited(self, owner: str, method: str) -> Function | None:
        waiting, seen = [*self.bases_of.get(owner, ())], {owner}
        while waiting:
            base = waiting.pop(0)
            if found := self.functions.get(f"{base}.{method}"):
                return found
            if base not in seen:
                seen.add(base)
                waiting += self.bases_of.get(base, ())
        return None

    def _read_cases(self, function: Function) -> tuple[list[str], list[SkipMark]]:
        cases: list[str] = []
        skips: list[SkipMark] = []
        for decorator in function.decorator_list:
            if call_name(decorator) not in {"parametrize", "expand"}:
                continue
            assert isinstance(decorator, ast.Call)  # noqa: S101  it has a call's name
            given = decorator.args[call_name(decorator) == "parametrize" :]  # names come first
            given += [each.value for each in decorator.keywords if each.arg == "argvalues"]
            for table in (find_table(each, self.constants) for each in given):
                if not isinstance(table, ast.List | ast.Tuple):
                    continue
                for case in table.elts:
                    if not isinstance(case, ast.Call) or call_name(case) != "param":
                        cases.append(code_of(case))
                        continue
                    values = ", ".join(map(code_of, case.args))
                    cases.append(f"({values})" if len(case.args) > 1 else values)
                    marks = [each.value for each in case.keywords if each.arg == "marks"]
                    skips += [skip for mark in marks for skip in skips_in_marks(mark)]
        return cases, skips


def _find_inner_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.stmt):
            yield node
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            yield from node.body


def _outline(function: Function) -> object:
    """Return the kinds of statements, one level deep."""
    return tuple(
        (statement.__class__, *(part.__class__ for part in find_parts(statement)))
        for statement in without_docstring(function.body)
    )


def _read_code(function: Function, name: str) -> Code:
    """Fingerprint what it does, and what it is given.

    Names that change when it, or what it is given, is renamed are left out of the body. Only a
    variable or a whole string is such a name; an attribute is the name of something else. Marks
    that do not change what is tested are left out, too.
    """
    places = {each: str(place) for place, each in enumerate(parameters(function))}
    places |= dict.fromkeys(name.split("."), "own")
    frame = [node for node in function.decorator_list if _is_meaningful(node)]
    is_async = "async" if isinstance(function, ast.AsyncFunctionDef) else ""
    return Code(
        fingerprint(_write_words(without_docstring(function.body), places)),
        fingerprint([is_async, str(len(parameters(function))), *_write_words(frame, {})]),
    )


def _write_words(nodes: Sequence[ast.AST], places: Mapping[str, str]) -> Iterator[str]:
    """Write kinds of nodes and what they hold, in the order of the source."""
    waiting: list[object] = [*reversed(nodes)]
    while waiting:
        match waiting.pop():
            case ast.Name(id=name):
                yield f"Name {places.get(name) or repr(name)}"
            case ast.Constant(value=value):
                place = places.get(value) if isinstance(value, str) else None
                yield f"Constant {place or repr(value)}"
            case ast.AST() as node:
                yield node.__class__.__name__
                waiting += [getattr(node, field, None) for field in reversed(node._fields)]
            case list() as parts:
                yield f"[{len(parts)}"
                waiting += reversed(parts)
            case value:
                yield repr(value)


def _is_meaningful(decorator: ast.expr) -> bool:
    """Return whether a decorator counts. A skip shows in the outcome; other marks may vary."""
    name = code_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
    *_, outer, last = ["", "", *name.split(".")]
    return outer != "mark" or last in _MEANINGFUL_MARKS


def _find_bare_skips(statement: ast.stmt) -> Iterator[SkipMark]:
    """Find calls at module level, such as importorskip, which skip the whole file."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for node in walk_all(statement):
        if isinstance(node, ast.Call) and (skip := skip_of_call(node)):
            yield skip


def _find_marks(body: list[ast.stmt]) -> list[SkipMark]:
    return [
        skip
        for each in body
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == "pytestmark"
        for skip in skips_in_marks(each.value)
    ]


def _is_off(body: list[ast.stmt]) -> bool:
    """Return whether pytest passes over the class or file, because of `__test__ = False`."""
    return any(
        isinstance(each, ast.Assign)
        and getattr(each.targets[0], "id", "") == "__test__"
        and code_of(each) in {"__test__ = False", "__test__ = 0", "__test__ = None"}
        for each in body
    )


def _find_rebound_names(module: ast.Module) -> set[str]:
    """Find names that stand for something else at the end of the file."""
    lost: set[str] = set()
    for statement in module.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                lost.discard(name)
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                lost |= {code_of(target) for target in targets}
            case ast.Expr(value=ast.Call(func=ast.Name(id="delattr" | "setattr"), args=args)):
                texts = [code_of(argument).strip("'\"") for argument in args[:2]]
                lost.add(".".join(texts))
            case _:
                pass
    return lost


def _looks_like_a_test(name: str, function: Function) -> bool:
    if any("fixture" in code_of(each) for each in function.decorator_list):
        return False
    return "test" in name.lower() or any(
        isinstance(node, ast.Assert) or call_name(node).startswith("assert")
        for node in walk_all(function)
    )


def _find_imported_modules(
    module: ast.Module, path: str, tree: Tree
) -> Iterator[tuple[ast.ImportFrom, ast.Module]]:
    """Find test modules, beside the file or below the root, from which it imports names."""
    for node in find_statements(module):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        for place in find_import_paths(node, path):
            data = tree(place) if is_test_code(place) else None
            found = None if data is None else parse_python(text_of(data))
            if found is not None:
                yield node, found
                break


def _find_imported(
    modules: list[tuple[ast.ImportFrom, ast.Module]],
    read: Callable[[ast.Module], Mapping[str, Imported]],
) -> dict[str, Imported]:
    """Return what `read` finds in the modules, by the names under which it is imported."""
    return {
        name.asname or name.name: known[name.name]
        for node, module in modules
        for known in [read(module)]
        for name in node.names
        if name.name in known
    }
