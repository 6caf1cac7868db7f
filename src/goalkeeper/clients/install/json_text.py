"""Changes JSON files of other people in place: what we do not touch stays byte for byte.

Comments and commas before a closing bracket are allowed, as in many clients.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_BLANKS = " \t\r\n"
_SPACE = late_pattern(rf"(?:[{_BLANKS}]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = late_pattern(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = late_pattern(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEEPEST = 100


class NotJsonText(ValueError):
    """The text is not JSON; the message says where."""


class JsonNode(Value):
    """A value and where it stands. `keys` are those of an object, in order."""

    value: Any
    start: int
    end: int
    children: tuple[JsonNode, ...] = ()
    keys: tuple[str, ...] = ()
    places: tuple[int, ...] = ()  # each member begins here, at its key

    def child(self, key: str) -> JsonNode | None:
        return dict(zip(self.keys, self.children, strict=False)).get(key)  # a list has no keys

    def span(self, index: int) -> tuple[int, int]:
        """Say where a member or item begins and ends."""
        start = self.places[index] if self.places else self.children[index].start
        return start, self.children[index].end


def parse(text: str) -> JsonNode:
    reader = _JsonReader(text)
    root = reader.read_node(reader.skip_space(0), 0)
    if reader.skip_space(root.end) != len(text):
        raise NotJsonText(reader.locate(root.end, "something follows the end"))
    return root


class _JsonReader:
    def __init__(self, text: str) -> None:
        self._text = text

    def locate(self, place: int, said: str) -> str:
        return f"line {self._text.count(chr(10), 0, place) + 1}: {said}"

    def skip_space(self, place: int) -> int:
        return _skip_space(self._text, place)

    def read_node(self, place: int, depth: int) -> JsonNode:
        if depth > _DEEPEST:
            raise NotJsonText(self.locate(place, "it is nested too deeply"))
        head = self._text[place : place + 1]
        if head == "{":
            return self._read_object(place, depth)
        if head == "[":
            return self._read_array(place, depth)
        found = (_STRING if head == '"' else _SCALAR).match(self._text, place)
        if found is None:
            raise NotJsonText(self.locate(place, "a value is missing"))
        return JsonNode(self._read_scalar(found), place, found.end())

    def _read_scalar(self, found: re.Match[str]) -> Any:  # noqa: ANN401  JSON
        try:
            return json.loads(found[0])
        except ValueError as exc:  # it has an escape that JSON has not, or a number without end
            raise NotJsonText(self.locate(found.start(), str(exc))) from exc

    def _read_array(self, place: int, depth: int) -> JsonNode:
        items: list[JsonNode] = []
        here = self.skip_space(place + 1)
        while self._text[here : here + 1] != "]":
            items.append(self.read_node(here, depth + 1))
            here = self._find_next(items[-1].end, "]")
        return JsonNode([item.value for item in items], place, here + 1, tuple(items))

    def _read_object(self, place: int, depth: int) -> JsonNode:
        keys: list[str] = []
        places: list[int] = []
        values: list[JsonNode] = []
        here = self.skip_space(place + 1)
        while self._text[here : here + 1] != "}":
            key = _STRING.match(self._text, here)
            colon = self.skip_space(key.end()) if key else here
            if key is None or self._text[colon : colon + 1] != ":":
                raise NotJsonText(self.locate(here, 'a "name": is missing'))
            keys.append(self._read_scalar(key))
            places.append(here)
            values.append(self.read_node(self.skip_space(colon + 1), depth + 1))
            here = self._find_next(values[-1].end, "}")
        told = dict(zip(keys, (value.value for value in values), strict=True))
        return JsonNode(told, place, here + 1, tuple(values), tuple(keys), tuple(places))

    def _find_next(self, place: int, close: str) -> int:
        here = self.skip_space(place)
        if self._text[here : here + 1] == ",":
            return self.skip_space(here + 1)
        if self._text[here : here + 1] != close:
            raise NotJsonText(self.locate(here, f"a comma or {close} is missing"))
        return here


def append_item(text: str, path: Sequence[str], item: object) -> str:
    """Add one more item to the array at that path. The array is made if there is none."""
    node, rest = _find_deepest(parse(text), path)
    if rest:
        return _add_member(text, node, path, rest, [item])
    if not isinstance(node.value, list):
        raise NotJsonText(f"{'.'.join(path)} is not a list")
    return _insert(text, node, item, "")


def add_member(text: str, path: Sequence[str], value: object) -> str:
    """Add that member, if there is none of its name."""
    node, rest = _find_deepest(parse(text), path)
    return _add_member(text, node, path, rest, value) if rest else text


def _add_member(
    text: str, node: JsonNode, path: Sequence[str], rest: Sequence[str], value: object
) -> str:
    if not isinstance(node.value, dict):
        raise NotJsonText(f"{'.'.join(path)} leads through something that is no object")
    for key in reversed(rest[1:]):
        value = {key: value}
    return _insert(text, node, value, rest[0])


def _find_deepest(node: JsonNode, path: Sequence[str]) -> tuple[JsonNode, Sequence[str]]:
    for index, key in enumerate(path):
        found = node.child(key)
        if found is None:
            return node, path[index:]
        node = found
    return node, ()


def _insert(text: str, node: JsonNode, value: object, key: str) -> str:
    """Insert a member (with a key) or an item at the end, laid out as the others are."""
    outer = _read_indent(text, node.start)
    first = node.span(0)[0] if node.children else -1
    in_lines = not node.children or "\n" in text[node.start : first]
    inner = _read_indent(text, first) if node.children and in_lines else outer + "  "
    line_end = "\r\n" if "\r\n" in text else "\n"
    told = json.dumps(value, indent=2 if in_lines else None, ensure_ascii=False)
    piece = (f"{json.dumps(key)}: " if key else "") + told.replace("\n", line_end + inner)
    if not node.children:
        head = text[: node.end - 1].rstrip(_BLANKS)  # comments stay
        return f"{head}{line_end}{inner}{piece}{line_end}{outer}{text[node.end - 1 :]}"
    last = node.children[-1].end  # it goes before all that follows: a comma there stays the last
    apart = f"{line_end}{inner}" if in_lines else " "
    return f"{text[:last]},{apart}{piece}{text[last:]}"


def _skip_space(text: str, place: int) -> int:
    """Return the place of the next thing that is neither blank nor a comment."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _read_indent(text: str, place: int) -> str:
    """Return the indentation of the line on which something begins."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def cut_ours(text: str, is_ours: Callable[[object], bool]) -> str:
    """Cut out the items and members that are ours, and what is empty without them.

    Comments beside them are somebody's, and stay; so does a container that has one.
    """
    while True:
        found = _find_ours(text, parse(text), is_ours)
        if found is None:
            return text
        text = _cut(text, *found)


def _find_ours(
    text: str, node: JsonNode, is_ours: Callable[[object], bool]
) -> tuple[JsonNode, int] | None:
    """Find what to cut out next: the container, and the number of its child."""
    for index, child in enumerate(node.children):
        if is_ours(child.value):
            return node, index
        inside = _find_ours(text, child, is_ours)
        if inside is not None:
            return (node, index) if inside[0] is child and _is_alone(text, child) else inside
    return None


def _is_alone(text: str, node: JsonNode) -> bool:
    """Return whether a container has one child, and no comment beside it."""
    start, end = node.span(0)
    return len(node.children) == 1 and "/" not in text[node.start : start] + text[end : node.end]


def _cut(text: str, node: JsonNode, index: int) -> str:
    """Cut out a child and the comma that kept it apart."""
    if not index:
        return _cut_first(text, node)
    start, end = node.span(index)
    comma = _skip_space(text, node.children[index - 1].end)
    return text[:comma] + _keep_comments(text[comma + 1 : start], text[end:]) + text[end:]


def _cut_first(text: str, node: JsonNode) -> str:
    start, end = node.span(0)
    comma = _skip_space(text, end)
    behind = comma + (text[comma] == ",")
    then = _skip_space(text, behind)  # it is the next child, or the closing bracket
    gap = text[end:comma] + text[behind:then]
    if len(node.children) > 1:
        return text[:start] + (gap if "/" in gap else "") + text[then:]
    kept = _keep_comments(text[node.start + 1 : start], gap)
    return text[: node.start + 1] + kept + (gap if kept or "/" in gap else "") + text[then:]


def _keep_comments(gap: str, then: str) -> str:
    """Keep the comments of a gap when what was behind it goes."""
    if "/" not in gap:
        return ""
    kept = gap.rstrip(_BLANKS)
    # A comment up to the end of its line needs that line end.
    needs_end = "//" in kept.rpartition("\n")[2] and not then.startswith(("\n", "\r\n"))
    return kept + ("\n" if needs_end else "")
