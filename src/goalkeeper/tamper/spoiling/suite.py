"""Spoils all test files of a suite, each in its language."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.source import MOST_BYTES, is_other_code, is_python, is_script, is_shell
from goalkeeper.tamper.spoiling.doctests import spoil_doctests
from goalkeeper.tamper.spoiling.golden import spoil_golden
from goalkeeper.tamper.spoiling.javascript import spoil_javascript
from goalkeeper.tamper.spoiling.model import SpoiltFile
from goalkeeper.tamper.spoiling.other import spoil_other
from goalkeeper.tamper.spoiling.python import spoil_python
from goalkeeper.tamper.spoiling.shell import spoil_shell
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

# Files that results are compared with; runners that write their own snapshots are not meant.
_EXPECTED = late_pattern(
    r"(?i)(?:^|[/._-])(?:expect|expected|golden|goldens|wanted|want)(?:[/._-]|$)"
)


class SpoiltSuite(Value):
    """Files with other expectations, and the keys `path::name` of tests, as in `identity`."""

    files: Mapping[str, bytes]
    spoilt: frozenset[str]
    left: frozenset[str]


def spoil_suite(
    files: Mapping[str, bytes], seed: str, doctests: Mapping[str, bytes] | None = None
) -> SpoiltSuite:
    """Spoil what can be read of the files, the files that tests compare with, and doctests."""
    sources = {
        path: Source(path, text_of(data))
        for path, data in files.items()
        if is_test(path) and len(data) <= MOST_BYTES
    }
    made: dict[str, bytes] = {}
    spoilt: set[str] = set()
    left: set[str] = set()
    golden = {path for path in files if _EXPECTED.search(path) and path not in sources}
    scripts = {path: each.text for path, each in sources.items() if is_shell(each)}
    for path, source in sources.items():
        found = _spoil_file(source, seed, golden, scripts)
        if found is not None:
            made[path] = found.text.encode(errors="surrogateescape")
            spoilt |= {f"{path}::{name}" for name in found.spoilt}
            spoilt |= {f"{path}::{name}" for file, name in found.golden if file in files}
            golden |= {file for file, _ in found.golden if file in files}
            left |= {f"{path}::{name}" for name in found.left}
    for path in golden - made.keys():
        if other := spoil_golden(files[path], seed):
            made[path] = other
    for path, data in (doctests or {}).items():
        told = spoil_doctests(text_of(data), seed, path=path) if len(data) <= MOST_BYTES else None
        if told and path not in made:
            made[path] = told.text.encode(errors="surrogateescape")
            spoilt |= {f"{path}::{name}" for name in told.spoilt}
    spoilt -= {key for key in spoilt if _is_ambiguous(key, left - spoilt)}
    return SpoiltSuite(made, frozenset(spoilt), frozenset(left - spoilt))


def _is_ambiguous(key: str, left: Collection[str]) -> bool:
    """Return whether a report may mean another file's test by this name: titles name no file."""
    path, _, name = key.partition("::")
    return (
        bool(name) and not is_python(path) and any(each.partition("::")[2] == name for each in left)
    )


def _spoil_file(
    source: Source, seed: str, golden: Collection[str], scripts: Mapping[str, str]
) -> SpoiltFile | None:
    if is_python(source.path):
        names = {path.rpartition("/")[2] for path in golden}
        try:
            return spoil_python(source.text, seed, path=source.path, golden=tuple(names))
        except RecursionError:
            return None
    if is_script(source.path):
        return spoil_javascript(source.text, seed, path=source.path)
    if source.path in scripts:
        others = {path: text for path, text in scripts.items() if path != source.path}
        return spoil_shell(source.text, seed, path=source.path, others=others)
    if is_other_code(source.path):
        return spoil_other(source.text, seed, path=source.path)
    return None
