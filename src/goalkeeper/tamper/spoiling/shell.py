"""Spoils tests that are written in shell: bats, TAP, and scripts that end with a status."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from goalkeeper.tamper.spoiling.edits import Change, apply_changes
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.sh.conditions import Conditions, Flip, find_name
from goalkeeper.tamper.spoiling.sh.decisions import (
    CHECKS,
    MOST_DEPTH,
    SAYING,
    Decisions,
    Failing,
    ShellCall,
    TurningPoint,
    read_title,
)
from goalkeeper.tamper.spoiling.sh.known import KnownAssertions, is_known
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.tamper.syntax import Source, field, shell_root, text, walk
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

_BATS_TEST = late_pattern(r"^([ \t]*)@test([ \t]+)(\S.*?)([ \t]+)\{", re.MULTILINE)
_STRICT = late_pattern(r"-[a-z]*e[a-z]*|errexit")
_STRICT_BANG = late_pattern(r"#!.*\bsh +-[a-z]*e")
_USED = frozenset({"command_substitution", "process_substitution"})
_COMPARING = CHECKS | SAYING | {"[", "local", "shift", "return", "exit"}


class _ShellTest(Value):
    name: str
    body: Node
    strict: bool
    last_counts: bool


class _Effect(Value):
    """The tests that fail by a decision: by name, or all of what is read."""

    is_whole: bool = False
    titles: tuple[str, ...] = ()
    golden: str = ""


def spoil_shell(
    text: str, seed: str, *, path: str, others: Mapping[str, str] | None = None
) -> SpoiltFile | None:
    """Change what the tests of a script expect; None if nothing in it is read as a test.

    `others` are scripts that may hold its functions, by their paths. Names are the titles of bats,
    the names that `not ok` is printed with, or empty for a script that ends with a status.
    """
    plain = _hide_bats(text)
    try:
        top = shell_root(Source(path, plain))
        tops = [shell_root(Source(name, each)) for name, each in (others or {}).items()]
    except RecursionError:
        return None
    if top.has_error:
        return None
    file = _ShellFile(top, tops, Chooser(seed, path))
    titles = [_unquote(found[3]) for found in _BATS_TEST.finditer(text)]
    spoilt, left, golden = file.spoil(titles)
    if not spoilt and not left and not golden:
        return None
    wide = text.encode(errors="surrogatepass").decode("latin-1")
    changed = apply_changes(wide, file.changes)
    unsure = set(left)
    return SpoiltFile(
        changed.encode("latin-1").decode(errors="surrogatepass"),
        tuple(dict.fromkeys(each for each in spoilt if each not in unsure)),
        tuple(dict.fromkeys(left)),
        golden=tuple(dict.fromkeys(golden)),
    )


def _hide_bats(source: str) -> str:
    """Write tests of bats as functions of the same length."""

    def write(found: re.Match[str]) -> str:
        width = len(found[0].encode()) - len(found[1]) - len("t()") - 1
        return f"{found[1]}t(){' ' * width}{{"

    return _BATS_TEST.sub(write, source)


def _unquote(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name


class _ShellFile:
    def __init__(self, top: Node, others: list[Node], chooser: Chooser) -> None:
        self._top = top
        found = [pair for each in others for pair in _find_functions(each)]
        own = dict(_find_functions(top))
        self._decisions = Decisions({**dict(found), **own})
        self._bats = Decisions(
            {n: f for n, f in self._decisions.functions.items() if not is_known(n)}
        )
        self._conditions = Conditions(chooser)
        self._known = KnownAssertions(chooser)
        self._source = text(top)
        self.changes: dict[Change, None] = {}
        self._left: list[str] = []
        # Then the status may be another at the end.
        self._is_trapped = bool(re.search(r"(?m)^\s*trap\b.*\b(?:EXIT|0)\b", self._source))
        self._counted = frozenset(_find_counted(top, self._decisions.functions))

    def spoil(self, titles: list[str]) -> tuple[list[str], list[str], list[tuple[str, str]]]:
        spoilt: list[str] = []
        left: list[str] = []
        golden: list[tuple[str, str]] = []
        for test in self._find_tests(titles):
            effects = list(self._spoil_statements(test))
            named = [each for each in effects if each.titles]
            spoilt += [name for each in named if not each.golden for name in each.titles]
            golden += [(e.golden, name) for e in named if e.golden for name in e.titles]
            whole = [each for each in effects if each.is_whole and not self._is_trapped]
            if any(not each.golden for each in whole):
                spoilt.append(test.name)
            elif whole:
                golden.append((whole[0].golden, test.name))
            elif test.name:
                left.append(test.name)
        left += self._left
        return spoilt, left, golden

    def _find_tests(self, titles: list[str]) -> Iterator[_ShellTest]:
        bodies = [
            body
            for node in walk(self._top)
            if node.type == "function_definition" and text(field(node, "name")) == "t"
            if (body := field(node, "body")) is not None
        ]
        if titles and len(titles) == len(bodies):
            for title, body in zip(titles, bodies, strict=True):
                yield _ShellTest(title, body, strict=True, last_counts=True)
        elif not titles:
            yield _ShellTest("", self._top, _is_strict(self._top), last_counts=True)

    def _spoil_statements(self, test: _ShellTest) -> Iterator[_Effect]:
        reader = self._bats if test.name else self._decisions
        found = reader.find(
            test.body.named_children, strict=test.strict, last_counts=test.last_counts
        )
        for each in found:
            yield from self._spoil_one(each, {}, strict=test.strict, is_bats=bool(test.name))
        if test.name:
            for flip in self._known.find(test.body.named_children):
                if self._add(flip):
                    yield _Effect(is_whole=True, golden=flip.golden)

    def _spoil_one(
        self,
        found: TurningPoint | ShellCall,
        bound: Mapping[str, Node],
        *,
        strict: bool,
        is_bats: bool,
        depth: int = 0,
    ) -> Iterator[_Effect]:
        if isinstance(found, ShellCall):
            yield from self._spoil_call(found, bound, strict=strict, is_bats=is_bats, depth=depth)
            return
        named = {name: bound[number] for name, number in found.names.items() if number in bound}
        flip = self._conditions.flip(found.condition, named, held=found.held)
        title = _find_title(found.failing, named)
        if flip is None or not self._add(flip):
            self._left += [title] if title else []
            return
        yield self._find_effect(found.failing, title, flip, is_bats=is_bats)

    def _find_effect(
        self, failing: Failing, title: str | None, flip: Flip, *, is_bats: bool
    ) -> _Effect:
        whole = (
            failing.is_exit
            or failing.is_status
            or (failing.counter in self._counted and not is_bats)
        )
        return _Effect(whole and not title, (title,) if title else (), flip.golden)

    def _spoil_call(
        self, call: ShellCall, bound: Mapping[str, Node], *, strict: bool, is_bats: bool, depth: int
    ) -> Iterator[_Effect]:
        """Spoil what a function compares with: in the call, if that is one of its parameters."""
        body = field(call.function, "body")
        if body is None or depth >= MOST_DEPTH:
            return
        names = {name: bound[number] for name, number in call.names.items() if number in bound}
        given = {
            str(number): names.get(find_name(word), word)
            for number, word in enumerate(call.command.named_children[1:], start=1)
        }
        inner = {
            number: word
            for number, word in given.items()
            if not _is_used_to_compute(body, number, self._decisions.functions)
        }
        for each in self._decisions.find(body.named_children, strict=strict, last_counts=True):
            for effect in self._spoil_one(
                each, inner, strict=strict, is_bats=is_bats, depth=depth + 1
            ):
                is_told = not isinstance(each, TurningPoint) or (
                    each.failing.is_exit or each.failing.counter in self._counted
                )
                if strict or call.is_last or effect.titles or is_told:
                    yield effect

    def _add(self, flip: Flip) -> bool:
        """Note changes; refuse what others changed, and what lies in another file."""
        if not self._is_own(flip.at) or (flip.golden and self._source.count(flip.golden) != 1):
            return False
        for change in flip.changes:
            if change in self.changes:
                continue
            for other in self.changes:
                if change.start <= other.end and other.start <= change.end:
                    return False
        self.changes |= dict.fromkeys(flip.changes)
        return True

    def _is_own(self, node: Node) -> bool:
        """Return whether a node is of this file: a helper in another one stays as it is."""
        while node.parent is not None:
            node = node.parent
        return node.id == self._top.id


def _find_title(failing: Failing, bound: Mapping[str, Node]) -> str | None:
    """Return the name that a test has in the report when it fails this way."""
    if failing.said is None:
        return None
    given = {number: bound.get(find_name(word), word) for number, word in failing.given.items()}
    return read_title(failing.said, given or bound)


def _find_functions(top: Node) -> Iterator[tuple[str, Node]]:
    for node in walk(top):
        if node.type == "function_definition":
            yield text(field(node, "name")), node


def _is_strict(top: Node) -> bool:
    said = text(top)
    if re.search(r"\bset \+[a-z]*e|\bset \+o errexit", said):
        return False
    if _STRICT_BANG.match(said):
        return True
    for node in top.named_children:
        if node.type == "command" and text(field(node, "name")) == "set":
            words = [text(each) for each in node.named_children[1:]]
            return any(_STRICT.fullmatch(each) for each in words)
        if node.type not in {"comment", "variable_assignment", "function_definition"}:
            return False
    return False


def _find_counted(top: Node, functions: Mapping[str, Node]) -> Iterator[str]:
    """Find the counter that the status of the script is made of, at its end."""
    statements = [each for each in top.named_children if each.type != "comment"]
    last = statements[-1] if statements else None
    if last is None or last.type == "function_definition":
        return
    function = functions.get(text(field(last, "name"))) if last.type == "command" else None
    body = field(function, "body") if function is not None else None
    if body is not None and body.named_children:
        last = body.named_children[-1]
    found = re.search(r"""(?:exit|\[|test)\s+"?\$\{?(\w+)""", text(last))
    name = found[1] if found else ""
    resets = len(re.findall(rf"(?m)^\s*{name}=0\b", text(top))) if name else 0
    if name and resets <= 1:
        yield name


def _is_used_to_compute(body: Node, number: str, functions: Collection[str]) -> bool:
    """Return whether a parameter is also given to a program that may be what is tested."""
    said = text(body)
    names = re.findall(rf"""(\w+)=["']?\$\{{?{number}\b""", said)
    used = late_pattern("|".join(rf"\$\{{?{each}\b" for each in (number, *names)))
    shifts = sum(int(each or 1) for each in re.findall(r"\bshift\b *([0-9]*)", said))
    if re.search(r"\$\{?[@*]", said) and shifts < int(number):
        return True
    for node in walk(body):
        if node.type in _USED and used.search(text(node)):
            return True
        name = text(field(node, "name")) if node.type == "command" else ""
        if name and name not in _COMPARING and name not in functions and used.search(text(node)):
            return True
    return False
