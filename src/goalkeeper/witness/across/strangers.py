"""Values and objects that must differ from a given one.

A product that says of all of them what it says of the given one has not looked.
"""

from __future__ import annotations

import re
import types
from collections import deque
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from goalkeeper.witness.across.values import TEXTS, WHOLES, is_plain

_COUNT = 3  # two values may be equal by an honest rule, such as angles; hardly so many
_MOST_TRIES = 100
_FAR = (10**12, 10**15)
_SEQUENCES = (list, tuple, set, frozenset, deque)
_VALUES = (int, float, str, bytes, tuple, frozenset)
_CONTAINERS = (list, dict, set)


def list_strangers(value: Any, chance: Random, *, far: bool) -> list[Any]:  # noqa: ANN401
    """List values of the same kind. An honest range may have what is near, but not all that is far.

    What is near looks like the value, so that nobody can tell which is which.
    """
    near = _COUNT if not far else 1
    found = [change_value(value, chance) for _ in range(near)]
    return [*found, *(_go_far(value, chance, sign) for sign in (1, -1) if far)]


def list_twins(value: Any, chance: Random, *, far: bool) -> list[Any]:  # noqa: ANN401
    """List objects of the same class with other parts; none if it has no parts that are known."""
    made: list[Any] = []
    with suppress(Exception):  # its class may be in the way, and is the product's
        slots, members = _read_slots(value), dict(getattr(value, "__dict__", ()))
        contents = _read_contents(value)
        has_parts = bool(slots or members or contents is not None)
        if not has_parts or isinstance(value, (type, types.ModuleType)):
            return []
        others = list_strangers(contents, chance, far=far)
        changed = {
            name: list_strangers(part if is_plain(part) else "", chance, far=far)
            for name, part in {**slots, **members}.items()
        }
        for at, other in enumerate(others):
            twin = _make_object(type(value), None if contents is None else other)
            for name in slots:
                object.__setattr__(twin, name, changed[name][at])
            if members:  # a property may have the same name
                twin.__dict__.update({name: changed[name][at] for name in members})
            made.append(twin)
    return made if len(made) == _COUNT else []


def _read_slots(value: Any) -> dict[str, Any]:  # noqa: ANN401
    found = [*(vars(kind).items() for kind in type(value).__mro__)]
    names = [n for each in found for n, m in each if isinstance(m, types.MemberDescriptorType)]
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def _read_contents(value: Any) -> Any:  # noqa: ANN401
    """Return what an object is as a plain value or a container; None if it is neither."""
    base: Any = next((b for b in type(value).__mro__ if b in _VALUES + _CONTAINERS), None)
    if base is None:
        return None
    plain = base.__str__(value) if base is str else base(value)
    return plain if is_plain(plain) else base()


def _make_object(kind: Any, contents: Any) -> Any:  # noqa: ANN401
    base: Any = type(contents)
    if base in _VALUES:
        return base.__new__(kind, contents)
    if base not in _CONTAINERS:
        return object.__new__(kind)
    made = base.__new__(kind)
    (base.extend if base is list else base.update)(made, contents)
    return made


def change_value(value: Any, chance: Random) -> Any:  # noqa: ANN401
    """Return another value of the same kind and form."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + chance.randint(1, 1000)
    if isinstance(value, str):
        return _change_text(value, chance)
    rows = [row for row in (*WHOLES.values(), *TEXTS.values()) if row[0] is not re.Pattern]
    take_apart, make = next((row[1:] for row in rows if type(value) is row[0]), (_say, _say))
    for _ in range(_MOST_TRIES):  # not all parts go together: no year has 13 months
        with suppress(ValueError, TypeError, ArithmeticError, re.error):
            made = make(_change_part(take_apart(value), chance))
            if made != value:
                return made
    return _change_text("", chance)


def _say(value: Any) -> str:  # noqa: ANN401
    return str(value)


def _change_part(parts: Any, chance: Random) -> Any:  # noqa: ANN401  a text, or a list
    if isinstance(parts, str):
        return _change_text(parts, chance)
    if not parts:  # pairs are good for all that may be empty
        return [(_change_text("", chance), 0)]
    at = chance.randrange(len(parts))
    return [*parts[:at], change_value(parts[at], chance), *parts[at + 1 :]]


def _change_text(text: str, chance: Random) -> str:
    """Change a digit or a letter into another one."""
    places = [at for at, letter in enumerate(text) if letter.isalnum()]
    if not places:
        return text + "".join(chance.choices(ascii_lowercase, k=6))
    at = chance.choice(places)
    kinds = (digits, ascii_uppercase, ascii_lowercase)
    alike = next((kind for kind in kinds if text[at] in kind), ascii_lowercase)
    return text[:at] + chance.choice(alike.replace(text[at], "")) + text[at + 1 :]


def _go_far(value: Any, chance: Random, sign: int) -> Any:  # noqa: ANN401
    """Return a value of the same kind that hardly anything contains."""
    kind = type(value)
    if kind in (int, float, Decimal, Fraction):
        return kind(sign * chance.randint(*_FAR))
    if kind in _SEQUENCES and value:
        return kind(_go_far(part, chance, sign) for part in value)
    text = "".join(chance.choices(ascii_lowercase, k=30)) + ("" if sign > 0 else "\n~\0")
    return text.encode() if kind is bytes else text
