"""JavaScript and TypeScript that acts on its process, its runner, or knows it is tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.environment import is_runner_variable, is_shared_variable
from goalkeeper.tamper.javascript.asserts import LITERALS, render
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import base_name, folder, is_product
from goalkeeper.tamper.syntax import Source, field, line, script_root, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = {
    "arrow_function", "function_expression", "function_declaration", "method_definition",
    "generator_function_declaration",
}  # fmt: skip
_RUNNER_OBJECTS = re.compile(
    r"(globalThis|global|window)\.(expect|it|test|describe|assert|jest|vi)$"
    r"|assert(\.strict)?\.\w+$|expect\.(\w+)$|jest\.\w+$|(chai\.)?Assertion\.prototype\.\w+$"
    r"|(assert|expect)(\.strict)?\[.*\]|Object\.is$|Module\._load$|Module\.prototype\.\w+$|require\.cache\b.*"
)
_RUNNER_MODULES = re.compile(
    r"['\"](@jest/\w+|jest(-\w+)?|vitest|mocha|chai|node:test|ava|tap|@playwright/test)['\"]"
)
_YES = {"equals", "isEqual", "asymmetricMatch", "[Symbol.hasInstance]"}
_HOST = re.compile(
    r"os\.(hostname|userInfo)\(|process\.cwd\(|process\.env\.(USER|HOME|HOSTNAME|PWD)"
)
_NOW = re.compile(r"Date\.now\(|new Date\(\)")
_DAY = re.compile(r"new Date\(['\"]?\d{4}|\b1[5-9]\d{8,11}\b|['\"]\d{4}-\d\d-\d\d")
_SAYS_EXIT = re.compile(r"process\.exitCode\s*=|process\.(exit|reallyExit)\(|process\.kill\(")


def find_script_tricks(source: Source) -> Iterator[Sighting]:
    reader = ScriptTrickReader(source)
    for node in walk(script_root(source)):
        match node.type:
            case "call_expression":
                yield from reader.read_call(node)
            case "assignment_expression":
                yield from reader.read_assignment(node)
            case "method_definition" | "pair":
                yield from reader.read_member(node)
            case "catch_clause" if is_product(source.path):
                yield from reader.read_catch(node)
            case "member_expression" | "subscript_expression" if is_product(source.path):
                yield from reader.read_lookup(node)
                yield from reader.read_turn(node)
            case "binary_expression" if is_product(source.path):
                yield from reader.read_comparison(node)
            case "import_statement" if is_product(source.path):
                yield from reader.read_import(node, text(field(node, "source")))
            case "if_statement" if is_product(source.path):
                yield from reader.read_condition(node)


class ScriptTrickReader:
    def __init__(self, source: Source) -> None:
        self.path = source.path
        name, place = base_name(source.path), folder(source.path)
        self.is_program = (
            source.text.startswith("#!")
            or bool(re.search(r"(^|/)(bin|scripts|cli|tools)$", place))
            or bool(re.match(r"(cli|main|server|index\.bin)\.", name))
        )

    def _report(self, rule: str, node: Node, message: str, *, mild: bool = False) -> Sighting:
        owner = _find_function(node)
        name = text(field(owner, "name")) if owner is not None else ""
        key = f"{name}: {render(node, {})}"
        return Sighting(rule, self.path, line(node), message, key, mild)

    def read_call(self, node: Node) -> Iterator[Sighting]:
        name = text(field(node, "function")).replace("?.", ".")
        given = text(field(node, "arguments"))
        if name in {"process.exit", "process.reallyExit"}:
            if name == "process.reallyExit":
                yield self._report("process-exit", node, f"{name} ends the process at once")
            elif _find_function(node) is None:
                mild = self.is_program or not re.fullmatch(r"\(\s*0?\s*\)", given)
                yield self._report("exit-on-import", node, f"{name} runs on import", mild=mild)
        elif name == "process.abort":
            yield self._report("process-exit", node, "process.abort ends the process at once")
        elif name == "process.kill" and re.search(r"process\.ppid", given):
            yield self._report("runner-killed", node, "signals the process that started it")
        elif name in {"process.on", "process.once", "process.addListener"}:
            yield from self._read_listener(node, given)
        elif name == "Object.defineProperty" and re.match(
            r"\(\s*(assert|expect|globalThis|global),", given
        ):
            yield self._report("runner-patched", node, "redefines a member of the runner")
        elif name == "require" and is_product(self.path):
            yield from self.read_import(node, given.strip("()"))
        elif name == "eval" and re.search(r"atob\(|base64|fromCharCode", given):
            yield self._report("hidden-code", node, "runs code that is decoded at run time")
        if re.search(r"\.stack\.(includes|match|indexOf)$", name) and is_product(self.path):
            mild = not re.search(r"test|spec|jest|mocha", given)
            yield self._report("test-env-branch", node, "looks at who called it", mild=mild)
        looks = name.endswith((".argv.includes", ".argv.some", ".argv.find"))
        if looks and is_product(self.path) and re.search(r"test|jest|mocha|vitest|spec", given):
            yield self._report("test-env-branch", node, "looks for a test runner in its arguments")

    def _read_listener(self, node: Node, given: str) -> Iterator[Sighting]:
        event = re.match(r"\(\s*['\"`](\w+)", given)
        name = event[1] if event else ""
        if name in {"exit", "beforeExit"}:
            mild = not _SAYS_EXIT.search(given)
            yield self._report("exit-hook", node, f"acts on {name}", mild=mild)
        elif name in {"uncaughtException", "unhandledRejection"} or name.startswith("SIG"):
            mild = not re.search(r"process\.exit\(\s*0?\s*\)|exitCode\s*=\s*0|=>\s*\{\s*\}", given)
            yield self._report("signal-trapped", node, f"handles {name} itself", mild=mild)

    def read_assignment(self, node: Node) -> Iterator[Sighting]:
        target = text(field(node, "left")).replace("?.", ".")
        value = text(field(node, "right"))
        if target == "process.exitCode" and value in {"0", "undefined"}:
            yield self._report("process-exit", node, "sets the exit code to success")
        elif target in {"process.exit", "process.reallyExit"}:
            yield self._report(
                "runner-patched", node, f"replaces {target}", mild=not is_product(self.path)
            )
        elif _RUNNER_OBJECTS.fullmatch(target):
            yield self._report("runner-patched", node, f"replaces {target}")

    def read_member(self, node: Node) -> Iterator[Sighting]:
        name = text(field(node, "name") or field(node, "key"))
        body = field(node, "body")
        if body is None:
            value = field(node, "value")
            body = field(value, "body") if value is not None and value.type in _FUNCTIONS else None
        if name in _YES and re.fullmatch(r"\{?\s*(return\s+)?true;?\s*\}?", text(body)):
            mild = not is_product(self.path)
            yield self._report("always-equal", node, f"{name} always says yes", mild=mild)

    def read_catch(self, node: Node) -> Iterator[Sighting]:
        body = field(node, "body")
        words = text(body)
        if re.search(r"\bthrow\b|console\.|log|warn|report|reject", words):
            return
        answer = re.search(r"return\s+([^;}]+)", words)
        given = answer[1].strip() if answer else ""
        literal = re.fullmatch(r"-?\d[\d.]*|['\"`].+['\"`]|[\[{].*\d.*[\]}]", given)
        telling = bool(literal) and given not in {"0", "1", "-1"}
        text_ = "hides every error" + (" behind an answer" if telling else "")
        yield self._report("exception-swallowed", node, text_, mild=not telling)

    def read_lookup(self, node: Node) -> Iterator[Sighting]:
        found = re.fullmatch(
            r"(?:process|import\.meta)\.env(?:\.(\w+)|\[['\"`](\w+)['\"`]\])",
            text(node).replace("?.", "."),
        )
        name = (found[1] or found[2]) if found else ""
        if is_runner_variable(name):
            yield self._report("test-env-branch", node, f"asks for {name}")
        elif is_shared_variable(name):
            yield self._report("test-env-branch", node, f"asks for {name}", mild=True)

    def read_turn(self, node: Node) -> Iterator[Sighting]:
        """`ANSWERS[calls++]` counts calls if the counter belongs to the module."""
        index = field(node, "index")
        if index is None or index.type != "update_expression" or _find_function(node) is None:
            return
        name = text(field(index, "argument"))
        if re.search(
            rf"^(export\s+)?(let|var)\s+{re.escape(name)}\b", text(find_top(node)), re.MULTILINE
        ):
            yield self._report("call-count-branch", node, "hands out prepared answers in turn")

    def read_comparison(self, node: Node) -> Iterator[Sighting]:
        words = render(node, {})
        if re.search(r'NODE_ENV.*"test"|"test".*NODE_ENV|MODE [!=]==? "test"', words):
            operator = text(field(node, "operator"))
            mild = operator.startswith("!") and _guards_only_calls(node)
            yield self._report("test-env-branch", node, "asks whether NODE_ENV is test", mild=mild)
        elif re.search(r"typeof (jest|describe|it|vi|expect|test|__coverage__)\b", words):
            yield self._report("test-env-branch", node, "asks whether a test runner is there")
        elif re.search(r"argv", words) and re.search(r'"[^"]*(test|jest|mocha)[^"]*"', words):
            yield self._report("test-env-branch", node, "looks for a test runner in its arguments")
        elif _HOST.search(words) and re.search(r'[=!]==?.*"|"\s*[=!]==?', words):
            yield self._report("host-or-date-branch", node, f"`{words}` asks where it runs")
        elif _NOW.search(words) and _DAY.search(words):
            yield self._report("host-or-date-branch", node, f"`{words}` asks which day it is")

    def read_import(self, node: Node, module: str) -> Iterator[Sighting]:
        if _RUNNER_MODULES.fullmatch(module):
            mild = bool(re.search(r"testing|config", self.path))
            yield self._report("runner-imported", node, f"product code imports {module}", mild=mild)

    def read_condition(self, node: Node) -> Iterator[Sighting]:
        test = text(field(node, "condition"))
        if test in {"(false)", "(0)"}:
            yield self._report("feature-off", node, "code is switched off by a constant")
        counted = re.match(r"\(\s*(\w+)\s*(===?|<|>|<=|>=|%)\s*\d+", test)
        function = _find_function(node)
        if counted is None or function is None:
            return
        inside, whole = text(function), text(find_top(node))
        name = counted[1]
        counts = re.search(rf"\b{name}(\+\+| \+= 1)|\+\+{name}\b", inside)
        local = re.search(rf"\b(let|var|const)\s+{name}\b", inside) or re.search(
            rf"\(([^)]*\b{name}\b[^)]*)\)\s*(=>|\{{)", inside.partition("{")[0] + "{"
        )
        outer = re.search(rf"^\s*(export\s+)?(let|var)\s+{name}\b", whole, re.MULTILINE)
        if counts and outer and not local and _returns_literal(node):
            yield self._report("call-count-branch", node, "answers by how often it was called")


def find_top(node: Node) -> Node:
    here = node
    while here.parent is not None:
        here = here.parent
    return here


def _returns_literal(node: Node) -> bool:
    for part in walk(field(node, "consequence") or node):
        if part.type == "return_statement" and part.named_children:
            return part.named_children[0].type in LITERALS | {"array", "object"}
    return False


def _guards_only_calls(node: Node) -> bool:
    """`if (NODE_ENV !== "test") { listen(); }` starts something; it decides no result."""
    here: Node | None = node.parent
    while here is not None and here.type != "if_statement":
        if here.type in _FUNCTIONS or here.type == "return_statement":
            return False
        here = here.parent
    return here is not None and not any(part.type == "return_statement" for part in walk(here))


def _find_function(node: Node) -> Node | None:
    here = node.parent
    while here is not None and here.type not in _FUNCTIONS:
        here = here.parent
    return here
