"""JSON files of other people, changed in place: what we do not touch stays byte for byte.

Comments and commas before a closing bracket are read over, as many clients do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from goalkeeper.wire.value import Value

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
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
        return dict(zip(self.keys, self.children, strict=True)).get(key)

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
        found = _SPACE.match(self._text, place)
        return found.end() if found else place

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
        try:
            return Node(json.loads(found[0]), place, found.end())
        except ValueError as exc:
            raise NotJson(self.at(place, str(exc))) from exc

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
            keys.append(json.loads(key[0]))
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
    in_lines = "\n" in text[node.start : first] if node.children else True
    inner = _indent(text, first) if node.children and in_lines else outer + "  "
    told = json.dumps(value, indent=2 if in_lines else None, ensure_ascii=False)
    piece = (f"{json.dumps(key)}: " if key else "") + told.replace("\n", "\n" + inner)
    if not node.children:
        return f"{text[: node.start + 1]}\n{inner}{piece}\n{outer}{text[node.end - 1 :]}"
    last = node.children[-1].end
    comma = text.find(",", last, node.end) if _trailing_comma(text, node) else -1
    place = comma + 1 if comma >= 0 else last
    apart = ("" if comma >= 0 else ",") + (f"\n{inner}" if in_lines else " ")
    return f"{text[:place]}{apart}{piece}{text[place:]}"


def _trailing_comma(text: str, node: Node) -> bool:
    after = _SPACE.match(text, node.children[-1].end)
    place = after.end() if after else node.children[-1].end
    return text[place : place + 1] == ","


def _indent(text: str, place: int) -> str:
    """Of the line on which something begins."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip())]


def without(text: str, is_ours: Callable[[object], bool]) -> str:
    """Without the items and members that are ours, nor what is empty without them."""
    while True:
        found = _ours(parse(text), is_ours)
        if found is None:
            return text
        start, end = found
        text = text[:start] + text[end:]


def _ours(node: Node, is_ours: Callable[[object], bool]) -> tuple[int, int] | None:
    """What to cut out next."""
    for index, child in enumerate(node.children):
        if is_ours(child.value):
            return _cut(node, index)
        inside = _ours(child, is_ours)
        if inside is None:
            continue
        emptied = len(child.children) == 1 and inside == _cut(child, 0)
        return _cut(node, index) if emptied else inside
    return None


def _cut(node: Node, index: int) -> tuple[int, int]:
    start, end = node.span(index)
    if index:
        return node.children[index - 1].end, end
    if len(node.children) > 1:
        return start, node.span(1)[0]
    return node.start + 1, node.end - 1
