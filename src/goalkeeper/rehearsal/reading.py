"""Reads what a script gives to an act, and says in words for people why it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from goalkeeper.rehearsal.stage import Deed

TYPE_CHECKING = False
if TYPE_CHECKING:  # it is slow to load, and agents start often
    from typing import Any

MOST_SECONDS = 24 * 60 * 60
MOST_COUNT = 10**12
_ABSENT = object()  # it is refused by all readers but optional ones


class ScriptMalformed(ValueError):
    """A script, or how the program was started, cannot be used; the message says why."""


FieldReader = Callable[[object, str], object]  # given a value and what people call it
ActReader = Callable[[object, str], Deed]  # given what the script says, and the act's name


def take_fields(play: Callable[..., None], **readers: FieldReader) -> ActReader:
    """The act is given an object, and plays with its fields."""

    def read(given: object, act: str) -> Deed:
        fields = read_fields(given, act, **readers)
        return lambda stage: play(stage, **fields)

    return read


def take_value(play: Callable[..., None], read_value: FieldReader, what: str) -> ActReader:
    """The act is given one value, and plays with it."""

    def read(given: object, _act: str) -> Deed:
        value = read_value(given, what)
        return lambda stage: play(stage, value)

    return read


def read_fields(given: object, act: str, **readers: FieldReader) -> dict[str, Any]:
    names = "{" + ", ".join(readers) + "}"
    if not isinstance(given, dict):
        raise ScriptMalformed(f"{act} needs an object, {names}")
    strange = sorted(str(name) for name in given if name not in readers)
    if strange:
        raise ScriptMalformed(f"{act} does not know {strange[0]!a}: it takes {names}")
    return {
        name: read(given.get(name, _ABSENT), f"{name} of {act}") for name, read in readers.items()
    }


def make_optional(read: FieldReader, default: object) -> FieldReader:
    return lambda value, what: default if value is _ABSENT else read(value, what)


def read_any_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ScriptMalformed(f"{what} must be text")
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise ScriptMalformed(f"{what} is not text that can be written: {exc.reason}") from exc
    return value


def read_text(value: object, what: str) -> str:
    if not value or not isinstance(value, str):
        raise ScriptMalformed(f"{what} must be text, and not empty")
    return read_any_text(value, what)


def read_argument(value: object, what: str) -> str:
    """Read what programs and the system can be given."""
    return _refuse_nul(read_text(value, what), what)


def read_arguments(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ScriptMalformed(f"{what} must be a list of texts, and not empty")
    return tuple(_refuse_nul(read_any_text(item, what), what) for item in value)


def _refuse_nul(text: str, what: str) -> str:
    if "\0" in text:
        raise ScriptMalformed(f"{what} must not contain a NUL")
    return text


def make_number(least: float, most: float, *, whole: bool = False) -> FieldReader:
    wanted = "a whole number" if whole else "a number"

    def read(value: object, what: str) -> float:
        known = value if isinstance(value, int if whole else int | float) else least - 1
        if isinstance(value, bool) or not least <= known <= most:
            raise ScriptMalformed(f"{what} must be {wanted} from {least} to {most}")
        return known

    return read


def make_choice(known: Sequence[str]) -> FieldReader:
    def read(value: object, what: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise ScriptMalformed(f"{what} must be one of {', '.join(known)}")
        return value

    return read


def read_instant(value: object, what: str) -> datetime:
    text = read_text(value, what)
    with suppress(ValueError, OverflowError):
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is not None:
            return instant.astimezone(UTC)
    raise ScriptMalformed(f"{what} must be a time with its zone: 2026-01-01T12:00:00Z")


read_seconds = make_number(0, MOST_SECONDS)
read_count = make_optional(make_number(0, MOST_COUNT, whole=True), 0)
