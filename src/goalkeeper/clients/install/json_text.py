"""JSON files of other people, changed in place: what we do not touch stays byte for byte.

Comments and commas before a closing bracket are read over, as many clients do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from goalkeeper.wire.value import Value

_BLANKS = " \t\r\n"
_SPACE = re.compile(rf"(?:[{_BLANKS}]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEEPEST = 100


class NotJson(ValueError):
    """The text is not JSON; the message says where."""


class Node(Value):
    """A value and where it stands. `keys` are those of an object, in order."""

    value: Any
    start: int
    end: int
    children: tuple[Node, ...] = ()
    keys: tuple[str, ...] = ()
    places: tuple[int, ...] = ()  # where each member begins: at its key

    def child(self, key: str) -> Node | None:
        return dict(zip(self.keys, self.children, strict=False)).get(key)  # a list has no keys

    def span(self, index: int) -> tuple[int, int]:
        """From where to where a member or item goes."""
        start = self.places[index] if self.places else self.children[index].start
        return start, self.children[index].end


def parse(text: str) -> Node:
    reader = _Reader(text)
    root = reader.node(reader.skip(0), 0)
    if reader.skip(root.end) != len(text):
        raise NotJson(reader.at(root.end, "something follows the end"))
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def at(self, place: int, said: str) -> str:
        return f"line {self._text.count(chr(10), 0, place) + 1}: {said}"

    def skip(self, place: int) -> int:
        return _skipped(self._text, place)

    def node(self, place: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise NotJson(self.at(place, "it is nested too deeply"))
        head = self._text[place : place + 1]
        if head == "{":
            return self._object(place, depth)
        if head == "[":
            return self._array(place, depth)
        found = (_STRING if head == '"' else _SCALAR).match(self._text, place)
        if found is None:
            raise NotJson(self.at(place, "a value is missing"))
        return Node(self._read(found), place, found.end())

    def _read(self, found: re.Match[str]) -> Any:  # noqa: ANN401  JSON
        try:
            return json.loads(found[0])
        except ValueError as exc:  # an escape that JSON has not, a number without end
            raise NotJson(self.at(found.start(), str(exc))) from exc

    def _array(self, place: int, depth: int) -> Node:
        items: list[Node] = []
        here = self.skip(place + 1)
        while self._text[here : here + 1] != "]":
            items.append(self.node(here, depth + 1))
            here = self._next(items[-1].end, "]")
        return Node([item.value for item in items], place, here + 1, tuple(items))

    def _object(self, place: int, depth: int) -> Node:
        keys: list[str] = []
        places: list[int] = []
        values: list[Node] = []
        here = self.skip(place + 1)
        while self._text[here : here + 1] != "}":
            key = _STRING.match(self._text, here)
            colon = self.skip(key.end()) if key else here
            if key is None or self._text[colon : colon + 1] != ":":
                raise NotJson(self.at(here, 'a "name": is missing'))
            keys.append(self._read(key))
            places.append(here)
            values.append(self.node(self.skip(colon + 1), depth + 1))
            here = self._next(values[-1].end, "}")
        told = dict(zip(keys, (value.value for value in values), strict=True))
        return Node(told, place, here + 1, tuple(values), tuple(keys), tuple(places))

    def _next(self, place: int, close: str) -> int:
        here = self.skip(place)
        if self._text[here : here + 1] == ",":
            return self.skip(here + 1)
        if self._text[here : here + 1] != close:
            raise NotJson(self.at(here, f"a comma or {close} is missing"))
        return here


def appended(text: str, path: Sequence[str], item: object) -> str:
    """With one more item in the array at that path, which is made if there is none."""
    node, rest = _deepest(parse(text), path)
    if not rest:
        if not isinstance(node.value, list):
            raise NotJson(f"{'.'.join(path)} is not a list")
        return _inserted(text, node, item, "")
    value: object = [item]
    for key in reversed(rest[1:]):
        value = {key: value}
    return _with_member(text, node, path, rest[0], value)


def with_member(text: str, path: Sequence[str], value: object) -> str:
    """With that member, where there is none of its name."""
    node, rest = _deepest(parse(text), path)
    if not rest:
        return text
    for key in reversed(rest[1:]):
        value = {key: value}
    return _with_member(text, node, path, rest[0], value)


def _with_member(text: str, node: Node, path: Sequence[str], key: str, value: object) -> str:
    if not isinstance(node.value, dict):
        raise NotJson(f"{'.'.join(path)} leads through something that is no object")
    return _inserted(text, node, value, key)


def _deepest(node: Node, path: Sequence[str]) -> tuple[Node, Sequence[str]]:
    for index, key in enumerate(path):
        found = node.child(key)
        if found is None:
            return node, path[index:]
        node = found
    return node, ()


def _inserted(text: str, node: Node, value: object, key: str) -> str:
    """A member (with a key) or item at the end of a container, in the manner of the others."""
    outer = _indent(text, node.start)
    first = node.span(0)[0] if node.children else -1
    in_lines = not node.children or "\n" in text[node.start : first]
    inner = _indent(text, first) if node.children and in_lines else outer + "  "
    line_end = "\r\n" if "\r\n" in text else "\n"
    told = json.dumps(value, indent=2 if in_lines else None, ensure_ascii=False)
    piece = (f"{json.dumps(key)}: " if key else "") + told.replace("\n", line_end + inner)
    if not node.children:
        head = text[: node.end - 1].rstrip(_BLANKS)  # comments stay
        return f"{head}{line_end}{inner}{piece}{line_end}{outer}{text[node.end - 1 :]}"
    last = node.children[-1].end  # before all that follows: a comma there stays the last
    apart = f"{line_end}{inner}" if in_lines else " "
    return f"{text[:last]},{apart}{piece}{text[last:]}"


def _skipped(text: str, place: int) -> int:
    """The place of the next thing that is neither blank nor a comment."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _indent(text: str, place: int) -> str:
    """Of the line on which something begins."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def without(text: str, is_ours: Callable[[object], bool]) -> str:
    """Without the items and members that are ours, nor what is empty without them.

    Comments beside them are somebody's, and stay; so does what would be empty but for one.
    """
    while True:
        found = _ours(text, parse(text), is_ours)
        if found is None:
            return text
        text = _cut(text, *found)


def _ours(text: str, node: Node, is_ours: Callable[[object], bool]) -> tuple[Node, int] | None:
    """What to cut out next: the container, and which of its children."""
    for index, child in enumerate(node.children):
        if is_ours(child.value):
            return node, index
        inside = _ours(text, child, is_ours)
        if inside is not None:
            return (node, index) if inside[0] is child and _is_alone(text, child) else inside
    return None


def _is_alone(text: str, node: Node) -> bool:
    """Whether a container has one child, and no comment beside it."""
    start, end = node.span(0)
    return len(node.children) == 1 and "/" not in text[node.start : start] + text[end : node.end]


def _cut(text: str, node: Node, index: int) -> str:
    """Without a child and the comma that kept it apart."""
    if not index:
        return _cut_first(text, node)
    start, end = node.span(index)
    comma = _skipped(text, node.children[index - 1].end)
    return text[:comma] + _comments(text[comma + 1 : start], text[end:]) + text[end:]


def _cut_first(text: str, node: Node) -> str:
    start, end = node.span(0)
    comma = _skipped(text, end)
    behind = comma + (text[comma] == ",")
    then = _skipped(text, behind)  # the next child, or the closing bracket
    gap = text[end:comma] + text[behind:then]
    if len(node.children) > 1:
        return text[:start] + (gap if "/" in gap else "") + text[then:]
    kept = _comments(text[node.start + 1 : start], gap)
    return text[: node.start + 1] + kept + (gap if kept or "/" in gap else "") + text[then:]


def _comments(gap: str, then: str) -> str:
    """What stays of a gap when what was behind it goes: its comments, without blanks after them."""
    if "/" not in gap:
        return ""
    kept = gap.rstrip(_BLANKS)
    # A comment up to the end of its line needs that end.
    needs_end = "//" in kept.rpartition("\n")[2] and not then.startswith(("\n", "\r\n"))
    return kept + ("\n" if needs_end else "")
