"""Checked reading of what a script says; a message for people where it cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

MOST_SECONDS = 24 * 60 * 60
MOST_COUNT = 10**12


class ScriptMalformed(ValueError):
    """A script, or how the program was started, cannot be used; the message says why."""


def read_text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise ScriptMalformed(f"{what} must be text, and not empty")
    return _check_writable(value, what)


def text_or_nothing(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ScriptMalformed(f"{what} must be text")
    return _check_writable(value, what)


def read_argument(value: object, what: str) -> str:
    """What programs and the system can be given."""
    said = text_or_nothing(value, what)
    if "\0" in said:
        raise ScriptMalformed(f"{what} must not contain a NUL")
    return said


def read_number(value: object, what: str, least: float, most: float) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise ScriptMalformed(f"{what} must be a number from {least} to {most}")


def read_whole(value: object, what: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ScriptMalformed(f"{what} must be a whole number from {least} to {most}")
    return value


def read_seconds(value: object, what: str) -> float:
    return read_number(value, what, 0, MOST_SECONDS)


def one_of(value: object, what: str, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise ScriptMalformed(f"{what} must be one of {', '.join(known)}")
    return value


class ScriptFields:
    """The object that an act is given: every name known, every value asked for by type."""

    def __init__(self, raw: object, act: str, *names: str) -> None:
        if not isinstance(raw, dict):
            raise ScriptMalformed(f"{act} needs an object, {_join_names(names)}")
        strange = sorted(str(name) for name in raw if name not in names)
        if strange:
            raise ScriptMalformed(
                f"{act} does not know {strange[0]!a}: it takes {_join_names(names)}"
            )
        self._raw = raw
        self._act = act

    def has_field(self, name: str) -> bool:
        return name in self._raw

    def read_text(self, name: str) -> str:
        return read_text(self._raw.get(name), self._name_field(name))

    def text_or_nothing(self, name: str) -> str:
        return text_or_nothing(self._raw.get(name), self._name_field(name))

    def read_argument(self, name: str) -> str:
        return read_argument(self.read_text(name), self._name_field(name))

    def read_arguments(self, name: str) -> tuple[str, ...]:
        given, what = self._raw.get(name), self._name_field(name)
        if not isinstance(given, list) or not given:
            raise ScriptMalformed(f"{what} must be a list of texts, and not empty")
        return tuple(read_argument(item, what) for item in given)

    def one_of(self, name: str, known: Sequence[str]) -> str:
        return one_of(self._raw.get(name), self._name_field(name), known)

    def read_seconds(self, name: str) -> float:
        return read_seconds(self._raw.get(name), self._name_field(name))

    def read_number(
        self, name: str, least: float, most: float, default: float | None = None
    ) -> float:
        return read_number(self._raw.get(name, default), self._name_field(name), least, most)

    def read_whole(self, name: str, least: int, most: int) -> int:
        return read_whole(self._raw.get(name), self._name_field(name), least, most)

    def read_count(self, name: str) -> int:
        return read_whole(self._raw.get(name, 0), self._name_field(name), 0, MOST_COUNT)

    def _name_field(self, name: str) -> str:
        return f"{name} of {self._act}"


def _join_names(names: Sequence[str]) -> str:
    return "{" + ", ".join(names) + "}"


def _check_writable(value: str, what: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise ScriptMalformed(f"{what} is not text that can be written: {exc.reason}") from exc
    return value
