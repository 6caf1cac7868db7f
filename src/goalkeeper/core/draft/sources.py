"""Where a test reads how the product is written, by the means of its language.

Such a test says nothing of what the product does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from goalkeeper.wire.pattern import late_pattern

ReadKnown = Callable[[], str]
_CODE = frozenset(
    """
    __code__ gi_code cr_code co_code co_consts co_names co_varnames co_freevars co_cellvars
    co_filename co_firstlineno co_lines co_lnotab co_positions co_nlocals co_stacksize
    """.split()  # noqa: SIM905
)
_READERS: Mapping[str, frozenset[str]] = {
    "dis": frozenset(),  # all that it has
    "linecache": frozenset(),
    "inspect": frozenset({"getsource", "getsourcelines", "findsource", "getcomments"}),
}
_OPENING = frozenset({"open", "read_text", "read_bytes"})
_SAME_FILE = frozenset(
    """
    Path PurePath str fspath abspath realpath normpath resolve absolute with_suffix replace
    """.split()  # noqa: SIM905
)

_JS_PATH = r"\(?\s*['\"`]\.{1,2}/"
_JS_IMPORT = late_pattern(
    rf"\bimport\s+([^;'\"`]+?)\s+from\s*{_JS_PATH}"
    rf"|\b(?:const|let|var)\s+(\{{[^}}]*\}}|[\w$]+)\s*=\s*(?:await\s+import|require)\s*{_JS_PATH}"
)
_JS_NAME = late_pattern(r"(?:(?<=\s)as\s+)?([A-Za-z_$][\w$]*)(?:\s*:\s*([A-Za-z_$][\w$]*))?")
_JS_MEMBER = r"([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)"
_JS_SHOWN = late_pattern(
    rf"(?<![\w$.)]){_JS_MEMBER}\.toString\(\s*\)|\bString\(\s*{_JS_MEMBER}\s*\)"
    rf"|\$\{{\s*{_JS_MEMBER}\s*\}}"
)
_JS_ALWAYS = late_pattern(r"\bFunction\.prototype\.toString\b|\.toString\(\)\.includes")
# Whether there is such a function may be asked.
_SH_SHOWN = late_pattern(r"\b(?:declare|typeset)\s+-f\s+[\w:-]+\b(?!\s*(?:[12]?|&)>)")


def find_source(path: str, text: str, know: ReadKnown) -> str:
    """Return by what a test reads the product's source; empty if it does not.

    `know` gives the text of the sentence and of the base: a product may be about code itself.
    """
    find = _BY_ENDING.get(path.rpartition(".")[2], _find_in_other)
    return next(iter(find(text, know)), "")


def _find_in_python(text: str, know: ReadKnown) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    modules = {
        each.asname or each.name: each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for each in node.names
    }
    for node in ast.walk(tree):
        for name in _list_readers(node, modules):
            if name.rpartition(".")[2] not in know():
                yield name
    yield from _find_opened(tree)


def _list_readers(node: ast.AST, modules: Mapping[str, str]) -> Iterator[str]:
    match node:
        case ast.Attribute(attr=name) if name in _CODE:
            yield name
        case ast.Call(func=ast.Name("getattr"), args=[_, ast.Constant(str(name)), *_]):
            if name in _CODE:
                yield name
        case ast.Attribute(value=ast.Name(alias), attr=name) if modules.get(alias) in _READERS:
            module = modules[alias]
            if name in _READERS[module] or not _READERS[module]:
                yield f"{module}.{name}"
        case ast.ImportFrom(module=str(module), names=names) if module in _READERS:
            found = (each.name for each in names)
            only = _READERS[module]
            yield from (f"{module}.{name}" for name in found if name in only or not only)


def _find_opened(tree: ast.AST) -> Iterator[str]:
    """Find files of the product that are opened: `module.__file__`, also by way of a variable."""
    held: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_own_file(node.value, held):
            held |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name_called(node) in _OPENING:
            on = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            if any(_is_own_file(each, held) for each in [*on, *node.args[:1]]):
                yield "__file__"


def _is_own_file(node: ast.AST, held: set[str]) -> bool:
    match node:
        case ast.Attribute(attr="__file__"):
            return True
        case ast.Name(name):
            return name in held
        case ast.Call() if _name_called(node) in {"getfile", "getsourcefile"}:
            return True
        case ast.Call(func=func, args=args) if _name_called(node) in _SAME_FILE:
            on = [func.value] if isinstance(func, ast.Attribute) else []
            return any(_is_own_file(each, held) for each in [*on, *args[:1]])
    return False


def _name_called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _find_in_javascript(text: str, know: ReadKnown) -> Iterator[str]:
    if always := _JS_ALWAYS.search(text):
        yield always[0]
    bound = " , ".join(found[1] or found[2] for found in _JS_IMPORT.finditer(text))
    names = {found[2] or found[1] for found in _JS_NAME.finditer(bound)}
    for found in _JS_SHOWN.finditer(text):
        said = found[1] or found[2] or found[3]
        first, last = said.partition(".")[0], said.rpartition(".")[2]
        # An object may have a text of its own; a function has its source.
        if first in names and (_is_called(last, text) or _is_function(last, know())):
            yield found[0]


def _is_called(name: str, text: str) -> bool:
    return late_pattern(rf"(?<![\w$]){_escape(name)}\s*\(").search(text) is not None


def _is_function(name: str, known: str) -> bool:
    name = _escape(name)
    pattern = late_pattern(
        rf"\b(?:function\*?|class)\s+{name}(?![\w$])"
        rf"|(?<![\w$]){name}\s*[=:]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)"
    )
    return pattern.search(known) is not None


def _escape(name: str) -> str:
    return name.replace("$", r"\$")


def _find_in_shell(text: str, _: ReadKnown) -> Iterator[str]:
    yield from (found[0] for found in _SH_SHOWN.finditer(text))


def _find_in_other(_: str, __: ReadKnown) -> Iterator[str]:
    yield from ()


_BY_ENDING: Mapping[str, Callable[[str, ReadKnown], Iterator[str]]] = {
    "py": _find_in_python,
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"), _find_in_javascript),
    **dict.fromkeys(("sh", "bash", "bats"), _find_in_shell),
}
