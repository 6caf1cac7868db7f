"""Spoils expected files: a text, JSON or something else that an output is compared with."""

from __future__ import annotations

import re

from goalkeeper.tamper.spoiling.values import Chooser, change_text
from goalkeeper.wire.pattern import late_pattern

MOST_BYTES = 10_000_000
_ESCAPED = late_pattern(r"\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)
_KEY_OR_WORD = late_pattern(r'"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|\w+')


def spoil_golden(data: bytes, seed: str) -> bytes | None:
    """Return another content of the same form; None if nothing sure can be changed.

    Something is changed in every line, because a test may compare only some of them. Of JSON the
    keys stay.
    """
    chooser = Chooser(seed, "golden")
    if len(data) > MOST_BYTES:
        return None
    if not data.strip():
        return chooser.choose_letters(8).encode() + b"\n"
    try:
        text = data.decode()
    except UnicodeDecodeError:
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ (1 + chooser.draw(255))]) + data[middle + 1 :]
    if text.lstrip()[:1] in {"{", "["}:
        other = _KEY_OR_WORD.sub(lambda found: _change_json(found, chooser), text)
    else:
        other = _change_lines(text, chooser)
    if other == text:  # there are signs only
        lines = text.splitlines(keepends=True)
        other = chooser.choose_letters(8) + "".join(lines)
    return other.encode()


def _change_json(found: re.Match[str], chooser: Chooser) -> str:
    said = found[0]
    if said.endswith(":"):
        return said
    if said in {"true", "false"}:
        return "false" if said == "true" else "true"
    if said[0] == '"':
        return _change_outside_escapes(said, chooser.at(found.start()))
    if said[0] in "-0123456789":
        digits = said.lstrip("-")
        whole = re.match(r"[0-9]+", digits)
        length = len(whole[0]) if whole else 0
        other = change_text(digits[:1], chooser.at(found.start()))
        if other == "0" and length > 1:
            other = "2" if digits[0] == "1" else "1"
        return said[: len(said) - len(digits)] + other + digits[1:]
    return said


def _change_lines(text: str, chooser: Chooser) -> str:
    return "".join(
        _change_outside_escapes(line, chooser.at(number))
        for number, line in enumerate(text.splitlines(keepends=True))
    )


def _change_outside_escapes(text: str, chooser: Chooser) -> str:
    done, parts = 0, []
    for found in _ESCAPED.finditer(text):
        parts += [change_text(text[done : found.start()], chooser.at(done)), found[0]]
        done = found.end()
    return "".join((*parts, change_text(text[done:], chooser.at(done))))
