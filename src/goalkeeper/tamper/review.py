"""Reads a change for signs of cheating."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.protected import Role, is_test, role_of_path
from goalkeeper.tamper.catalog import ALLOWABLE, Family, review_rules
from goalkeeper.tamper.files import find_file_tricks
from goalkeeper.tamper.harness.commands import find_command_tricks
from goalkeeper.tamper.harness.config import find_config_tricks, find_settings_tricks
from goalkeeper.tamper.javascript.code import (
    find_mocked_modules,
    find_script_tricks,
    may_show_tricks,
)
from goalkeeper.tamper.lines import find_test_names, match_added_lines
from goalkeeper.tamper.memory import pause_collection
from goalkeeper.tamper.python.code import find_code_tricks
from goalkeeper.tamper.python.doubles import find_fixture_tricks, find_swapped_members
from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.readers import settle_code
from goalkeeper.tamper.settled import Places
from goalkeeper.tamper.shell import find_shell_tricks
from goalkeeper.tamper.sighting import Sighting, keep_new
from goalkeeper.tamper.source import (
    MOST_BYTES,
    ChangedFile,
    Tree,
    is_product,
    is_python,
    is_script,
    is_shell,
    read_pair,
)
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.tests_review import find_doubles, find_losses
from goalkeeper.tamper.words import read_pattern

# Products may have to do with processes, runners and the environment; then that is no news.
_HABITS = frozenset({Family.PROCESS, Family.CODE})
# The base's tests and settings are put back before anything is judged, so tricks in them come to
# nothing, and are a question to their author.
_TESTS = frozenset({Role.TEST, Role.DATA})
_RESTORED = _TESTS | {Role.HARNESS, Role.CI}
_UNDONE = frozenset({Family.PROCESS, Family.CODE, Family.HARNESS, Family.SKIPPED})
_MOST_HABITS = 40  # files of the base that are read for what the project does anyway


@pause_collection()
def review(
    changes: Sequence[FileChange],
    *,
    tree: Tree,
    tests: Sequence[str] = (),
    product: Sequence[str] = (),
    base_decides: bool = True,
) -> tuple[Finding, ...]:
    """Find everything suspicious that the change adds, by path, line and rule.

    `tree` gives the candidate's bytes of any path; `tests` are paths of its test files; `product`
    are paths of the rest, which are read for what the project does anyway. `base_decides` says
    that tests of the base are run as they were, so that what a test loses changes no verdict.
    """
    pairs = [read_pair(change) for change in changes]
    allowed = {path for each in changes if each.may_change for path in (each.path, each.old_path)}
    own = [*product, *(each.old_path for each in changes)]
    found = list(_find_sightings(pairs, tree, tests, own, base_decides=base_decides))
    seen = _soften_habits(found, pairs, tree, product)
    undone = _UNDONE | ({Family.WEAKENED, Family.READING} if base_decides else set())
    findings = {_weigh(each, allowed, undone) for each in seen}
    return tuple(sorted(findings, key=lambda each: (each.path, each.line, each.rule, each.message)))


def _soften_habits(
    seen: list[Sighting], pairs: Sequence[ChangedFile], tree: Tree, product: Sequence[str]
) -> list[Sighting]:
    """Make a note of what the base's product does as well: it is the project's business."""
    rules = review_rules()
    strong = {
        each.rule
        for each in seen
        if rules[each.rule].family in _HABITS
        and rules[each.rule].level is Level.BLOCKING
        and not each.mild
        and is_product(each.path)
    }
    if not strong:
        return seen
    usual = _find_habits(frozenset(strong), pairs, tree, product)
    return [each.replace(mild=True) if each.rule in usual else each for each in seen]


def _find_habits(
    wanted: frozenset[str], pairs: Sequence[ChangedFile], tree: Tree, product: Sequence[str]
) -> set[str]:
    """Return which of the rules the base's product code is seen to break already."""
    found: set[str] = set()
    changed = {each.path for each in pairs}
    rest = (path for path in product if path not in changed and is_product(path))
    sources = chain(
        (each.old for each in pairs if each.old and is_product(each.old.path)),
        (source for path in rest if (source := _read_source(path, tree))),
    )
    telling = (source for source in sources if read_pattern("telling-code").search(source.text))
    for source in islice(telling, _MOST_HABITS):
        side = _read_guarded(
            source.path, partial(_read_side, source, tree, frozenset(), frozenset(wanted))
        )
        found |= {each.rule for each in side if each.rule in wanted and not each.mild}
        if found >= wanted:
            break
    return found


def _weigh(seen: Sighting, allowed: set[str], undone: frozenset[Family]) -> Finding:
    rule = review_rules()[seen.rule]
    level = Level.ADVISORY if seen.mild else rule.level
    is_blocking = level is Level.BLOCKING
    put_back = _TESTS if rule.family is Family.READING else _RESTORED
    is_undone = rule.family in undone and role_of_path(seen.path) in put_back
    if seen.path in allowed and rule.family in ALLOWABLE:
        # A contract that lets tests change does not ask for tests that cannot fail.
        level = Level.ASKING if is_blocking else Level.ADVISORY
    elif is_blocking and is_undone:
        level = Level.ASKING
    return Finding(rule.id, level, seen.path, seen.line, seen.message)


