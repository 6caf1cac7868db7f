"""Plain data as JSON, for the pipe between tests and product.

What comes over the pipe is data and is never executed. A list of JSON stands for everything that
JSON has no word for: its first part says what, the others are its parts.
"""

from __future__ import annotations

import math
import pathlib
import re
import sys
import uuid
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

Wire = Any  # what JSON can say
Other = Callable[[Any], Any]  # encodes or decodes what is no plain data
_SAFE_INT = 1 << 53

# Each row: the type, how it becomes text, and how it is read again.
TEXTS: dict[str, tuple[type, Other, Other]] = {
    "int": (int, hex, lambda text: int(text, 16)),
    "float": (float, float.hex, float.fromhex),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "bytearray": (bytearray, lambda value: value.hex(), bytearray.fromhex),
    "decimal": (Decimal, str, Decimal),
    "fraction": (Fraction, str, Fraction),
    "uuid": (uuid.UUID, str, uuid.UUID),
    "date": (date, str, date.fromisoformat),
    "zone": (ZoneInfo, lambda value: value.key, ZoneInfo),
    "path": (type(pathlib.Path()), str, pathlib.Path),
    "pure": (pathlib.PurePosixPath, str, pathlib.PurePosixPath),
}
# Each row: the type, its parts (which are encoded, too), and how it is made of them.
WHOLES: dict[str, tuple[type, Other, Other]] = {
    "list": (list, list, list),
    "tuple": (tuple, list, tuple),
    "set": (set, list, set),
    "frozenset": (frozenset, list, frozenset),
    "deque": (deque, list, deque),
    "dict": (dict, lambda value: list(value.items()), dict),
    "ordered": (OrderedDict, lambda value: list(value.items()), OrderedDict),
    "counter": (Counter, lambda value: list(value.items()), lambda pairs: Counter(dict(pairs))),
    "complex": (complex, lambda value: [value.real, value.imag], lambda parts: complex(*parts)),
    "range": (range, lambda v: [v.start, v.stop, v.step], lambda parts: range(*parts)),
    "slice": (slice, lambda v: [v.start, v.stop, v.step], lambda parts: slice(*parts)),
    "pattern": (re.Pattern, lambda v: [v.pattern, v.flags], lambda parts: re.compile(*parts)),
    "span": (
        timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: timedelta(*parts),
    ),
    "offset": (
        timezone,
        lambda value: [value.utcoffset(None)],
        lambda parts: timezone(*parts) if parts[0] else timezone.utc,  # noqa: UP017  3.9
    ),
    "datetime": (
        datetime,
        lambda value: [value.replace(tzinfo=None, fold=0).isoformat(), value.tzinfo, value.fold],
        lambda p: datetime.fromisoformat(p[0]).replace(tzinfo=p[1], fold=p[2]),
    ),
    "time": (
        time,
        lambda value: [value.replace(tzinfo=None, fold=0).isoformat(), value.tzinfo, value.fold],
        lambda p: time.fromisoformat(p[0]).replace(tzinfo=p[1], fold=p[2]),
    ),
}
_SINGLES = {"ellipsis": ..., "not-implemented": NotImplemented}
_TAG_OF_TEXT = {row[0]: tag for tag, row in TEXTS.items()}
_TAG_OF_WHOLE = {row[0]: tag for tag, row in WHOLES.items()}
MUTABLE = (list, dict, set, bytearray, deque)


def encode(value: Any, other: Other) -> Wire:  # noqa: ANN401
    """Return a value for JSON; what is of no plain type, also by inheritance, is for `other`."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if (kind is int and abs(value) < _SAFE_INT) or (kind is float and math.isfinite(value)):
        return value
    if kind in _TAG_OF_TEXT:
        tag = _TAG_OF_TEXT[kind]
        return [tag, TEXTS[tag][1](value)]
    if kind in _TAG_OF_WHOLE:
        tag = _TAG_OF_WHOLE[kind]
        return [tag, *(encode(part, other) for part in WHOLES[tag][1](value))]
    for tag, single in _SINGLES.items():
        if value is single:
            return [tag]
    return other(value)


def decode(wire: Wire, other: Other) -> Any:  # noqa: ANN401
    """Return the value of JSON that `encode` made; raise ValueError if it is none."""
    if not isinstance(wire, list):
        if isinstance(wire, dict):
            raise ValueError("there is no object of JSON on this pipe")
        return wire
    if not wire or not isinstance(wire[0], str):
        raise ValueError("a list of JSON without a tag")
    tag, *parts = wire
    if tag in _SINGLES:
        return _SINGLES[tag]
    try:
        if tag in TEXTS:
            return TEXTS[tag][2](parts[0])
        if tag in WHOLES:
            return WHOLES[tag][2]([decode(part, other) for part in parts])
    except (ArithmeticError, LookupError, TypeError, re.error) as exc:
        raise ValueError(f"no {tag}: {exc}") from exc
    return other(wire)


def is_standard(module: str) -> bool:
    """Return whether a module is of Python itself."""
    names = getattr(sys, "stdlib_module_names", ())  # Python 3.9 does not have it
    return module == "builtins" or module.partition(".")[0] in names


def is_plain(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value can be told as it is."""
    try:
        encode(value, _refuse)
    except (TypeError, RecursionError):
        return False
    return True


def _refuse(value: Any) -> Wire:  # noqa: ANN401
    raise TypeError(type(value).__name__)
