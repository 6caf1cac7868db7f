"""The tests in source files, and fingerprints of their bodies."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.tamper.identity import javascript, python, shell
from goalkeeper.tamper.syntax import Source, text_of

_MOST_BYTES = 1024 * 1024  # nobody writes such test files; hostile ones are not worth the time


def bodies(path: str, data: bytes) -> Mapping[str, str]:
    """The tests in a file by their names as in ids; empty if the file cannot be parsed."""
    if len(data) > _MOST_BYTES:
        return {}
    try:
        return _bodies(Source(path, text_of(data)), data)
    except RecursionError:
        return {}


def _bodies(source: Source, data: bytes) -> Mapping[str, str]:
    name = source.path.rsplit("/", 1)[-1]
    extension = name.rsplit(".", 1)[-1] if "." in name else ""
    if extension == "py":
        return python.tests(data)
    if extension in javascript.EXTENSIONS:
        return javascript.tests(source)
    if extension in {"sh", "bash", "bats"} or shell.is_script(source):
        return shell.tests(source)
    return {}


def suite_bodies(files: Mapping[str, bytes]) -> Mapping[str, str]:
    """The tests in all these files, as `path::name`."""
    return {
        f"{path}::{name}": fingerprint
        for path, source in sorted(files.items())
        for name, fingerprint in bodies(path, source).items()
    }
