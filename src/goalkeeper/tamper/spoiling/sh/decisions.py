"""Finds the places where a script decides whether a test has failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from goalkeeper.tamper.spoiling.sh.conditions import find_name
from goalkeeper.tamper.spoiling.sh.words import read_text
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DEPTH = 3  # functions that call functions are followed so deep
_NOT_OK = late_pattern(
    r"\s*not ok\b\s*(?:\0|[0-9]+|%d|%s)?\s*(?:-\s*)?(.*?)\s*(?:\\n)?\s*", re.DOTALL
)
_COUNTING = late_pattern(r"(?:\$\(\(|\(\()?\s*\$?(\w+)\s*\+=?\s*1\s*(?:\)\))?|[1-9]")
_ENDING = frozenset({"exit", "skip", "exec", "SKIP"})
_COUNTER = late_pattern(r"fail|err|bad|status|rc|ret|exit|broken|wrong|result", re.IGNORECASE)
_LEAVING = frozenset({"exit", "return", "skip", "exec", "break", "continue", "SKIP"})
# The grammar takes `a=$1 b=$2`, and a command on the next line, for one command.
_ASSIGNING = frozenset({"declaration_command", "variable_assignments", "command"})
SAYING = frozenset({"echo", "printf"})
CHECKS = frozenset({"test", "grep", "egrep", "fgrep", "diff", "cmp"})


class Failing(Value):
    """How a piece of a script makes the test fail."""

    is_exit: bool = False
    is_status: bool = False
    counter: str = ""
    said: Node | None = None  # the command that prints `not ok`
    given: Mapping[str, Node] = {}  # what that command's parameters are in the function around

    def __bool__(self) -> bool:
        return bool(self.is_exit or self.is_status or self.counter or self.said)


class TurningPoint(Value):
    """A condition that held, or did not, when the test passed."""

    condition: Node
    held: bool
    failing: Failing
    names: Mapping[str, str]  # names of a function for its parameters: `wanted` for `2`


class ShellCall(Value):
    """A call of a function, which may hold decisions."""

    command: Node
    function: Node
    names: Mapping[str, str]
    is_last: bool = False


class Decisions:
    """Reads statements in their order, as far as they surely run."""

    def __init__(self, functions: Mapping[str, Node]) -> None:
        self.functions = functions

    def find(
        self, statements: Sequence[Node], *, strict: bool, last_counts: bool = False
    ) -> Iterator[TurningPoint | ShellCall]:
        """Yield decisions and calls. If `strict`, a command that fails ends it (`set -e`)."""
        names: dict[str, str] = {}
        shifted = 0
        told = [each for each in statements if each.type not in {"comment", "function_definition"}]
        for each in told:
            shifted += _read_names(each, names, shifted)
            is_last = last_counts and each == told[-1]
            bare = {**{str(n - shifted): str(n) for n in range(1 + shifted, 10)}, **names}
            yield from self._read(each, bare, strict=strict, is_last=is_last)
            if may_leave(each) or self._may_end(each):
                return

    def _may_end(self, statement: Node, depth: int = 0) -> bool:
        """Return whether a function that is called here may end the script as if all were well."""
        for node in walk(statement):
            function = (
                self.functions.get(text(field(node, "name"))) if node.type == "command" else None
            )
            body = field(function, "body") if function is not None else None
            if body is not None and (
                may_leave(body, _ENDING) or (depth < MOST_DEPTH and self._may_end(body, depth + 1))
            ):
                return True
        return False

    def _read(
        self, node: Node, names: Mapping[str, str], *, strict: bool, is_last: bool
    ) -> Iterator[TurningPoint | ShellCall]:
        status = Failing(is_status=True)
        match node.type:
            case "if_statement":
                yield from self._read_if(node, names)
            case "list":
                yield from self._read_list(node, names, strict=strict, is_last=is_last)
            case "case_statement":
                pass
            case "compound_statement" | "do_group":
                for each in node.named_children:
                    yield from self._read(each, names, strict=strict, is_last=False)
                    if may_leave(each):
                        return
            case "subshell" if strict:
                for each in node.named_children:
                    yield from self._read(each, names, strict=strict, is_last=False)
                    if may_leave(each):
                        return
            case "for_statement" if _has_plain_items(node) and not may_leave(node):
                body = field(node, "body")
                if body is not None:
                    yield from self._read(body, names, strict=strict, is_last=False)
            case "test_command" if strict or is_last:
                yield TurningPoint(node, held=True, failing=status, names=names)
            case "pipeline" | "redirected_statement" if strict or is_last:
                if _is_check(node):
                    yield TurningPoint(node, held=True, failing=status, names=names)
                elif (call := self._find_call(node, names)) is not None:
                    yield call
            case "negated_command" if is_last:
                yield TurningPoint(node, held=True, failing=status, names=names)
            case "command":
                call = self._find_call(node, names)
                if call is not None:
                    yield call.replace(is_last=is_last)
                elif (strict or is_last) and text(field(node, "name")) in CHECKS:
                    yield TurningPoint(node, held=True, failing=status, names=names)
            case _:
                pass

    def _find_call(self, node: Node, names: Mapping[str, str]) -> ShellCall | None:
        inner = field(node, "body") if node.type == "redirected_statement" else node
        function = self.functions.get(text(field(inner, "name"))) if inner is not None else None
        if inner is None or function is None or inner.type != "command":
            return None
        return ShellCall(inner, function, names)

    def _read_if(self, node: Node, names: Mapping[str, str]) -> Iterator[TurningPoint]:
        kinds = {each.type for each in node.children}
        if "elif_clause" in kinds:
            return
        conditions = [e for e in node.children_by_field_name("condition") if e.is_named]
        rest = [e for e in node.named_children if e.type != "comment" and e not in conditions]
        other = [each for each in rest if each.type == "else_clause"]
        then = self.read_failing([each for each in rest if each.type != "else_clause"])
        ends = self.read_failing(other[0].named_children if other else [])
        if len(conditions) != 1 or bool(then) == bool(ends):
            return
        yield TurningPoint(conditions[0], held=bool(ends), failing=then or ends, names=names)

    def _read_list(
        self, node: Node, names: Mapping[str, str], *, strict: bool, is_last: bool
    ) -> Iterator[TurningPoint | ShellCall]:
        parts = node.named_children
        if len(parts) != 2:  # noqa: PLR2004
            return
        left, right = parts
        is_or = "||" in {each.type for each in node.children}
        failing = self.read_failing([right])
        if failing:
            passed = left.type == "list" and self.read_failing([left.named_children[-1]])
            if not passed:
                yield TurningPoint(left, held=is_or, failing=failing, names=names)
        elif not is_or and is_last:
            yield TurningPoint(node, held=True, failing=Failing(is_status=True), names=names)
        elif not is_or and strict:
            yield from self._read(right, names, strict=strict, is_last=False)

    def read_failing(self, statements: Sequence[Node], depth: int = 0) -> Failing:
        """Read how these statements let the test fail; nothing if that is not sure."""
        found = Failing()
        for node in statements:
            if node.type in {"compound_statement", "do_group"}:
                found = _join(found, self.read_failing(node.named_children, depth))
            elif node.type == "variable_assignment":
                found = _join(found, _read_counter(node))
            elif node.type == "redirected_statement" and field(node, "body") is not None:
                inner = field(node, "body")
                found = _join(found, self.read_failing([inner] if inner else [], depth))
            elif node.type == "command":
                found = _join(found, self._read_failing_command(node, depth))
            elif node.type == "test_command" and text(node).startswith("(("):
                found = _join(found, _read_increment(text(node)))
            elif node.type == "list":
                break
        return found

    def _read_failing_command(self, node: Node, depth: int) -> Failing:
        name, words = text(field(node, "name")), node.named_children[1:]
        first = text(words[0]) if words else ""
        if name == "exit":
            return Failing(is_exit=first.isdigit() and int(first) % 256 > 0)
        if name == "return":
            return Failing(is_status=first.isdigit() and int(first) % 256 > 0)
        if name == "false":
            return Failing(is_status=True)
        if name in SAYING and words and _NOT_OK.match(_write_said(node, {})):
            return Failing(said=node)
        function = self.functions.get(name)
        body = field(function, "body") if function is not None else None
        if body is None or depth >= MOST_DEPTH:
            return Failing()
        given = {str(number): word for number, word in enumerate(words, start=1)}
        found = self.read_failing(body.named_children, depth + 1)
        if not found:
            found = self._read_compared(body, given)
        return found.replace(given=given) if found.said is not None and not found.given else found

    def _read_compared(self, body: Node, given: Mapping[str, Node]) -> Failing:
        """Read a function that is called to fail: with two words that are not the same."""
        for each in self.find(body.named_children, strict=False):
            if not isinstance(each, TurningPoint) or each.condition.type != "test_command":
                continue
            names = {find_name(part) for part in walk(each.condition) if part.type == "string"}
            numbers = {each.names[name] for name in names if name in each.names}
            said = {text(given[number]) for number in numbers if number in given}
            if each.held and len(numbers) == 2 and len(said) == 2:  # noqa: PLR2004
                return each.failing
        return Failing()


def _join(one: Failing, other: Failing) -> Failing:
    return Failing(
        one.is_exit or other.is_exit,
        one.is_status or other.is_status,
        one.counter or other.counter,
        one.said or other.said,
        one.given if one.said else other.given,
    )


def _read_counter(node: Node) -> Failing:
    """Read `failed=$((failed + 1))` and `status=1`."""
    name, value = text(field(node, "name")), text(field(node, "value"))
    found = _COUNTING.fullmatch(value)
    is_own = found is not None and found[1] in {None, name} and bool(_COUNTER.search(name))
    return Failing(counter=name if is_own else "")


def _read_increment(said: str) -> Failing:
    found = re.fullmatch(r"\(\(\s*(\w+)\s*(?:\+\+|\+=\s*1)\s*\)\)", said)
    return Failing(counter=found[1] if found else "")


def _read_names(node: Node, names: dict[str, str], shifted: int) -> int:
    """Note `wanted=$2`; return by how many words `shift` moves the parameters."""
    for each in walk(node) if node.type in _ASSIGNING else [node]:
        if each.type == "variable_assignment":
            name, value = text(field(each, "name")), field(each, "value")
            names.pop(name, None)
            found = find_name(value) if value is not None else ""
            if found.isdigit() and found != "0":
                names[name] = str(int(found) + shifted)
            elif found in names:
                names[name] = names[found]
    if node.type == "command" and text(field(node, "name")) == "shift":
        last = text(node.named_children[-1])
        return int(last) if last.isdigit() else 1
    return 0


def may_leave(statement: Node, leaving: frozenset[str] = _LEAVING) -> bool:
    """Return whether the script may end here as if all were well, or the test be skipped."""
    for node in walk(statement):
        if node.type == "command" and text(field(node, "name")) in leaving:
            words = node.named_children[1:]
            first = text(words[0]) if words else ""
            if not (first.isdigit() and int(first) % 256 > 0):
                return True
    return False


def _has_plain_items(loop: Node) -> bool:
    values = loop.children_by_field_name("value")
    first = read_text(values[0]) if values else None
    return bool(first) and not any(sign in "*?[{" for sign in first or "")


def _is_check(node: Node) -> bool:
    last = node.named_children[-1] if node.type == "pipeline" else field(node, "body")
    return last is not None and last.type == "command" and text(field(last, "name")) in CHECKS


def read_title(command: Node, bound: Mapping[str, Node]) -> str | None:
    """Return the name that `echo "not ok 1 - name"` gives to a test; None if it is not known."""
    found = _NOT_OK.fullmatch(_write_said(command, bound))
    return None if found is None or "\0" in found[1] else found[1] or None


def _write_said(command: Node, bound: Mapping[str, Node]) -> str:
    """Write what `echo` or `printf` prints; what is not known is a zero byte."""
    words = [_write_word(each, bound) for each in command.named_children[1:]]
    words = [each for each in words if each not in {"-e", "-n", "--"}]
    if text(field(command, "name")) == "echo" or not words:
        return " ".join(words)
    given = iter(words[1:])
    return re.sub(r"%[ds]", lambda _: next(given, ""), words[0])


def _write_word(node: Node, bound: Mapping[str, Node]) -> str:
    plain = read_text(node)
    if plain is not None:
        return plain
    parts = []
    for each in node.named_children if node.type in {"string", "concatenation"} else [node]:
        if each.type == "string_content":
            parts.append(text(each))
        else:
            name = find_name(each) or text(each).strip('${}"')
            parts.append((read_text(bound[name]) if name in bound else None) or "\0")
    return "".join(parts)
