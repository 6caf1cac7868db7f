"""Checked reading of what a script says; a message for people where it cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

MOST_SECONDS = 24 * 60 * 60
MOST_COUNT = 10**12


class Malformed(ValueError):
    """A script, or how the program was started, cannot be used; the message says why."""


def text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise Malformed(f"{what} must be text, and not empty")
    return _writable(value, what)


def text_or_nothing(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{what} must be text")
    return _writable(value, what)


def argument(value: object, what: str) -> str:
    """What programs and the system can be given."""
    said = text_or_nothing(value, what)
    if "\0" in said:
        raise Malformed(f"{what} must not contain a NUL")
    return said


def number(value: object, what: str, least: float, most: float) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise Malformed(f"{what} must be a number from {least} to {most}")


def whole(value: object, what: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Malformed(f"{what} must be a whole number from {least} to {most}")
    return value


def seconds(value: object, what: str) -> float:
    return number(value, what, 0, MOST_SECONDS)


def one_of(value: object, what: str, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise Malformed(f"{what} must be one of {', '.join(known)}")
    return value


class Fields:
    """The object that an act is given: every name known, every value asked for by type."""

    def __init__(self, raw: object, act: str, *names: str) -> None:
        if not isinstance(raw, dict):
            raise Malformed(f"{act} needs an object, {_shown(names)}")
        strange = sorted(str(name) for name in raw if name not in names)
        if strange:
            raise Malformed(f"{act} does not know {strange[0]!a}: it takes {_shown(names)}")
        self._raw = raw
        self._act = act

    def has(self, name: str) -> bool:
        return name in self._raw

    def text(self, name: str) -> str:
        return text(self._raw.get(name), self._what(name))

    def text_or_nothing(self, name: str) -> str:
        return text_or_nothing(self._raw.get(name), self._what(name))

    def argument(self, name: str) -> str:
        return argument(self.text(name), self._what(name))

    def arguments(self, name: str) -> tuple[str, ...]:
        given, what = self._raw.get(name), self._what(name)
        if not isinstance(given, list) or not given:
            raise Malformed(f"{what} must be a list of texts, and not empty")
        return tuple(argument(item, what) for item in given)

    def one_of(self, name: str, known: Sequence[str]) -> str:
        return one_of(self._raw.get(name), self._what(name), known)

    def seconds(self, name: str) -> float:
        return seconds(self._raw.get(name), self._what(name))

    def number(self, name: str, least: float, most: float, default: float | None = None) -> float:
        return number(self._raw.get(name, default), self._what(name), least, most)

    def whole(self, name: str, least: int, most: int) -> int:
        return whole(self._raw.get(name), self._what(name), least, most)

    def count(self, name: str) -> int:
        return whole(self._raw.get(name, 0), self._what(name), 0, MOST_COUNT)

    def _what(self, name: str) -> str:
        return f"{name} of {self._act}"


def _shown(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def _writable(value: str, what: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise Malformed(f"{what} is not text that can be written: {exc.reason}") from exc
    return value