def _find_sightings(
    pairs: Sequence[ChangedFile],
    tree: Tree,
    tests: Sequence[str],
    own: Sequence[str],
    *,
    base_decides: bool,
) -> Iterator[Sighting]:
    base = _tree_of_base(pairs, tree)
    yield from _find_new_tricks(pairs, tree)
    for pair in pairs:
        yield from _read_guarded(pair.path, partial(_read_change, pair, tree, tests))
        yield from _read_guarded(pair.path, partial(find_doubles, pair, base, tree, own))
    yield from find_settings_tricks(pairs, [*tests, *own], tree)
    yield from find_file_tricks(pairs, tree, tests, base_decides=base_decides)
    find = partial(find_losses, pairs, base=base, tree=tree, tests=tests, base_decides=base_decides)
    yield from _read_guarded("", find)


def _find_new_tricks(pairs: Sequence[ChangedFile], tree: Tree) -> list[Sighting]:
    """Find tricks in code that the base does not have; it is read only if there are any."""
    telling = [pair for pair in pairs if _may_show_tricks(pair.old) or _may_show_tricks(pair.new)]
    settled = [settle_code(pair.old, pair.new) for pair in telling]
    new = [
        seen
        for pair, (_, places) in zip(telling, settled, strict=True)
        if pair.new is not None
        for seen in _read_guarded(pair.path, partial(_read_side, pair.new, tree, places))
    ]
    wanted = frozenset(seen.rule for seen in new)
    old = [
        seen.replace(path=pair.path)
        for pair, (places, _) in zip(telling, settled, strict=True)
        if pair.old is not None and wanted
        for seen in _read_guarded(pair.path, partial(_read_side, pair.old, tree, places, wanted))
    ]
    moved = {pair.path for pair in telling if pair.change.old_path != pair.path}
    told = (seen for seen in old if _is_put_back(seen) and seen.path not in moved)
    said = {(seen.path, seen.rule, seen.message) for seen in told}
    return [
        # The base's form of it is what runs.
        seen.replace(mild=True) if (seen.path, seen.rule, seen.message) in said else seen
        for seen in keep_new(old, new)
    ]


def _is_put_back(seen: Sighting) -> bool:
    is_harness = review_rules()[seen.rule].family is Family.HARNESS
    return is_harness and not seen.mild and role_of_path(seen.path) in _RESTORED


def _may_show_tricks(source: Source | None) -> bool:
    return source is not None and (not is_script(source.path) or may_show_tricks(source))


def _read_guarded(path: str, read: Callable[[], Iterable[Sighting]]) -> list[Sighting]:
    try:
        return list(read())
    except RecursionError:
        return [Sighting("file-too-deep", path, 0, "nested too deeply to be read")]


def _read_side(
    source: Source, tree: Tree, settled: Places, wanted: frozenset[str] | None = None
) -> Iterator[Sighting]:
    """Read one side by itself; only what the base does not show will be reported.

    Of the base, only rules that are `wanted` need be looked for.
    """
    if is_python(source.path):
        yield from find_fixture_tricks(source, tree)
        yield from find_swapped_members(source, tree)
        yield from find_code_tricks(source, settled, wanted)
    elif is_script(source.path):
        yield from find_script_tricks(source, settled, wanted)
        yield from find_mocked_modules(source)
    elif is_shell(source):
        yield from find_shell_tricks(source)


def _read_change(pair: ChangedFile, tree: Tree, tests: Sequence[str]) -> Iterator[Sighting]:
    yield from find_config_tricks(pair)
    yield from find_command_tricks(pair, tests)
    yield from match_added_lines(pair)
    yield from find_test_names(pair, tree)
    is_code = is_python(pair.path) and not is_test(pair.path)
    if pair.new and is_code and parse_python(pair.new.text) is None:
        # What the base does as well hides nothing new.
        was_read = pair.old is None or parse_python(pair.old.text) is not None
        ours = f"{sys.version_info.major}.{sys.version_info.minor}"
        text = f"Python {ours}, with which goalkeeper runs, cannot parse it"
        mild = not was_read or not is_product(pair.path)
        yield Sighting("file-unreadable", pair.path, 0, text, mild=mild)


def _tree_of_base(pairs: Sequence[ChangedFile], tree: Tree) -> Tree:
    """Make a tree that gives the base's bytes of any path."""
    old = {pair.change.old_path: pair.change.old for pair in pairs if pair.change.old_path}
    new = {pair.path for pair in pairs}

    def look_up(path: str) -> bytes | None:
        if path in old:
            return old[path]
        return None if path in new else tree(path)

    return look_up


def _read_source(path: str, tree: Tree) -> Source | None:
    data = tree(path)
    if data is None or len(data) > MOST_BYTES:
        return None
    source = Source(path, text_of(data))
    is_code = is_python(path) or is_script(path) or is_shell(source)
    return source if is_code else None
