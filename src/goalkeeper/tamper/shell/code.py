"""Shell scripts that say yes whatever happens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.core.contract.protected import is_checking_name
from goalkeeper.tamper.answers import TestAnswers, find_copied_inputs
from goalkeeper.tamper.harness.words import is_check
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import is_test_code
from goalkeeper.tamper.syntax import Source, field, line, shell_root, walk
from goalkeeper.tamper.syntax import shell_text as text

if TYPE_CHECKING:
    from tree_sitter import Node

_COMMANDS = {
    "test", "[", "[[", "grep", "diff", "cmp", "exit", "false", "set", "pytest", "python",
    "python3", "node", "npm", "npx", "make", "bats", "go", "cargo", "jest", "assert", "run", "fail",
    "assert_equal", "assert_success", "assert_failure", "assert_output", "kill", "trap", "return",
    "command", "git", "timeout", "bash", "sh",
}  # fmt: skip
MOST_ASKED = 200  # characters of a `case` in which its question is looked for
_JUDGES = {"is", "isnt", "like", "unlike", "same", "equals", "expect"}
_TRAPPED = {"EXIT", "ERR", "TERM", "0", "INT", "HUP", "SIGTERM", "ABRT", "DEBUG", "RETURN"}
_VARIABLES = re.compile(
    r"\$\{?(BATS_\w+|PYTEST_\w+|GOALKEEPER\w*|JEST_WORKER_ID|NODE_TEST_CONTEXT"
    r"|MAKELEVEL)"
)
_CALLER = re.compile(
    r"(\$0|\$\{0|\$\*|BASH_SOURCE|FUNCNAME|\$PPID).*(\btests?/|\btest_|\w+_test\b|\bbats|run\.sh)",
    re.DOTALL,
)


def find_shell_tricks(source: Source) -> Iterator[Sighting]:
    top = shell_root(source)
    reader = ShellTrickReader(source)
    yield from reader.read_early_exits(top)
    for node in walk(top):
        match node.type:
            case "command":
                yield from reader.read_command(node)
            case "function_definition":
                yield from reader.read_function(node)
            case "list":
                yield from reader.read_either(node)
            case "if_statement" | "test_command" | "case_statement":
                yield from reader.read_question(node)
            case "declaration_command" if text(node).startswith("alias"):
                yield from reader.read_command(node)


def find_shell_answers(old: Source | None, new: Source, answers: TestAnswers) -> Iterator[Sighting]:
    """Labels of `case` and comparisons may hold the tests' own inputs."""
    known = set(_find_labels(shell_root(old))) if old else set()
    labels = [label for label in _find_labels(shell_root(new)) if label not in known]
    if copied := find_copied_inputs(labels, answers):
        message = f"singles out the tests' own inputs: {'; '.join(copied)}"
        yield Sighting("answer-table", new.path, 0, message)


def _find_labels(top: Node) -> Iterator[str]:
    for node in walk(top):
        if node.type == "case_item":
            for label in node.children_by_field_name("value"):
                yield text(label).strip("'\"")
        elif node.type in {"test_command", "binary_expression"}:
            yield from (text(part).strip("'\"") for part in walk(node) if part.type == "string")


