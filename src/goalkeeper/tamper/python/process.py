"""Python code that acts on the process, the interpreter or the runner around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from goalkeeper.tamper.python.names import (
    CodeScope,
    aliases,
    code_of,
    functions,
    parse_python,
    qualify_name,
    string,
    walk,
)
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import base_name, is_product, is_test_code
from goalkeeper.tamper.syntax import Source

_LEAVES = {"sys.exit", "exit", "quit", "SystemExit"}
_REPLACES = {f"os.exec{tail}" for tail in ("v", "ve", "vp", "vpe", "l", "le", "lp", "lpe")}
_RUNNERS = {"pytest", "_pytest", "pluggy", "unittest", "nose", "doctest", "hypothesis", "xdist"}
_DEADLY = ("SIGTERM", "SIGABRT", "SIGALRM", "SIGINT", "SIGSEGV", "SIGXCPU", "SIGHUP", "SIGQUIT")
_DECODERS = {"b64decode", "b32decode", "b85decode", "a85decode", "fromhex", "unhexlify",
             "decompress", "loads", "decode"}  # fmt: skip
_REPORT = re.compile(
    r"(.*/)?(junit|report|results?|test-results|TEST-)[\w.-]*\.xml|.*\.pytest_cache.*"
)
_FILE_CALLS = {"open", "Path", "parse", "remove", "unlink", "rename", "replace", "copy", "move"}
_FRAMES = {
    "inspect.stack", "inspect.currentframe", "sys._getframe", "sys._getframemodulename",
    "sys._current_frames", "traceback.extract_stack", "traceback.format_stack",
    "traceback.walk_stack", "traceback.StackSummary.extract",
}  # fmt: skip
_TESTING_PATH = re.compile(r"(.*/)?(\w*testing\w*|\w*pytest\w*|conftest)(/.*|\.py)")


def find_process_tricks(source: Source) -> Iterator[Sighting]:
    module = parse_python(source.text)
    if module is not None:
        yield from ProcessTrickReader(source, module).find_sightings()


class ProcessTrickReader:
    def __init__(self, source: Source, module: ast.Module) -> None:
        self.path = source.path
        self.module = module
        self.known = aliases(module)
        self.functions = functions(module)
        self.is_script = source.text.startswith("#!")
        self.is_main = base_name(source.path) in {"__main__.py", "setup.py", "manage.py"}

    def find_sightings(self) -> Iterator[Sighting]:
        for node, scope in walk(self.module):
            match node:
                case ast.Attribute() | ast.Name() | ast.Subscript():
                    yield from self._read_reference(node, scope)
                case ast.Call():
                    yield from self._read_reference(node, scope)
                    yield from self._read_call(node, scope)
                case ast.Raise(exc=exc) if exc is not None:
                    yield from self._find_leaving(exc, scope)
                case ast.Assign(targets=targets):
                    for target in targets:
                        yield from self._read_assignment(target, scope)
                case ast.Import() | ast.ImportFrom() if is_product(self.path):
                    yield from self._read_import(node, scope)

    def _report(
        self, rule: str, node: ast.AST, scope: CodeScope, message: str, *, mild: bool = False
    ) -> Sighting:
        key = f"{scope.function}: {code_of(node)}"
        return Sighting(rule, self.path, getattr(node, "lineno", 0), message, key, mild)

    def _read_reference(self, node: ast.expr, scope: CodeScope) -> Iterator[Sighting]:
        name = qualify_name(node, self.known)
        if name in {"os._exit", "posix._exit", "os.abort", "posix.abort"}:
            # A forked child must leave this way.
            owner = self.functions.get(scope.function)
            forks = owner is not None and "os.fork()" in code_of(owner)
            yield self._report(
                "process-exit", node, scope, f"{name} ends the process at once", mild=forks
            )
        elif name == "os.getppid":
            yield from self._read_parent(node, scope)
        elif isinstance(node, ast.Attribute) and node.attr == "f_back" and is_product(self.path):
            yield self._report("stack-inspected", node, scope, "f_back looks at its callers")

    def _read_parent(self, node: ast.expr, scope: CodeScope) -> Iterator[Sighting]:
        owner: ast.AST = self.functions.get(scope.function) or self.module
        kills = any(
            isinstance(part, ast.Call)
            and qualify_name(part.func, self.known)
            in {"os.kill", "os.killpg", "signal.pidfd_send_signal"}
            for part in ast.walk(owner)
        )
        if kills:
            yield self._report("runner-killed", node, scope, "signals the process that started it")

    def _read_call(self, call: ast.Call, scope: CodeScope) -> Iterator[Sighting]:
        name = qualify_name(call.func, self.known)
        if not scope.function and not scope.is_main:
            yield from self._find_leaving(call, scope)
        if (
            name == "os.killpg"
            and call.args
            and code_of(call.args[0]) in {"0", "os.getpgid(0)", "os.getpgrp()"}
        ):
            yield self._report("runner-killed", call, scope, "signals its own process group")
        elif name == "pytest.exit":
            yield self._report("process-exit", call, scope, "pytest.exit ends the whole run")
        elif name == "atexit.register":
            yield from self._read_exit_handler(call, scope)
        elif name == "signal.signal":
            yield from self._read_signal(call, scope)
        elif name in {"exec", "eval", "builtins.exec", "builtins.eval"}:
            yield from self._find_hidden(call, scope)
        elif name in {"setattr", "delattr"} and len(call.args) > 1:
            member = f"{qualify_name(call.args[0], self.known)}.{string(call.args[1])}"
            yield from self._find_patched(member, call, scope)
        elif name in {"sys.settrace", "sys.setprofile", "gc.get_referrers", "gc.get_objects"}:
            yield self._report(
                "stack-inspected", call, scope, f"{name} looks into what runs around it"
            )
        elif name in _FRAMES and is_product(self.path):
            yield self._report("stack-inspected", call, scope, f"{name} looks at its callers")
        if is_product(self.path):
            yield from self._find_report_access(call, scope)

    def _find_leaving(self, node: ast.expr, scope: CodeScope) -> Iterator[Sighting]:
        """The module ends the process, or turns into another program, while it is imported."""
        if scope.function or scope.is_main or self.is_main:
            return
        name = qualify_name(node.func if isinstance(node, ast.Call) else node, self.known)
        args = node.args if isinstance(node, ast.Call) else []
        if name in _REPLACES:
            yield self._report("exit-on-import", node, scope, f"{name} runs when this is imported")
        elif name in _LEAVES:
            succeeds = not args or (isinstance(args[0], ast.Constant) and not args[0].value)
            mild = self.is_script or not (succeeds or is_test_code(self.path))
            text = f"{name} runs when this is imported"
            yield self._report("exit-on-import", node, scope, text, mild=mild)

    def _read_exit_handler(self, call: ast.Call, scope: CodeScope) -> Iterator[Sighting]:
        handler = call.args[0] if call.args else call
        text = "runs something when the process ends"
        mild = not self._is_leaving(handler)
        yield self._report("exit-hook", call, scope, text, mild=mild)

    def _read_signal(self, call: ast.Call, scope: CodeScope) -> Iterator[Sighting]:
        words = code_of(call)
        if len(call.args) > 1 and any(name in words for name in _DEADLY):
            ignores = "SIG_IGN" in words and not scope.function and not scope.is_main
            mild = not (ignores or self._is_leaving(call.args[1], only_success=True))
            yield self._report("signal-trapped", call, scope, f"`{words}`", mild=mild)

    def _is_leaving(self, handler: ast.expr, *, only_success: bool = False) -> bool:
        """This is true if a handler ends the process, or sets its exit code."""
        name = qualify_name(handler, self.known)
        body: ast.AST = self.functions.get(name, handler)
        words = code_of(body)
        if only_success:
            return bool(re.search(r"(_exit|sys\.exit|SystemExit)\((0?)\)|raise SystemExit$", words))
        return bool(re.search(r"_exit\b|sys\.exit|SystemExit|os\.kill|exitstatus|\.xml", words))

    def _find_hidden(self, call: ast.Call, scope: CodeScope) -> Iterator[Sighting]:
        if not call.args:
            return
        names = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(call.args[0])}
        if names & _DECODERS:
            yield self._report("hidden-code", call, scope, "runs code that is decoded at run time")
            return
        inner = parse_python(string(call.args[0]) or "")
        if inner is not None and inner.body:
            for found in ProcessTrickReader(Source(self.path, ""), inner).find_sightings():
                yield found.replace(line=call.lineno)

    def _read_assignment(self, target: ast.expr, scope: CodeScope) -> Iterator[Sighting]:
        if isinstance(target, ast.Subscript):
            if qualify_name(target.value, self.known) == "sys.modules":
                yield from self._find_patched(f"{string(target.slice)}.*", target, scope)
        elif isinstance(target, ast.Attribute):
            yield from self._find_patched(qualify_name(target, self.known), target, scope)

    def _find_patched(self, name: str, node: ast.expr, scope: CodeScope) -> Iterator[Sighting]:
        first, _, rest = name.partition(".")
        is_builtin = first == "builtins" and rest not in {"", "_"}
        if rest and (first in _RUNNERS or is_builtin):
            mild = first == "hypothesis" or rest.endswith("maxDiff")
            yield self._report("runner-patched", node, scope, f"replaces {name}", mild=mild)

    def _read_import(
        self, node: ast.Import | ast.ImportFrom, scope: CodeScope
    ) -> Iterator[Sighting]:
        modules = (
            [name.name for name in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""] * (not node.level)
        )
        for module in modules:
            root = module.partition(".")[0]
            if root in _RUNNERS - {"hypothesis"}:
                mild = bool(_TESTING_PATH.fullmatch(self.path)) or root in {"doctest", "unittest"}
                text = f"product code imports {module}"
                yield self._report("runner-imported", node, scope, text, mild=mild)

    def _find_report_access(self, call: ast.Call, scope: CodeScope) -> Iterator[Sighting]:
        if qualify_name(call.func, self.known).rpartition(".")[2] not in _FILE_CALLS:
            return
        for argument in call.args:
            name = string(argument)
            if name and _REPORT.fullmatch(name):
                mild = bool(scope.function) or scope.is_main
                text = f"product code handles {name}, a test report"
                yield self._report("report-touched", call, scope, text, mild=mild)
