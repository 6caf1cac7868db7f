"""Reads a change for signs of cheating."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.answers import Answers, Entry, answers
from goalkeeper.tamper.catalog import ALLOWABLE, review_rules
from goalkeeper.tamper.files import file_tricks
from goalkeeper.tamper.harness.commands import command_tricks
from goalkeeper.tamper.harness.config import config_tricks
from goalkeeper.tamper.javascript.answers import (
    called_in_script,
    script_answer_tricks,
    script_answers,
)
from goalkeeper.tamper.javascript.code import script_tricks
from goalkeeper.tamper.javascript.tests import focus, mocked_modules
from goalkeeper.tamper.lines.added import (
    hidden_code,
    line_tricks,
    match_line_patterns,
    reads_tests,
)
from goalkeeper.tamper.python.answers import answer_tricks, called_in_python, python_answers
from goalkeeper.tamper.python.code import code_tricks
from goalkeeper.tamper.python.doubles import doubles, shadowed_runner, swapped_members
from goalkeeper.tamper.python.hooks import hooks
from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.python.process import process_tricks
from goalkeeper.tamper.shell.code import shell_answers, shell_tricks
from goalkeeper.tamper.sighting import Sighting, added
from goalkeeper.tamper.source import (
    MOST_BYTES,
    Pair,
    Tree,
    base_name,
    is_product,
    is_python,
    is_script,
    is_shell,
    pair_of,
)
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.tests_review import losses


def review(
    changes: Sequence[FileChange], *, tree: Tree, tests: Sequence[str] = ()
) -> tuple[Finding, ...]:
    """Everything suspicious that the change adds, by path, line and rule.

    `tree` gives the candidate's bytes of any path; `tests` are paths of its test files, which
    are read for the literals that product code must not know.
    """
    pairs = [pair_of(change) for change in changes]
    allowed = {path for each in changes if each.may_change for path in (each.path, each.old_path)}
    findings = {_weighed(seen, allowed) for seen in _sightings(pairs, tree, tests)}
    return tuple(sorted(findings, key=lambda each: (each.path, each.line, each.rule, each.message)))


def _weighed(seen: Sighting, allowed: set[str]) -> Finding:
    rule = review_rules()[seen.rule]
    permitted = seen.path in allowed and rule.family in ALLOWABLE
    level = Level.ADVISORY if seen.mild or permitted else rule.level
    return Finding(rule.id, level, seen.path, seen.line, seen.message)


def _sightings(pairs: Sequence[Pair], tree: Tree, tests: Sequence[str]) -> Iterator[Sighting]:
    old: list[Sighting] = []
    new: list[Sighting] = []
    for pair in pairs:
        if pair.old is not None:
            old += _guarded(pair.path, partial(_side, pair.old, tree))
        if pair.new is not None:
            new += _guarded(pair.path, partial(_side, pair.new, tree))
        yield from _guarded(pair.path, partial(_change, pair, tree))
    moved = {pair.old.path: pair.path for pair in pairs if pair.old}
    yield from added((each.replace(path=moved.get(each.path, each.path)) for each in old), new)
    yield from file_tricks(pairs, tree, tests)
    base = _base(pairs, tree)
    yield from losses(pairs, base=base, tree=tree, tests=tests)
    yield from _answers(pairs, tree, tests)


def _guarded(path: str, read: Callable[[], Iterable[Sighting]]) -> list[Sighting]:
    try:
        return list(read())
    except RecursionError:
        return [Sighting("file-too-deep", path, 0, "nested too deeply to be read")]


def _side(source: Source, tree: Tree) -> Iterator[Sighting]:
    """What one side shows by itself; only what the base does not show will be reported."""
    if is_python(source.path):
        yield from process_tricks(source)
        yield from hooks(source, tree)
        yield from swapped_members(source, tree)
        yield from code_tricks(source)
    elif is_script(source.path):
        yield from script_tricks(source)
        if is_test(source.path):
            yield from focus(source)
            yield from mocked_modules(source)
            yield from shadowed_runner(source)
    elif is_shell(source):
        yield from shell_tricks(source)


def _change(pair: Pair, tree: Tree) -> Iterator[Sighting]:
    yield from config_tricks(pair)
    yield from command_tricks(pair)
    yield from line_tricks(pair)
    yield from match_line_patterns(pair)
    yield from hidden_code(pair)
    yield from reads_tests(pair, tree)
    yield from doubles(pair, tree)
    if (
        pair.new
        and is_python(pair.path)
        and not is_test(pair.path)
        and parse_python(pair.new.text) is None
    ):
        text = "this is no Python that we can parse"
        yield Sighting("file-unreadable", pair.path, 0, text)


def _base(pairs: Sequence[Pair], tree: Tree) -> Tree:
    """The base's bytes of any path."""
    old = {pair.change.old_path: pair.change.old for pair in pairs if pair.change.old_path}
    new = {pair.path for pair in pairs}

    def look(path: str) -> bytes | None:
        if path in old:
            return old[path]
        return None if path in new else tree(path)

    return look


def _answers(pairs: Sequence[Pair], tree: Tree, tests: Sequence[str]) -> Iterator[Sighting]:
    code = [each for each in pairs if each.new and is_product(each.path) and _is_code(each.new)]
    if not code:
        return
    changed = {each.path for each in pairs}
    places = {*tests, *(place for each in code for place in _usual_tests(each.path))} - changed
    still = [source for path in sorted(places) if (source := _source(path, tree)) is not None]
    old = [*still, *(each.old for each in pairs if each.old and is_test(each.old.path))]
    new = [each.new for each in pairs if each.new and is_test(each.new.path)]
    known = answers(_entries(old), _entries(new), "\n".join(source.text for source in old))
    called = frozenset[str]().union(*(_called(source) for source in [*old, *new]))
    for pair in code:
        yield from _guarded(pair.path, partial(_copied, pair, known, called))


def _copied(pair: Pair, known: Answers, called: frozenset[str]) -> Iterator[Sighting]:
    assert pair.new is not None  # noqa: S101  chosen for it
    if is_python(pair.path):
        yield from answer_tricks(pair.old, pair.new, known, called)
    elif is_script(pair.path):
        yield from script_answer_tricks(pair.old, pair.new, known, called)
    else:
        yield from shell_answers(pair.old, pair.new, known)


def _is_code(source: Source) -> bool:
    return is_python(source.path) or is_script(source.path) or is_shell(source)


def _entries(sources: Iterable[Source]) -> Iterator[Entry]:
    for source in sources:
        if is_python(source.path):
            yield from python_answers(source)
        elif is_script(source.path):
            yield from script_answers(source)


def _called(source: Source) -> frozenset[str]:
    if is_python(source.path):
        return called_in_python(source)
    return called_in_script(source) if is_script(source.path) else frozenset()


def _source(path: str, tree: Tree) -> Source | None:
    data = tree(path)
    if data is None or len(data) > MOST_BYTES:
        return None
    source = Source(path, text_of(data))
    return source if _is_code(source) else None


def _usual_tests(path: str) -> Iterator[str]:
    """Where the tests of a module mostly are."""
    stem, _, ending = base_name(path).rpartition(".")
    if ending == "py":
        names = [f"test_{stem}.py", f"{stem}_test.py"]
        places = ["", "tests/", "tests/unit/", "test/"]
    else:
        names = [f"{stem}.test.{ending}", f"{stem}.spec.{ending}"]
        here = re.sub(r"[^/]*$", "", path)
        places = [here, f"{here}__tests__/", "test/", "tests/"]
    yield from (place + name for place in places for name in names)
