"""Spoils all test files of a suite, each in its language."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.source import MOST_BYTES, is_python, is_script
from goalkeeper.tamper.spoiling.javascript import spoil_javascript
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.python import spoil_python
from goalkeeper.tamper.syntax import text_of
from goalkeeper.wire.value import Value


class SpoiltSuite(Value):
    """Files with other expectations, and the keys `path::name` of tests, as in `identity`."""

    files: Mapping[str, bytes]
    spoilt: frozenset[str]
    left: frozenset[str]


def spoil_suite(files: Mapping[str, bytes], seed: str) -> SpoiltSuite:
    """Spoil what can be read of the files."""
    made: dict[str, bytes] = {}
    spoilt: set[str] = set()
    left: set[str] = set()
    for path, data in files.items():
        found = _spoil_file(path, data, seed) if len(data) <= MOST_BYTES else None
        if found is not None:
            made[path] = found.text.encode(errors="surrogateescape")
            spoilt |= {f"{path}::{name}" for name in found.spoilt}
            left |= {f"{path}::{name}" for name in found.left}
    return SpoiltSuite(made, frozenset(spoilt), frozenset(left))


def _spoil_file(path: str, data: bytes, seed: str) -> SpoiltFile | None:
    if not is_test(path):
        return None
    if is_python(path):
        return spoil_python(text_of(data), seed, path=path)
    if is_script(path):
        return spoil_javascript(text_of(data), seed, path=path)
    return None
