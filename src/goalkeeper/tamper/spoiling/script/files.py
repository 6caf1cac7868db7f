"""Finds expected files that tests of JavaScript read: `readFileSync("expected/a.txt")`."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from goalkeeper.tamper.javascript.names import arguments_of
from goalkeeper.tamper.spoiling.values import is_golden
from goalkeeper.tamper.syntax import field, text
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_READS = late_pattern(r"(?:\w+\.)*readFile(?:Sync)?")
_JOINS = late_pattern(r"(?:path\.)?(?:join|resolve)")
_SAME_TEXT = frozenset({"toString", "trim", "trimEnd"})
_HERE = late_pattern(r"(?:import\.meta\.dirname|__dirname)")


def find_read_file(node: Node, path: str) -> str:
    """Return the expected file, from the root, whose content the expression is; empty if none."""
    here = node
    while True:
        if here.type in {"await_expression", "parenthesized_expression"} and here.named_children:
            here = here.named_children[0]
            continue
        name, given = text(field(here, "function")), arguments_of(here)
        if here.type != "call_expression":
            return ""
        if _READS.fullmatch(name):
            found = _read_path(given[0], path) if given else ""
            return found if found and is_golden(found) else ""
        inner = field(here, "function", "object")
        if name == "JSON.parse" and len(given) == 1:
            here = given[0]
        elif name.rpartition(".")[2] in _SAME_TEXT and inner is not None:
            here = inner
        else:
            return ""


def _read_path(node: Node, path: str) -> str:
    """Return the path that an expression gives, from the root; empty if only a run can tell."""
    folder = posixpath.dirname(path)
    given = arguments_of(node)
    said = _read_plain(node)
    if said is not None:  # programs of tests run in the root
        return _clean("", [said])
    if node.type == "new_expression" and text(field(node, "constructor")) == "URL":
        is_beside = len(given) == 2 and text(given[1]) == "import.meta.url"  # noqa: PLR2004
        plain = _read_plain(given[0]) if is_beside else None
        return _clean(folder, [plain]) if plain is not None else ""
    if node.type == "call_expression" and _JOINS.fullmatch(text(field(node, "function"))):
        parts = [_read_plain(each) for each in given[1:]]
        known = [each for each in parts if each is not None]
        is_beside = bool(given) and bool(_HERE.fullmatch(text(given[0])))
        return _clean(folder, known) if is_beside and len(known) == len(parts) else ""
    found = re.fullmatch(r"`\$\{__dirname\}/([\w./-]+)`", text(node))
    return _clean(folder, [found[1]]) if found else ""


def _read_plain(node: Node) -> str | None:
    found = re.fullmatch(r"(['\"`])([\w./ -]+)\1", text(node))
    return found[2] if found else None


def _clean(folder: str, parts: list[str]) -> str:
    whole = posixpath.normpath(posixpath.join(folder, *parts))
    return "" if whole.startswith(("..", "/")) else whole