class ShellTrickReader:
    def __init__(self, source: Source) -> None:
        self.path = source.path
        self.is_checking = is_test_code(source.path) or is_checking_name(source.path)

    def _report(self, rule: str, node: Node, message: str, *, mild: bool = False) -> Sighting:
        key = " ".join(text(node).split())
        return Sighting(rule, self.path, line(node), message, key, mild)

    def read_early_exits(self, top: Node) -> Iterator[Sighting]:
        """An `exit 0` keeps the commands behind it from running."""
        statements = [node for node in top.named_children if node.type != "comment"]
        for index, node in enumerate(statements[:-1]):
            rest = [each for each in statements[index + 1 :] if each.type != "function_definition"]
            if re.fullmatch(r"(builtin\s+)?exit(\s+0)?|exec\s+true", text(node)) and rest:
                yield self._report("shell-early-exit", node, "leaves with success before its work")
            elif re.fullmatch(r"return(\s+0)?", text(node)) and rest:
                mild = not is_test_code(self.path)
                yield self._report("shell-early-exit", node, "leaves before its work", mild=mild)

    def read_command(self, node: Node) -> Iterator[Sighting]:
        name = text(field(node, "name"))
        words = [text(child) for child in node.named_children]
        said = " ".join(text(node).split())
        if name == "trap":
            yield from self._read_trap(node, words)
        elif name == "alias" or said.startswith("alias "):
            found = re.match(r"alias\s+['\"]?([\w.-]+)=", said)
            if found and found[1] in _COMMANDS:
                yield self._report("command-shadowed", node, f"{found[1]} means something else now")
        elif name == "set" and re.match(r"set \+e\b|set \+o (errexit|pipefail)", said):
            yield self._report("failure-ignored", node, f"`{said}` lets failures pass", mild=True)
        elif name == "kill" and re.search(r"\$\{?PPID|\s-?\$\$|\s0$", said):
            mild = "PPID" not in said
            yield self._report("runner-killed", node, f"`{said}` signals its caller", mild=mild)
        elif name == "enable" and "-n" in words:
            yield self._report("command-shadowed", node, f"`{said}` switches a builtin off")

    def _read_trap(self, node: Node, words: list[str]) -> Iterator[Sighting]:
        if not set(words[1:]) & _TRAPPED:
            return
        action = words[1].strip("'\"") if len(words) > 1 else ""
        if re.search(r"\b(exit|return)\s+0\b|\bexit\s*$|\bexit\s*;|\btrue\s*$", action):
            yield self._report("shell-trap-success", node, f"`{text(node)}` ends with success")
        elif action == "" and set(words[2:]) & {"TERM", "SIGTERM", "ABRT", "ERR"}:
            yield self._report(
                "signal-trapped", node, f"`{text(node)}` ignores a signal", mild=True
            )

    def read_function(self, node: Node) -> Iterator[Sighting]:
        name, body = text(field(node, "name")), text(field(node, "body"))
        if (
            is_test_code(self.path)
            and name in _JUDGES
            and not re.search(r"\[|\b(test|case|diff|cmp|grep|if)\b", body)
        ):
            yield self._report("command-shadowed", node, f"{name} compares nothing")
            return
        if name not in _COMMANDS or re.search(
            rf"\b(command|builtin|env)\s+{re.escape(name)}\b", body
        ):
            return
        does_nothing = re.fullmatch(
            r"[{(]\s*(return(\s+0)?|true|:|exit\s+0|echo\b[^;\n]*)?\s*;?\s*[)}]", body
        )
        # fail, run and assert are names of helpers in many honest scripts.
        is_helper = name in {"fail", "run"} or name.startswith("assert")
        if does_nothing or not is_helper:
            mild = not does_nothing and not self.is_checking
            yield self._report(
                "command-shadowed", node, f"{name} means something else now", mild=mild
            )

    def read_either(self, node: Node) -> Iterator[Sighting]:
        said = " ".join(text(node).split())
        if re.search(r"\|\|\s*(true|:|exit 0|return 0|/bin/true)$", said):
            first = said.rpartition("||")[0].strip()
            tests = is_check(first) or re.match(r"(\[|\[\[|test|diff|cmp|assert\w*)\s", first)
            mild = not (tests and self.is_checking) and not is_check(first)
            if tests or is_check(first):
                yield self._report("failure-ignored", node, f"`{said}` never fails", mild=mild)

    def read_question(self, node: Node) -> Iterator[Sighting]:
        if node.type == "if_statement":
            asked = text(field(node, "condition"))
        elif node.type == "case_statement":
            asked = text(node)[:MOST_ASKED]
        else:
            asked = text(node)
        found = _VARIABLES.search(asked)
        if found and not is_test_code(self.path):
            yield self._report("test-env-branch", node, f"asks for {found[1]}")
        elif _CALLER.search(asked) and not is_test_code(self.path):
            yield self._report("test-env-branch", node, "asks whether a test started it")
