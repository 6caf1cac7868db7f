"""There is one reader of tests for each language."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial

from goalkeeper.tamper.javascript import settled as script
from goalkeeper.tamper.javascript.tests import read_script_tests
from goalkeeper.tamper.lines import read_line_tests
from goalkeeper.tamper.memory import remember
from goalkeeper.tamper.python import settled as python
from goalkeeper.tamper.python.tests import read_python_tests
from goalkeeper.tamper.settled import (
    Places,
    Unit,
    find_changed_names,
    find_owners,
    find_same,
    find_settled,
    unify_layout,
)
from goalkeeper.tamper.shell import read_shell_tests
from goalkeeper.tamper.source import (
    Tree,
    has_shell_bang,
    is_other_code,
    is_python,
    is_script,
    is_shell,
)
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.testing import TestFile

ChangedNames = Mapping[str, frozenset[str] | None]  # by path; None stands for all its names


def read_tests(source: Source, tree: Tree | None, settled: Places = frozenset()) -> TestFile | None:
    """Read the tests of a file; return None if it cannot be parsed.

    `tree` gives the helpers that the file imports. Without it only names and fingerprints are read.
    Tests that are `settled` are left out.
    """
    try:
        if is_python(source.path):
            return read_python_tests(source, tree, settled)
        if is_script(source.path):
            return read_script_tests(source, tree, settled)
        if is_shell(source) or has_shell_bang(source):
            return read_shell_tests(source)
    except RecursionError:
        return None
    return read_line_tests(source) if is_other_code(source.path) else TestFile()


def settle(
    old: Source | None, new: Source | None, changed: ChangedNames | None = None
) -> tuple[Places, Places]:
    """Return what need not be read closely on either side; `changed` are names of other files."""
    nothing: Places = frozenset()
    if old is None or new is None or old.path != new.path:
        return nothing, nothing
    try:
        before, after = _split_both(old, new)
        touched = _find_names_from(old, changed or {}) | _find_names_from(new, changed or {})
    except RecursionError:
        return nothing, nothing
    return find_settled(after, before, touched), find_settled(before, after, touched)


def settle_code(old: Source | None, new: Source | None) -> tuple[Places, Places]:
    """Return what need not be read for tricks: the other side has the same there.

    Whatever else the change touches, a trick is told by its own words and by what they import.
    """
    if old is None or new is None or old.path != new.path or not is_python(new.path):
        return settle(old, new)
    renamed = python.find_renamed(old, new)
    if renamed is None:
        return frozenset(), frozenset()
    before, after = _split_both(old, new)
    return find_same(after, before, renamed), find_same(before, after, renamed)


def find_names_changed(pairs: Iterable[tuple[Source | None, Source | None]]) -> ChangedNames:
    """Return the names in changed files that may mean something else now, path by path."""
    known = list(pairs)
    changed: dict[str, frozenset[str] | None] = {
        source.path: None for pair in known for source in pair if source is not None
    }
    for old, new in known:
        if old and new and old.path == new.path and is_python(new.path):
            changed[new.path] = _compare_names(old, new, changed)
    return changed


def _compare_names(old: Source, new: Source, changed: ChangedNames) -> frozenset[str] | None:
    try:
        before, after = _split_both(old, new)
        touched = _find_names_from(old, changed) | _find_names_from(new, changed)
    except RecursionError:
        return None
    names = find_changed_names(before, after, touched)
    return None if names is None else names | find_owners([*before, *after], names)


@remember(lambda old, new: len(old.text) + len(new.text))
def _split_both(old: Source, new: Source) -> tuple[list[Unit], list[Unit]]:
    """A file is settled once for each of its readings."""
    is_same = python.is_same_code if is_python(new.path) else partial(script.is_same_code, new.path)
    before, after = _split_units(old), _split_units(new)
    return unify_layout(before, after, is_same), after


def _split_units(source: Source) -> list[Unit]:
    if is_python(source.path):
        return python.split_python(source)
    return script.split_script(source) if is_script(source.path) else []


def may_import(source: Source, paths: Collection[str]) -> bool:
    """Return whether a file seems to import from one of the paths, as far as its text shows.

    Most files do not, and need not be parsed to see that.
    """
    if is_python(source.path):
        return python.may_import(source, paths)
    return script.may_import(source, paths) if is_script(source.path) else False


def _find_names_from(source: Source, changed: ChangedNames) -> set[str]:
    if is_python(source.path):
        return python.find_names_from(source, changed)
    return script.find_names_from(source, changed) if is_script(source.path) else set()
