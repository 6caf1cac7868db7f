"""Reads shell scripts: tests in them, and tricks that always succeed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from goalkeeper.tamper.lines import Dialect, read_dialect, read_line_test
from goalkeeper.tamper.patterns import CodePart, match_code_patterns
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import find_facts
from goalkeeper.tamper.syntax import Source, field, line, shell_root, tokens, walk
from goalkeeper.tamper.syntax import shell_text as text
from goalkeeper.tamper.testing import Code, Test, TestFile, fingerprint
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ASKED = 200  # the question of a `case` is looked for in so many characters
_BATS_TEST = late_pattern(r"^[ \t]*@test[ \t]+(\S.*?)[ \t]+\{(.*)$", re.MULTILINE)
_TEST_NAME = late_pattern(r"test_?\w.*")
_VERBATIM = frozenset({"string", "raw_string", "ansi_c_string", "concatenation", "heredoc_body"})
_DROPPED = frozenset({"comment", "\n", ";"})
_MOST_PARTS = 20  # the limit for a command with a title, because each part is read for each other


def find_shell_tricks(source: Source) -> Iterator[Sighting]:
    yield from match_code_patterns("shell", source.path, _find_parts(source))


def _find_parts(source: Source) -> Iterator[CodePart]:
    """Find the parts that rules may have patterns for."""
    top = shell_root(source)
    make = partial(_make_part, find_facts(source))
    for node in _find_followed(top):
        yield make("followed", text(node), node)
    for node in walk(top):
        words = [text(child) for child in node.named_children]
        match node.type:
            case "command":
                yield make("command", text(field(node, "name")), node, "\n".join(words[1:]))
                if words[:1] == ["trap"]:
                    action = words[1].strip("'\"") if len(words) > 1 else ""
                    yield make("trap", action, node, "\n".join(words[1:]))
            case "declaration_command":
                yield make("command", "", node)
            case "function_definition":
                name, body = text(field(node, "name")), text(field(node, "body"))
                yield make("function", name, node, f"{name} {body}")
            case "if_statement":
                yield make("question", "", node, text(field(node, "condition")))
            case "test_command":
                yield make("question", "", node, text(node))
            case "case_statement":
                yield make("question", "", node, text(node)[:MOST_ASKED])
            case _:
                pass


def _find_followed(top: Node) -> list[Node]:
    """Find statements that stand before others that would run."""
    statements = [node for node in top.named_children if node.type != "comment"]
    run = [index for index, node in enumerate(statements) if node.type != "function_definition"]
    return statements[: run[-1]] if run else []


def _make_part(
    facts: frozenset[str], kind: str, name: str, node: Node, given: str = ""
) -> CodePart:
    def write(aspect: str) -> str:
        return given if aspect == "arguments" else _write_line(node)

    return CodePart(kind, name, line(node), facts, write)


def _write_line(node: Node) -> str:
    return " ".join(text(node).split())


class ShellPart(Value):
    """A function, or a command with a title."""

    name: str
    line: int
    body: str
    is_test: bool = False


def read_shell_tests(source: Source) -> TestFile:
    """Read the tests; a script is one test if none of its functions is a test."""
    titles: list[str] = []

    def write_function(found: re.Match[str]) -> str:
        titles.append(_unquote(found[1]))
        return f"__bats_test_{len(titles) - 1}__() {{{found[2]}"

    shell = read_dialect("shell")
    root = shell_root(Source(source.path, _BATS_TEST.sub(write_function, source.text)))
    bats = {f"__bats_test_{number}__": title for number, title in enumerate(titles)}
    functions = sorted(_find_functions(root, bats), key=lambda each: each.line)
    tests = [each for each in functions if each.is_test]
    parts = {each.name: each for each in _find_titled(root)}
    parts |= {each.name: each for each in functions if not each.is_test}
    read = _read_functions(source, shell, tests)
    found = [
        *{test.name: test for test in read}.values(),  # of two, the shell keeps the later
        *(
            Test(source.path, part.name, part.line, partial(Code, part.body), is_part=True)
            for part in parts.values()
            if part.name not in {test.name for test in tests}
        ),
    ]
    if not tests:
        whole = source.text.splitlines()
        script = read_line_test(source, shell, name="the script", number=1, body=whole)
        found.append(script.replace(code=partial(Code, "")))  # no report names it
    return TestFile(tuple(sorted(found, key=lambda test: test.line)), has_errors=root.has_error)


def _read_functions(source: Source, shell: Dialect, tests: list[ShellPart]) -> Iterator[Test]:
    """Read functions; what stands between two tests is read with the first of them."""
    lines = source.text.splitlines()
    ends = [*(each.line - 1 for each in tests[1:]), len(lines)]
    for test, end in zip(tests, ends, strict=False):
        body = lines[test.line - 1 : end]
        found = read_line_test(source, shell, name=test.name, number=test.line, body=body)
        yield found.replace(code=partial(Code, test.body))


def _find_functions(root: Node, bats: dict[str, str]) -> Iterator[ShellPart]:
    for node in walk(root):
        body = field(node, "body") if node.type == "function_definition" else None
        if body is not None:
            name = text(field(node, "name"))
            is_test = name in bats or bool(_TEST_NAME.fullmatch(name))
            words = fingerprint(_find_words(body))
            yield ShellPart(bats.get(name, name), line(node), words, is_test)


def _find_titled(root: Node) -> Iterator[ShellPart]:
    """Find commands with a title, as in `is "$(clean 1.2.3)" "v1.2.3" "a tag gets its v"`."""
    for command in walk(root):
        parts = command.children
        if command.type != "command" or len(parts) > _MOST_PARTS:
            continue
        for title in parts:
            if title.type in {"string", "raw_string"}:
                rest = chain.from_iterable(_find_words(part) for part in parts if part != title)
                yield ShellPart(_unquote(text(title)), line(command), fingerprint(rest))


def _find_words(node: Node) -> Iterator[str]:
    return tokens(node, verbatim=_VERBATIM, dropped=_DROPPED)


def _unquote(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", name[1:-1])
    return name
