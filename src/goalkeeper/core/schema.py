"""The shapes of what people write: they are read with line numbers, published as JSON Schema.

One description serves both, so the schema always says what the reader does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from goalkeeper.core.problems import Problem, find_nearest, is_blank
from goalkeeper.wire.value import Value


class Node(Value):
    """A written value and its line: a scalar, a tuple of nodes, or nodes by name."""

    value: Any
    line: int

    @classmethod
    def from_plain(cls, plain: object) -> Node:
        """Make a node from decoded JSON, which has no lines."""
        if isinstance(plain, Mapping):
            return cls({str(name): cls.from_plain(item) for name, item in plain.items()}, 0)
        if isinstance(plain, list | tuple):
            return cls(tuple(cls.from_plain(item) for item in plain), 0)
        return cls(plain, 0)


class Notes:
    """The problems met while reading, and where the reader is."""

    def __init__(self, what: str = "contract") -> None:
        self._what = what
        self._found: list[tuple[int, Problem]] = []

    @property
    def problems(self) -> list[Problem]:
        """Return them in the order of their lines."""
        return [problem for _, problem in sorted(self._found, key=lambda found: found[0])]

    def add_problem(self, node: Node, where: str, message: str, code: str = "wrong-value") -> None:
        """`code` is for readers that tell problems apart by kind."""
        del code
        line = f"line {node.line}" if node.line else self._what
        said = Problem(line, f"{where}: {message}" if where else message)
        self._found.append((node.line, said))


class Shape(Protocol):
    def read_node(self, node: Node, where: str, notes: Notes) -> Any: ...  # noqa: ANN401
    def json_schema(self) -> dict[str, Any]: ...


def publish_schema(title: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Make a schema a document of its own."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}


class Text(Value):
    what: str = "text"
    pattern: str = ""

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        value = node.value
        if not isinstance(value, str) or is_blank(value) or "\0" in value:
            notes.add_problem(node, where, f"expected {self.what}")
        elif self.pattern and not re.fullmatch(self.pattern, value):
            notes.add_problem(node, where, f"expected {self.what}, not '{value}'")
        return str(value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", **({"pattern": f"^({self.pattern})$"} if self.pattern else {})}


class ProgramWord(Value):
    """An argument of a program: `.`, `--` and `""` are arguments too."""

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        if not isinstance(node.value, str) or "\0" in node.value:
            notes.add_problem(node, where, "expected a word (put it in quotes)")
        return str(node.value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


class Moment(Text):
    """A time in ISO 8601."""

    what: str = "an ISO 8601 time"
    pattern: str = r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?"

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        try:
            datetime.fromisoformat(str(node.value))
        except ValueError:
            notes.add_problem(node, where, f"expected {self.what}, not '{node.value}'")
            return ""
        return super().read_node(node, where, notes)


class Choice(Value):
    names: tuple[str, ...]

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        if node.value not in self.names:
            near = find_nearest(str(node.value), self.names)
            meant = f" (did you mean {near}?)" if near else ""
            known = ", ".join(filter(None, self.names))
            notes.add_problem(node, where, f"expected one of {known}{meant}")
        return str(node.value)

    def json_schema(self) -> dict[str, Any]:
        return {"enum": list(self.names)}


class RegexPattern(Value):
    """A regular expression of Python, which is searched for."""

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        if not isinstance(node.value, str):
            notes.add_problem(node, where, "expected a regular expression")
            return ""
        try:
            re.compile(node.value)
        except (re.error, RecursionError, OverflowError) as exc:
            notes.add_problem(node, where, f"not a regular expression: {exc}")
            return "(?!)"  # it matches nothing, so nobody adds that it matches everything
        return node.value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "regex"}


class RepositoryPath(Value):
    """A path or glob inside the repository."""

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        value = node.value
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            notes.add_problem(node, where, "expected a path in the repository")
            return ""
        clean = value.removeprefix("./")
        parts = clean.split("/")
        if clean.startswith(("/", "~", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", clean):
            notes.add_problem(node, where, f"'{value}' leads out of the repository")
        elif ".git" in clean.lower().split("/"):
            notes.add_problem(node, where, f"'{value}' is git's own")
        return clean.rstrip("/") or "."

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"^(?![/~\\])(?!.*(^|/)\.\.(/|$))"}


class OutsidePath(Value):
    """A file outside the repository, that only the witness sees."""

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        value = node.value
        if not isinstance(value, str) or not value.startswith(("/", "~/")) or "\0" in value:
            notes.add_problem(node, where, "expected an absolute path outside the repository")
        return str(value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": "^(/|~/)"}


class WholeNumber(Value):
    least: int = 0
    most: int = 1 << 31

    def read_node(self, node: Node, where: str, notes: Notes) -> int:
        value = node.value
        if not isinstance(value, int) or isinstance(value, bool):
            notes.add_problem(node, where, "expected a whole number")
            return self.least
        if not self.least <= value <= self.most:
            notes.add_problem(node, where, f"expected {self.least} to {self.most}, not {value}")
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class Number(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> float:
        value = node.value
        if not isinstance(value, int | float) or isinstance(value, bool) or _is_infinite(value):
            notes.add_problem(node, where, "expected a number")
            return 0
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number"}


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


class Flag(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> bool:
        if not isinstance(node.value, bool):
            notes.add_problem(node, where, "expected true or false")
        return bool(node.value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class AnyJson(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> Any:  # noqa: ANN401
        if _is_infinite(node.value):
            notes.add_problem(node, where, "expected what JSON can say")
        if isinstance(node.value, Mapping):
            items = node.value.items()
            return {name: self.read_node(item, f"{where}.{name}", notes) for name, item in items}
        if isinstance(node.value, tuple):
            listed = enumerate(node.value)
            return [self.read_node(item, f"{where}[{n}]", notes) for n, item in listed]
        return node.value

    def json_schema(self) -> dict[str, Any]:
        return {}


class ListOf(Value):
    """A list; one item alone may stand without brackets when `or_one`."""

    item: Shape
    or_one: bool = False
    least: int = 0
    most: int = 0  # 0 means any number

    def read_node(self, node: Node, where: str, notes: Notes) -> tuple[Any, ...]:
        if not isinstance(node.value, tuple):
            if self.or_one and not isinstance(node.value, Mapping):
                return (self.item.read_node(node, where, notes),)
            notes.add_problem(node, where, "expected a list")
            return ()
        if len(node.value) < self.least:
            notes.add_problem(node, where, f"expected at least {self.least}")
        if self.most and len(node.value) > self.most:
            notes.add_problem(node, where, f"expected at most {self.most}")
        items = enumerate(node.value)
        return tuple(self.item.read_node(item, f"{where}[{n}]", notes) for n, item in items)

    def json_schema(self) -> dict[str, Any]:
        many: dict[str, Any] = {"type": "array", "items": self.item.json_schema()}
        many |= {"minItems": self.least} if self.least else {}
        many |= {"maxItems": self.most} if self.most else {}
        return {"anyOf": [self.item.json_schema(), many]} if self.or_one else many


class TextMap(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> dict[str, str]:
        if not isinstance(node.value, Mapping):
            notes.add_problem(node, where, "expected names and texts")
            return {}
        texts = {}
        for name, item in node.value.items():
            if not isinstance(item.value, str) or "\0" in item.value + name or "=" in name:
                notes.add_problem(item, f"{where}.{name}", "expected text (put it in quotes)")
            texts[name] = str(item.value)
        return texts

    def json_schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "string"}}


class FileTexts(Value):
    """Files of the repository by their paths, each as a whole text; None removes a file."""

    may_remove: bool = False

    def read_node(self, node: Node, where: str, notes: Notes) -> dict[str, str | None]:
        if not isinstance(node.value, Mapping):
            notes.add_problem(node, where, "expected paths and texts")
            return {}
        texts: dict[str, str | None] = {}
        for name, item in node.value.items():
            path = RepositoryPath().read_node(Node(name, item.line), where, notes)
            is_removed = self.may_remove and item.value is None
            if not is_removed and (not isinstance(item.value, str) or "\0" in item.value):
                notes.add_problem(item, f"{where}.{name}", "expected the text of the file")
            texts[path] = None if is_removed else str(item.value)
        return texts

    def json_schema(self) -> dict[str, Any]:
        kinds = ["string", "null"] if self.may_remove else "string"
        return {"type": "object", "additionalProperties": {"type": kinds}}


class Field(Value):
    shape: Shape
    default: Any = None
    required: bool = False
    help: str = ""

    def json_schema(self) -> dict[str, Any]:
        return self.shape.json_schema() | ({"description": self.help} if self.help else {})


class RecordShape(Value):
    """Named fields; a name it does not have is an error that names the nearest."""

    fields: Mapping[str, Field]

    def read_node(self, node: Node, where: str, notes: Notes) -> dict[str, Any]:
        """Read every field by name, and fill in defaults."""
        given = node.value
        if not isinstance(given, Mapping):
            notes.add_problem(node, where, f"expected a mapping with {', '.join(self.fields)}")
            given = {}
        self.report_unknown(given, where, notes)
        return {name: self._read_field(name, node, where, notes) for name in self.fields}

    def report_unknown(self, given: Mapping[str, Node], where: str, notes: Notes) -> None:
        for name, item in given.items():
            if name not in self.fields:
                near = find_nearest(name, self.fields)
                said = f"did you mean {near}?" if near else "it has " + ", ".join(self.fields)
                notes.add_problem(item, where, f"unknown field '{name}'; {said}", "unknown-key")

    def _read_field(self, name: str, node: Node, where: str, notes: Notes) -> Any:  # noqa: ANN401
        field = self.fields[name]
        given = node.value if isinstance(node.value, Mapping) else {}
        if name in given:
            return field.shape.read_node(given[name], f"{where}.{name}" if where else name, notes)
        if field.required and isinstance(node.value, Mapping):
            notes.add_problem(node, where, f"{name} is missing", "missing")
        return field.default

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: field.json_schema() for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.required],
            "additionalProperties": False,
        }
