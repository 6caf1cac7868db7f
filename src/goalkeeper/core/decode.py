"""Typed reading of decoded JSON objects, and plain writing of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from goalkeeper.wire.value import Value

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")


class Malformed(ValueError):
    """A field is missing or not what it must be; the message names it."""


class Fields:
    """A JSON object of which every field is asked for by name and type."""

    def __init__(self, raw: object, where: str = "") -> None:
        if not isinstance(raw, dict):
            raise Malformed(f"{where or 'it'} is not an object")
        self._raw = raw
        self._where = where

    def text(self, name: str, default: str | None = None) -> str:
        value = self._raw.get(name, default)
        if not isinstance(value, str):
            raise self._malformed(name, "text")
        return value

    def number(self, name: str, default: int | None = None) -> int:
        value = self._raw.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._malformed(name, "a whole number")
        return value

    def flag(self, name: str) -> bool:
        value = self._raw.get(name, False)
        if not isinstance(value, bool):
            raise self._malformed(name, "true or false")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self._raw.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._malformed(name, "a list of texts")
        return tuple(value)

    def choice(self, name: str, choices: type[E]) -> E:
        text = self.text(name)
        try:
            return choices(text)
        except ValueError:
            raise self._malformed(name, "one of " + ", ".join(choices)) from None

    def choices(self, name: str, choices: type[E]) -> tuple[E, ...]:
        try:
            return tuple(choices(text) for text in self.texts(name))
        except ValueError:
            raise self._malformed(name, "a list of " + ", ".join(choices)) from None

    def each(self, name: str, read: Callable[[Fields], T]) -> tuple[T, ...]:
        value = self._raw.get(name, [])
        if not isinstance(value, list):
            raise self._malformed(name, "a list")
        return tuple(read(Fields(item, f"{self._path(name)}[{n}]")) for n, item in enumerate(value))

    def inner(self, name: str) -> Fields:
        return Fields(self._raw.get(name), self._path(name))

    def has(self, name: str) -> bool:
        return self._raw.get(name) is not None

    def all(self) -> Mapping[str, object]:
        return self._raw

    def _path(self, name: str) -> str:
        return f"{self._where}.{name}" if self._where else name

    def _malformed(self, name: str, expected: str) -> Malformed:
        return Malformed(f"{self._path(name)} is not {expected}")


_EMPTY = ("", (), None)


def plain(value: Any) -> Any:  # noqa: ANN401  the border between values and JSON
    """Values as objects without their empty fields, tuples as lists."""
    if isinstance(value, Value):
        return {
            name: item if isinstance(item, str) else plain(item)
            for name, item in value.as_dict().items()
            if item not in _EMPTY
        }
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
