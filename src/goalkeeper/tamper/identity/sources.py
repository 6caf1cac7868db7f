"""Fingerprints of the tests in source files, by the names that reports use."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.tamper.readers import read_tests
from goalkeeper.tamper.source import is_python
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.testing import fingerprint

_MOST_BYTES = 1024 * 1024  # nobody writes such test files; hostile ones are not worth the time


def read_bodies(path: str, data: bytes) -> Mapping[str, str]:
    """The tests in a file by their names as in ids; empty if the file cannot be parsed.

    A second test of the same name is `name #2`.
    """
    if len(data) > _MOST_BYTES:
        return {}
    file = read_tests(Source(path, text_of(data)), tree=None)
    if file is None or file.has_errors:
        return {}
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for test in file.tests:
        if test.body:
            name = test.name.replace(".", "::") if is_python(path) else test.name
            counts[name] = counts.get(name, 0) + 1
            key = name if counts[name] == 1 else f"{name} #{counts[name]}"
            found[key] = fingerprint((test.given, test.body))
    return found


def read_suite(files: Mapping[str, bytes]) -> Mapping[str, str]:
    """This gives the tests of all the files, by `path::name`."""
    return {
        f"{path}::{name}": fingerprint
        for path, source in sorted(files.items())
        for name, fingerprint in read_bodies(path, source).items()
    }
