"""Compares the tests of base and candidate, over all files of a change."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.protected import is_test
from goalkeeper.tamper.compare import compare_tests
from goalkeeper.tamper.defined import find_gone_members, find_gone_names
from goalkeeper.tamper.identity import name_in_ids
from goalkeeper.tamper.javascript.code import find_script_origins
from goalkeeper.tamper.moving import GainedParts
from goalkeeper.tamper.pairing import Pairing, pair_tests
from goalkeeper.tamper.python.doubles import find_python_origins
from goalkeeper.tamper.python.names import parse_python
from goalkeeper.tamper.readers import find_names_changed, may_import, read_tests, settle
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import (
    MOST_BYTES,
    ChangedFile,
    Tree,
    base_name,
    is_python,
    is_script,
    read_pair,
)
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.testing import Test, TestFile
from goalkeeper.wire.pattern import late_pattern

_TWINS = 2
_COMMENT = late_pattern(r"^\s*(?:#|//|\*).*", re.MULTILINE)
_WORDS = late_pattern(r"\w+")
_TEST_NAME = late_pattern(r"test[_-].*|.*[_-]test\.\w+|.*\.(test|spec)\.\w+|.*\.bats|.*_spec\.rb")


def find_losses(
    pairs: Sequence[ChangedFile],
    *,
    base: Tree,
    tree: Tree,
    tests: Sequence[str],
    base_decides: bool,
) -> Iterator[Sighting]:
    """Find losses; `tests` are all test files of the candidate, since helpers may weaken any."""
    reader = _LossReader(pairs, base, tree)
    fresh = [each for each in pairs if each.old is None]
    for each in [*pairs, *_find_tests_of_helpers(pairs, tree, tests)]:
        if each.old is not None:
            yield from reader.read(each)
    moved = {each.old.path: each.path for each in pairs if each.old and each.new}
    gone_names = find_gone_names(pairs) if reader.old else frozenset[str]()
    found = pair_tests(reader.old, reader.new, moved)
    elsewhere = GainedParts(found, base_decides=base_decides)
    lost = list(compare_tests(found, gone_names, elsewhere))
    for each in fresh:
        # What is lost may have moved to a new file; otherwise it is enough that one can read it.
        is_readable = not is_python(each.path) or (each.new and parse_python(each.new.text))
        if found.gone or lost or not is_readable:
            yield from reader.read(each)
    if fresh and (found.gone or lost):
        found = pair_tests(reader.old, reader.new, moved)
        elsewhere = GainedParts(found, base_decides=base_decides)
        lost = list(compare_tests(found, gone_names, elsewhere))
    yield from lost
    if found.gone:
        if base_decides:
            gone_names |= find_gone_members(pairs)
        yield from _report_gone_tests(found, pairs, gone_names, elsewhere)


def find_absorbed_tests(changes: Sequence[FileChange], base: Tree, tree: Tree) -> frozenset[str]:
    """Return tests of the base, as `path::name`, of which other tests assert all.

    They have another name or place, are rows of others now, or their assertions stand in others.
    """
    pairs = [read_pair(each) for each in changes]
    reader = _LossReader(pairs, base, tree)
    for each in pairs:
        for _ in reader.read(each):
            pass  # the reading of the change reports it
    moved = {each.old.path: each.path for each in pairs if each.old and each.new}
    found = pair_tests(reader.old, reader.new, moved)
    gained = GainedParts(found, base_decides=True)
    spread = [each for each in found.gone if each.live and not gained.take_assertions(each.live)]
    left = [each for each in found.gone if each not in spread]
    if gained.spend_gains(sum(max(len(each.live), 1) for each in left)):
        spread += left  # as much came as they asked
    renamed = [
        old
        for old, new in found.pairs
        if name_in_ids(old) != name_in_ids(new) and _is_kept(old, new, gained)
    ]
    return frozenset(map(name_in_ids, (*found.absorbed, *spread, *renamed)))


def _is_kept(old: Test, new: Test, elsewhere: GainedParts) -> bool:
    found = compare_tests(Pairing(((old, new),), (), (), ()), frozenset(), elsewhere)
    return all(seen.mild for seen in found)


class _LossReader:
    """Reads the tests of changed files; those of both sides are in its fields."""

    def __init__(self, pairs: Sequence[ChangedFile], base: Tree, tree: Tree) -> None:
        self.old: list[Test] = []
        self.new: list[Test] = []
        self.tree = tree
        helpers = [each for each in pairs if is_test(each.path) or is_test(each.change.old_path)]
        self.changed = find_names_changed((each.old, each.new) for each in helpers)
        # Where no test file is left, there is nothing to compare with.
        is_any_left = any(each.new and is_test(each.path) for each in pairs)
        self.base = base if is_any_left else None

    def read(self, each: ChangedFile) -> Iterator[Sighting]:
        if not any(source and is_test(source.path) for source in (each.old, each.new)):
            return
        was_settled, is_settled = settle(each.old, each.new, self.changed)
        before = read_tests(each.old, self.base, was_settled) if each.old else TestFile()
        after = read_tests(each.new, self.tree, is_settled) if each.new else TestFile()
        if after is None and each.new:
            had_tests = before is not None and bool(before.tests)
            text = f"this test file {'can no longer' if had_tests else 'cannot'} be parsed"
            yield Sighting("test-unparsable", each.path, 0, text, mild=not had_tests)
        elif before is not None and after is not None:
            is_both = each.old is not None and each.new is not None
            if is_both and is_script(each.path) and after.has_errors and not before.has_errors:
                # Our grammar may be older than the language.
                text = "this test file can no longer be parsed"
                yield Sighting("test-unparsable", each.path, 0, text, mild=True)
            # Runners that go by file names found it before, and do not any longer.
            was_found = _TEST_NAME.fullmatch(base_name(each.change.old_path or each.path))
            is_hidden = bool(was_found) and not _TEST_NAME.fullmatch(base_name(each.path))
            self.old += [test for test in before.tests if not test.is_part]
            self.new += [
                test.replace(collected=test.collected and not is_hidden)
                for test in after.tests
                if not test.is_part
            ]


def _find_tests_of_helpers(
    pairs: Sequence[ChangedFile], tree: Tree, tests: Sequence[str]
) -> Iterator[ChangedFile]:
    """Find unchanged test files that name a helper module that changed, and import from one."""
    changed = {each.path for each in pairs}
    helpers = [each.path for each in pairs if each.old and is_test(each.path)]
    stems = {base_name(path).partition(".")[0] for path in helpers}
    named = [frozenset(_WORDS.findall(stem)) for stem in sorted(stems)]
    if not named:
        return
    for path in sorted({*tests} - changed):
        data = tree(path) if is_python(path) or is_script(path) else None
        if data is None or len(data) > MOST_BYTES:
            continue
        source = Source(path, text_of(data))
        words = frozenset(_WORDS.findall(source.text))
        if any(stem <= words for stem in named) and may_import(source, changed):
            same = FileChange(path, path, data, data)
            yield ChangedFile(same, source, source)


def _report_gone_tests(
    found: Pairing,
    pairs: Sequence[ChangedFile],
    gone_names: frozenset[str],
    elsewhere: GainedParts,
) -> Iterator[Sighting]:
    now: Mapping[str, ChangedFile] = {each.old.path: each for each in pairs if each.old}
    gone: dict[str, list[Test]] = {}
    # Other tests may assert all that a test did; or it stood there twice, and one of the two went.
    lonely = [test for test in found.gone if not test.live or elsewhere.take_assertions(test.live)]
    outlines = {test.outline() for test in lonely}
    before = Counter(_find_bodies([each.old for each in pairs], outlines))
    again = {test.outline() for test in lonely if before[test.body] >= _TWINS}
    after = Counter(_find_bodies([each.new for each in pairs], again))
    for test in lonely:
        if before[test.body] < _TWINS or not after[test.body]:
            gone.setdefault(test.path, []).append(test)
    fresh: Counter[str] = Counter()
    for test in found.fresh:
        fresh[test.path] += max(len(test.cases), 1)
    fresh.subtract(test.path for test in found.absorbed)
    for path, tests in gone.items():
        change = now[path]
        left = [test for test in tests if not test.names() & gone_names]
        with_code = [test for test in tests if test.names() & gone_names]
        for test in with_code:
            text = f"{test.name} went together with the code it was about"
            yield Sighting("test-removed", change.path, 0, text, mild=True)
        if left and change.change.new is None:
            names = ", ".join(test.name for test in left)
            text = f"the file is gone, and with it {names}"
            # One after the other: each new test takes the place of one that is gone.
            # Most of it went with its code, so that the file is about that code.
            is_over = elsewhere.base_decides and len(with_code) >= len(left)
            mild = is_over or fresh.total() >= len(found.gone)
            yield Sighting("test-removed", path, 0, text, mild=mild)
            continue
        # As many new tests in the same file, or as many assertions, mean that they were replaced.
        lost = sum(max(len(test.live), 1) for test in left)
        is_rewritten = fresh[change.path] >= len(left) or elsewhere.spend_gains(lost)
        was, is_now = map(_CommentIndex, (change.old, change.new))
        for test in left:
            short = re.split(r"\.| > ", test.name)[-1]
            if is_now.has(short) and not was.has(short):
                text = f"{test.name} is only a comment now"
                yield Sighting("test-removed", change.path, 0, text)
            else:
                text = f"{test.name} is gone"
                yield Sighting("test-removed", change.path, 0, text, mild=is_rewritten)


class _CommentIndex:
    """Looks names up in the comments of a file, which is read once for all of them."""

    def __init__(self, source: Source | None) -> None:
        self._lines: dict[str, list[str]] = defaultdict(list)
        for comment in _COMMENT.finditer(source.text) if source else ():
            for word in {*_WORDS.findall(comment[0])}:
                self._lines[word].append(comment[0])

    def has(self, name: str) -> bool:
        found = [self._lines.get(word, []) for word in _WORDS.findall(name)]
        rarest = min(found, key=len, default=[])
        named = re.compile(rf"\b{re.escape(name)}\b")
        return any(map(named.search, rarest))


def _find_bodies(sources: Sequence[Source | None], outlines: AbstractSet[object]) -> Iterator[str]:
    """Find the bodies of tests that have one of the outlines, which are much faster to find."""
    for source in sources if outlines else ():
        if source is not None and is_test(source.path):
            file = read_tests(source, None)
            for test in file.tests if file else ():
                if test.outline() in outlines and test.body:
                    yield test.body


def find_doubles(
    pair: ChangedFile, base: Tree, tree: Tree, own: Sequence[str]
) -> Iterator[Sighting]:
    """Find names that came from the product and now come from the tests.

    `own` are paths of the repository, whose modules are its own wherever they lie.
    """
    if pair.old is None or pair.new is None or not is_test(pair.path):
        return
    if is_python(pair.path):
        old, new = find_python_origins(pair.old, base), find_python_origins(pair.new, tree)
    elif is_script(pair.path):
        old, new = find_script_origins(pair.old, base), find_script_origins(pair.new, tree)
    else:
        return
    for name, origin in sorted(old.items()):
        now = new.get(name, origin)
        if not _is_of_tests(origin) and _is_of_tests(now):
            message = f"{name} came from {origin}, and now comes from {now}"
            mild = is_python(pair.path) and not _is_own_module(origin, own)
            yield Sighting("subject-mocked", pair.path, 0, message, mild=mild)


def _is_own_module(origin: str, own: Sequence[str]) -> bool:
    first = origin.partition(".")[0]
    return is_python(origin) or any({first, f"{first}.py"} & {*path.split("/")} for path in own)


def _is_of_tests(origin: str) -> bool:
    return origin == "this file" or is_test(origin)
