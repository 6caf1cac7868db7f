"""The tests in source files, and fingerprints of their bodies."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.witness.identity import javascript, python, shell

_MOST_BYTES = 1024 * 1024  # nobody writes such test files; hostile ones are not worth the time


def bodies(path: str, source: bytes) -> Mapping[str, str]:
    """The tests in a file by their names as in ids; empty if the file cannot be parsed."""
    if len(source) > _MOST_BYTES:
        return {}
    name = path.rsplit("/", 1)[-1]
    extension = name.rsplit(".", 1)[-1] if "." in name else ""
    if extension == "py":
        return python.tests(source)
    if extension in javascript.GRAMMARS:
        return javascript.tests(source, extension)
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
