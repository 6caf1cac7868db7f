"""Literals of data in JSON: the texts, keys apart from values."""

from __future__ import annotations

import json
from collections.abc import Sequence

from goalkeeper.tamper.literals.model import Given, Literal
from goalkeeper.wire.pattern import late_pattern

_TEXT = late_pattern(r'"((?:[^"\\]|\\.)*)"(\s*:)?')


def is_json(path: str) -> bool:
    return path.endswith((".json", ".jsonl"))


def read_json_literals(text: str, _: str) -> list[Literal]:
    found = []
    for each in _TEXT.finditer(text):
        start = len(text[: each.start(1)].encode(errors="replace"))
        end = start + len(each[1].encode(errors="replace"))
        try:
            value: str = json.loads(f'"{each[1]}"', strict=False)
        except ValueError:
            continue
        group = "keys" if each[2] else "values"
        if value == each[1]:  # with escapes in it, nothing could be put into its place
            found.append(Literal(start, end, value, group, is_bare=True))
    return found


def list_json_given(_call: str, _path: str) -> list[Given]:
    """Return nothing: no test is written in it."""
    return []


def give_json(call: str, _given: Sequence[Given], _path: str) -> str:
    return call
