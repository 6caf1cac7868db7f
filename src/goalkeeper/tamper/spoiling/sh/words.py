"""Words of shell: what they say, and others in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goalkeeper.tamper.spoiling.edits import Change
from goalkeeper.tamper.spoiling.values import (
    FAR_LENGTH,
    LEAST_DIGITS,
    LEAST_SIGNS,
    Chooser,
    change_decimal,
    change_pattern,
    change_text,
    is_golden,
)
from goalkeeper.tamper.syntax import field, text, walk
from goalkeeper.wire.pattern import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

Changes = tuple[Change, ...]

_EXPANSIONS = frozenset(
    {
        "simple_expansion", "expansion", "command_substitution", "process_substitution",
        "arithmetic_expansion",
    }
)  # fmt: skip
_QUOTED = {"raw_string": (1, 1), "ansi_c_string": (2, 1), "string": (1, 1)}
_ESCAPED = late_pattern(r"\\.", re.DOTALL)
_PLAIN_WORD = late_pattern(r"[\w.,:/%@+=-]*", re.ASCII)
_LEAST_SIGNS = 6


def has_expansion(node: Node) -> bool:
    return any(each.type in _EXPANSIONS for each in walk(node))


def read_text(node: Node | None) -> str | None:
    """Return what a word says; None if only a run can tell."""
    if node is None or has_expansion(node):
        return None
    parts = []
    for each in node.children if node.type == "concatenation" else [node]:
        whole = text(each)
        left, right = _QUOTED.get(each.type, (0, 0))
        inner = whole[left : len(whole) - right]
        parts.append(inner if each.type == "raw_string" else re.sub(r"\\(.)", r"\1", inner))
    return "".join(parts)


def change_word(node: Node, chooser: Chooser, *, far: bool = False) -> Changes:
    """Return changes of letters and digits that surely make another word; none if not possible."""
    chooser = chooser.at(node.start_byte)
    pieces = list(_find_pieces(node))
    if not pieces:
        return ()
    signs = sum(sum(map(_is_sign, _ESCAPED.sub("", written))) for _, written in pieces)
    changes = [
        Change(start, start + len(written.encode()), other)
        for start, written in pieces
        if (other := _change_outside_escapes(written, chooser.at(start))) != written
    ]
    if signs < (_LEAST_SIGNS if far else LEAST_SIGNS):
        added = chooser.choose_letters(FAR_LENGTH if far else LEAST_SIGNS)
        start, written = pieces[-1]
        end = start + len(written.encode())
        if changes and changes[-1].end == end:
            changes[-1] = changes[-1].replace(text=changes[-1].text + added)
        else:
            changes.append(Change(end, end, added))
    return tuple(changes)


def _is_sign(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()


def _change_outside_escapes(written: str, chooser: Chooser) -> str:
    done, parts = 0, []
    for found in _ESCAPED.finditer(written):
        parts += [change_text(written[done : found.start()], chooser.at(done)), found[0]]
        done = found.end()
    return "".join((*parts, change_text(written[done:], chooser.at(done))))


def _find_pieces(node: Node) -> Iterator[tuple[int, str]]:
    """Yield the pieces of a word that are written out, with their places."""
    if node.type == "concatenation":
        for child in node.children:
            yield from _find_pieces(child)
    elif node.type == "string":
        contents = [each for each in node.children if each.type == "string_content"]
        yield from ((each.start_byte, text(each)) for each in contents)
        if not contents and not has_expansion(node):
            yield node.end_byte - 1, ""
    elif node.type in _QUOTED:
        left, right = _QUOTED[node.type]
        yield node.start_byte + left, text(node)[left : len(text(node)) - right]
    elif node.type in {"word", "number"} and _PLAIN_WORD.fullmatch(text(node)):
        yield node.start_byte, text(node)


def change_number(node: Node, chooser: Chooser) -> Changes:
    """Return another whole number; none if it is not written out."""
    said = read_text(node)
    if said is None or not said.isdecimal():
        return ()
    chooser = chooser.at(node.start_byte)
    other = change_decimal(said, chooser, least=LEAST_DIGITS) or str(chooser.choose_number())
    at = node.start_byte + text(node).index(said)
    return (Change(at, at + len(said), other),)


def append_letters(node: Node, chooser: Chooser) -> Changes:
    """Return a change that makes a word longer, whatever it says."""
    letters = chooser.at(node.start_byte).choose_letters(3)
    at = node.end_byte
    return (
        (Change(at - 1, at - 1, letters),)
        if node.type == "string"
        else (Change(at, at, f'"{letters}"'),)
    )


def change_pattern_word(node: Node, chooser: Chooser) -> Changes:
    """Return a pattern that matches nothing of what there is; none if it is not written out."""
    if has_expansion(node) or node.type not in {"raw_string", "string", "word"}:
        return ()
    left, right = _QUOTED.get(node.type, (0, 0))
    inner = text(node)[left : len(text(node)) - right]
    chooser = chooser.at(node.start_byte)
    is_either = "\\|" in inner  # some patterns of grep write it like that
    other = None if is_either else change_pattern(inner, chooser)
    other = other or chooser.choose_letters(FAR_LENGTH)
    return (Change(node.start_byte + left, node.end_byte - right, other),)


def change_document(redirect: Node, chooser: Chooser) -> Changes:
    """Change the letters of a here-document outside of what the shell fills in."""
    body = next((each for each in redirect.children if each.type == "heredoc_body"), None)
    if body is None:
        return ()
    quoted = any(sign in text(field(redirect, "start") or _start_of(redirect)) for sign in "'\"\\")
    data = body.text or b""
    holes = [] if quoted else [e for e in walk(body) if e.type in _EXPANSIONS]
    edges = sorted((e.start_byte - body.start_byte, e.end_byte - body.start_byte) for e in holes)
    changes, done = [], 0
    for start, end in (*edges, (len(data), len(data))):
        if start < done:
            continue
        written = data[done:start].decode()
        other = _change_outside_escapes(written, chooser.at(body.start_byte + done))
        if other != written:
            changes.append(Change(body.start_byte + done, body.start_byte + start, other))
        done = end
    return tuple(changes)


def _start_of(redirect: Node) -> Node | None:
    return next((each for each in redirect.children if each.type == "heredoc_start"), None)


def find_golden(node: Node) -> str:
    """Return the path of the expected file that a word stands for: `"$(cat golden/a.txt)"`."""
    inner = node
    while inner.type == "string" and len(inner.named_children) == 1:
        inner = inner.named_children[0]
    if inner.type != "command_substitution" or len(inner.named_children) != 1:
        return ""
    found = re.fullmatch(r"\$\(\s*(?:cat\s+|<\s*)['\"]?([\w./-]+)['\"]?\s*\)", text(inner))
    return found[1] if found and is_golden(found[1]) else ""
