"""Why a check fails that has nothing to do with the work: something is missing where it runs.

A check that fails for want of a program, of a package or of readable tests cannot be made to pass
by the work, so on the base it shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.projects.commands import ReadText
from goalkeeper.core.projects.declared import is_declared
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_NO_SUCH_COMMAND, _NOT_EXECUTABLE = 127, 126
_CANNOT_RUN = frozenset({_NO_SUCH_COMMAND, _NOT_EXECUTABLE})
_RUNNERS = frozenset(
    "ava bats jest mocha nose nose2 nox pytest tap tox unittest2 vitest".split()  # noqa: SIM905
)
_INSTALLED = late_pattern(r"/(?:site-packages|dist-packages|node_modules)/")
_SHELL_LACKS = late_pattern(
    r"^(?:.*: )?(?:line )?(?:\d+: )?(?P<name>[^\s:]+): (?:command )?not found$"
    r"|failed to execute (?P<executed>\S+): "
    r"|^(?:\S*/)?env: .(?P<env>[^'’\s]+).: No such file"
    r"|^make(?:\[\d+\])?: (?P<make>[^\s*]+): (?:No such file|Permission denied)"
    r"|^(?:.*: )?(?:line )?(?:\d+: )?(?P<denied>[^\s:]+): (?:Permission denied|No such file)",
    re.MULTILINE,
)
_MAKE_ERROR = late_pattern(r"^make(?:\[\d+\])?: \*\*\* .* Error 12[67]$", re.MULTILINE)
_PYTHON_LACKS = late_pattern(
    r"^(?:E\s+)?(?:ModuleNotFoundError|ImportError): No module named '?(?P<name>[\w.]+)'?"
    r"|^\S*python[\d.]*: (?:Error while finding module specification for '[\w.]+' \()?"
    r"(?:ModuleNotFoundError: )?No module named '?(?P<main>[\w.]+)'?",
    re.MULTILINE,
)
_PYTHON_FILE = late_pattern(
    r'^(?:E\s+)?\s*File "(?P<path>[^"]+)", line \d+|^(?P<short>\S+\.py):\d+: in ', re.MULTILINE
)
_NODE_LACKS = late_pattern(
    r"Cannot find (?:module|package) ['\"](?P<name>[^'\"]+)['\"]"
    r"|Failed to (?:resolve import|load url) \"?(?P<vite>[^\s\"]+)\"?"
)
_OTHERS_LACK = late_pattern(
    r"^(?:npm (?:error|ERR!) )?(?:could not determine executable to run|npx canceled due to missing"
    r" packages).*|^npm (?:error|ERR!) request to \S+ failed.*"
    r"|^ERROR: (?:No matching distribution found for|Could not find a version that) .*"
    r"|^error: (?:failed to (?:get|download|fetch|load source) .*"
    r"|no matching package .*|no such command: .*)"
    r"|^(?:\S+: )?no required module provides package .*"
    r"|^go: .*(?:dial tcp|module lookup disabled).*"
    r"|^.*(?:Could not find (?:gem )?\S+ .*in (?:locally installed gems|any of the sources"
    r"|the gem sources)).*",
    re.MULTILINE,
)
_UNREADABLE = late_pattern(
    r'^(?:E\s+)?\s*File "(?P<python>[^"]+)", line (?P<line>\d+)\n(?:.*\n){0,3}?'
    r"(?:E\s+)?(?:SyntaxError|IndentationError|TabError): (?P<said>.*)$"
    r"|^(?:file://)?(?P<node>/[^\s:]+):(?P<node_line>\d+)\n(?:.*\n){0,4}?SyntaxError: (?P<why>.*)$"
    r"|^(?P<shell>[^\s:]+): line (?P<shell_line>\d+): (?P<told>syntax error.*)$",
    re.MULTILINE,
)
_EMPTY = late_pattern(
    r"^(?:=+ )?no tests ran in |^collected 0 items$|^NO TESTS RAN|^Ran 0 tests in "
    r"|^\s*(?:Error: )?No test(?: files|s) found|Couldn.t find any files to test",
    re.MULTILINE,
)
_HERE = ("./", "../", "#", "@/", "~/", "node:", "/@", "\0")


class Want(Value):
    """What a check lacks; `outside` says that it is none of the tree."""

    reason: str
    outside: bool = True


class ProgramEnd(Value):
    """How a program ended that a check ran, where it ran, and what it printed."""

    code: int
    printed: str
    root: str = ""


class TreeText(Value):
    """The files of a tree, and what the contract says of those that the work is to bring."""

    paths: Collection[str]
    read: ReadText
    may_change: Sequence[str] = ()
    asked: str = ""  # the contract as text: what it names may be missing until the work is done


def find_want(ended: ProgramEnd, tree: TreeText) -> Want | None:
    """Find what the program lacked; None if it failed for a reason that work can mend."""
    return (
        _find_program(ended)
        or _find_python_module(ended, tree)
        or _find_node_package(ended, tree)
        or _find_other_package(ended)
        or _find_unreadable_test(ended, tree)
        or _find_no_tests(ended)
    )


def _find_program(ended: ProgramEnd) -> Want | None:
    if ended.code not in _CANNOT_RUN and not _MAKE_ERROR.search(ended.printed):
        return None
    names = [_first_group(found) for found in _SHELL_LACKS.finditer(ended.printed)]
    if any(_is_of_tree(name, ended.root) for name in names):
        return None  # a script of the tree may be what the goal asks for
    code = ended.code if ended.code in _CANNOT_RUN else _NO_SUCH_COMMAND
    said = f"{names[-1]} cannot be run here" if names else "a program it names cannot be run"
    return Want(f"{said} (exit {code})")


def _is_of_tree(name: str, root: str) -> bool:
    """Return whether a program is named by a path into the tree, where set-up put nothing."""
    if name.startswith("/"):
        name = _make_relative(name, root)
    is_path = "/" in name and not name.startswith("/")
    return is_path and not re.search(r"(?:^|/)(?:node_modules|\.?venv|vendor)/", name)


def _find_python_module(ended: ProgramEnd, tree: TreeText) -> Want | None:
    for found in _PYTHON_LACKS.finditer(ended.printed):
        module = _first_group(found).rstrip(".")
        files = [_first_group(f) for f in _PYTHON_FILE.finditer(ended.printed, 0, found.start())]
        importer = "" if found["main"] else next(iter(files[::-1]), "")
        why = _explain_module(module, importer, ended.root, tree)
        if why:
            return Want(f"Python finds no module {module}: {why}")
    return None


def _explain_module(module: str, importer: str, root: str, tree: TreeText) -> str:
    """Say why a module must come from elsewhere; nothing if the work may have to bring it."""
    top = module.split(".", maxsplit=1)[0]
    home = _find_own_module(top, tree.paths)
    if home:
        is_at_top = home in {f"{top}.py", f"{top}/__init__.py"}
        is_of_package = any(path.rpartition("/")[2] in _PACKAGING for path in tree.paths)
        is_found = is_at_top or module != top or not is_of_package
        return "" if is_found else f"it is the project's own ({home}), and nobody installed it"
    if is_declared(top, tree.paths, tree.read):
        return "the project declares it, and nobody installed it"
    if top in _RUNNERS:
        return "nobody installed it"
    if f"{top}.py" in tree.asked or f"{top}/" in tree.asked:
        return ""
    if _INSTALLED.search(importer):
        return "an installed package needs it"
    path = _make_relative(importer, root)
    if path in tree.paths and not is_test(path):
        return f"{path} imports it, and the tree does not have it"
    return ""


_PACKAGING = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})


def _find_own_module(top: str, paths: Iterable[str]) -> str:
    """Find a module of the tree where a packaged project keeps it: at its top, or below `src`."""
    names = re.compile(rf"(?:(?:[^/]+/){{0,2}}(?:src|lib)/)?{re.escape(top)}(?:/__init__)?\.py")
    return min((path for path in paths if names.fullmatch(path)), key=len, default="")


def _find_node_package(ended: ProgramEnd, tree: TreeText) -> Want | None:
    for found in _NODE_LACKS.finditer(ended.printed):
        name = _first_group(found)
        before, is_installed, after = name.rpartition("/node_modules/")
        if not is_installed and (name.startswith(("/", *_HERE)) or not before + after):
            continue
        words = (after if is_installed else name).split("/")
        package = "/".join(words[:2] if words[0].startswith("@") else words[:1])
        is_known = is_declared(package, tree.paths, tree.read)
        why = "the project declares it, and nobody installed it" if is_known else "nobody has it"
        return Want(f"node finds no package {package}: {why}")
    return None


def _find_other_package(ended: ProgramEnd) -> Want | None:
    found = _OTHERS_LACK.search(ended.printed)
    return Want(f"a package is missing: {found[0].strip()[:160]}") if found else None


def _find_unreadable_test(ended: ProgramEnd, tree: TreeText) -> Want | None:
    for found in _UNREADABLE.finditer(ended.printed):
        given = found["python"] or found["node"] or found["shell"]
        line = found["line"] or found["node_line"] or found["shell_line"]
        said = found["said"] or found["why"] or found["told"]
        path = _make_relative(given, ended.root)
        if path in tree.paths and is_test(path) and not is_match(path, tree.may_change):
            return Want(f"the test {path} cannot be read, line {line}: {said}", outside=False)
    return None


def _find_no_tests(ended: ProgramEnd) -> Want | None:
    return Want("no tests were collected", outside=False) if _EMPTY.search(ended.printed) else None


def _make_relative(path: str, root: str) -> str:
    return path.removeprefix(root.rstrip("/") + "/") if root else path.removeprefix("./")


def _first_group(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group)
