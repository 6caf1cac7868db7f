"""Shell scripts that say yes whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from goalkeeper.tamper.answers import AnswerReader, Keys
from goalkeeper.tamper.patterns import CodePart, match_code_patterns
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import find_facts
from goalkeeper.tamper.syntax import Source, field, line, shell_root, walk
from goalkeeper.tamper.syntax import shell_text as text

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ASKED = 200  # characters of a `case` in which its question is looked for


def find_shell_tricks(source: Source) -> Iterator[Sighting]:
    yield from match_code_patterns("shell", source.path, _find_parts(source))


def _find_parts(source: Source) -> Iterator[CodePart]:
    """These are the parts that rules may have patterns for."""
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
            case "list":
                yield make("list", "", node, _write_line(node).rpartition("||")[0].strip())
            case "if_statement":
                yield make("question", "", node, text(field(node, "condition")))
            case "test_command":
                yield make("question", "", node, text(node))
            case "case_statement":
                yield make("question", "", node, text(node)[:MOST_ASKED])
            case _:
                pass


def _find_followed(top: Node) -> list[Node]:
    """These statements stand before others that would run."""
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


def _find_keys(source: Source) -> Iterator[Keys]:
    """Labels of `case` and comparisons may hold the tests' own inputs."""
    labels: list[str] = []
    for node in walk(shell_root(source)):
        if node.type == "case_item":
            labels += map(text, node.children_by_field_name("value"))
        elif node.type in {"test_command", "binary_expression"}:
            labels += [text(part) for part in walk(node) if part.type == "string"]
    yield 0, [label.strip("'\"") for label in labels]


SHELL_ANSWERS = AnswerReader(find_keys=_find_keys)
