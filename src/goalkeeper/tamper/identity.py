"""Finds which test of the candidate is which test of the base.

A test is known by its id in the report. A test whose id is gone may have been renamed: then a new
id has the same body. For that, ids are looked up in the sources, whose tests have keys of the form
`path::name` (see `read_suite`):

- pytest with files, `tests/test_a.py::TestX::test_y[p]`: the key with the parameters behind it;
- pytest without, `tests.test_a.TestX::test_y[p]`: the key with its path and classes dotted;
- node and bats, `outer > inner > title`: reports name no file, so the title path is looked for
  in all files; `title #2` is the second one, in the order of keys;
- jest-junit, `outer inner title`: as node, joined by blanks;
- vitest in TAP, `tests/a.test.ts > outer > title`: the file stands before them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.tamper.examples import read_examples
from goalkeeper.tamper.pairing import Clue, match_in_rounds
from goalkeeper.tamper.source import is_python
from goalkeeper.tamper.syntax import Source, text_of
from goalkeeper.tamper.testing import Test, fingerprint
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_MOST_BYTES = 1024 * 1024  # nobody writes such test files; hostile ones are not worth the time
_NUMBERED = late_pattern(r"(.*) #([0-9]{1,6})", re.DOTALL)
_PASSED = frozenset({Outcome.PASSED})
_FAILED = frozenset({Outcome.FAILED, Outcome.ERROR})
_RAN = _FAILED | _PASSED
NOT_RUN = frozenset({Outcome.SKIPPED, Outcome.XFAILED})
_GROUPS = late_pattern(r"::| > ")
_VALUE = late_pattern(r"\$\{[^{}]*\}")
_MOST_MADE = 200  # titles with values in them
_SCRIPT = late_pattern(r"\S+\.[cm]?[jt]sx?")


def read_bodies(path: str, data: bytes) -> Mapping[str, str]:
    """Return the tests of a file by their names in ids; none if the file cannot be parsed.

    A second test of the same name is `name #2`.
    """
    return {
        name: fingerprint((test.code().given, test.body)) for name, test in _read_named(path, data)
    }


def read_lines(path: str, data: bytes) -> list[tuple[int, str]]:
    """Return the tests of a file with the lines where they begin, by `path::name`."""
    return [(test.line, f"{path}::{name}") for name, test in _read_named(path, data)]


def _read_named(path: str, data: bytes) -> Iterator[tuple[str, Test]]:
    from goalkeeper.tamper.readers import read_tests  # noqa: PLC0415  slow, and often not needed

    if len(data) > _MOST_BYTES:
        return
    file = read_tests(Source(path, text_of(data)), tree=None)
    if file is None or file.has_errors:
        return
    counts: dict[str, int] = {}
    for test in file.tests:
        if test.body:
            _, _, name = name_in_ids(test).partition("::")
            counts[name] = counts.get(name, 0) + 1
            yield name if counts[name] == 1 else f"{name} #{counts[name]}", test


def name_in_ids(test: Test) -> str:
    """Return the key of a test, `path::name`."""
    name = test.name.replace(".", "::") if is_python(test.path) else test.name
    return f"{test.path}::{name}"


def read_suite(files: Mapping[str, bytes]) -> Mapping[str, str]:
    """Return the tests of all the files, by `path::name`; of the product's files, doctests."""
    return {
        f"{path}::{name}": fingerprint
        for path, source in sorted(files.items())
        for name, fingerprint in (
            read_bodies(path, source) if is_test(path) else _read_examples(path, source)
        ).items()
    }


def _read_examples(path: str, data: bytes) -> Mapping[str, str]:
    """Return the doctests of a module, by every name that the module may be imported under."""
    if len(data) > _MOST_BYTES:
        return {}
    places = path.removesuffix(".py").removesuffix("/__init__").split("/")
    modules = [".".join(places[start:]) for start in range(len(places))]
    return {
        f"{module}.{name}".rstrip("."): said
        for name, said in read_examples(path, text_of(data)).items()
        for module in modules
    }


class ReportedTest(Value):
    """A test that a report names and that was found in the sources."""

    id: str
    file: str
    name: str
    body: tuple[str, str]  # its fingerprint, and "[…]": parameters stay when a test is renamed
    between: tuple[str, str] = ("", "")  # the tests before and after it in its file


# Tests with equal bodies are told apart by what else is the same: a moved test keeps its name, a
# renamed one its file. One that kept its own name in its file left a class or a group. One that
# stands between the same two tests was renamed with what it speaks of. Rows get other ids.
_CLUES: tuple[Clue[ReportedTest], ...] = (
    lambda found: (*found.body, found.name),
    lambda found: (*found.body, found.file),
    lambda found: found.body,
    lambda found: (found.file, _GROUPS.split(found.name)[-1], found.body[1]),
    lambda found: (found.file, *found.between, found.body[1], all(found.between) or found.id),
)


def _find_row(found: ReportedTest) -> object:
    return (found.file, found.name) if found.body[1] else None


def follow_renames(
    vanished: Sequence[str],
    appeared: Sequence[str],
    old_bodies: Mapping[str, str],
    new_bodies: Mapping[str, str],
    *,
    rows_count: bool = False,
) -> Mapping[str, str]:
    """Map old ids to new ids where bodies, names or neighbours in a file are equal; each id once.

    `old_bodies` and `new_bodies` are what `read_suite` gives for the two sides. A test whose old
    name is still defined was not renamed: something keeps it from running. Of its rows as many are
    known under other ids as there are new ones, because the base's rows are run by themselves, and
    titles that no source has are known in another group; unless `rows_count`, because a row of
    other values is a test that the proof may rest on.
    """
    old, new = SourceIndex(old_bodies), SourceIndex(new_bodies)
    lost = old.find_all(vanished)
    gone = [t for t in lost if new.find(t.id) is None or (t.body[1] and not rows_count)]
    fresh = new.find_all(appeared)
    clues = _CLUES if rows_count else (*_CLUES, _find_row)
    pairs, _, _ = match_in_rounds(gone, fresh, [(c, c) for c in clues])
    followed = {before.id: after.id for before, after in pairs}
    if not rows_count:
        known = {each.id for each in (*lost, *fresh)} | ({*vanished} & {*appeared})
        followed |= _follow_titles({*vanished} - known, {*appeared} - known)
    return dict(sorted(followed.items()))


def _follow_titles(vanished: AbstractSet[str], appeared: AbstractSet[str]) -> dict[str, str]:
    """Map titles that a loop makes, and that no source has, to themselves in another group."""
    sides = [defaultdict[str, list[str]](list) for _ in range(2)]
    for side, tests in zip(sides, (vanished, appeared), strict=True):
        for test in tests:
            side[_GROUPS.split(test)[-1]].append(test)
    old, new = sides
    return {
        tests[0]: new[title][0]
        for title, tests in old.items()
        if len(tests) == 1 and len(new.get(title, ())) == 1
    }


def find_moved(
    vanished: Sequence[str], old_bodies: Mapping[str, str], new_bodies: Mapping[str, str]
) -> Mapping[str, str]:
    """Map ids that are gone to other files in which tests with their names and bodies lie now."""
    places = ((*key.partition("::"), body) for key, body in new_bodies.items())
    files = {(name, body): file for file, _, name, body in places}
    tests = SourceIndex(old_bodies).find_all(vanished)
    found = {test.id: files.get((test.name, test.body[0]), test.file) for test in tests}
    return {test.id: found[test.id] for test in tests if found[test.id] != test.file}


class SourceIndex:
    """Finds the source of a test by its id in a report."""

    def __init__(self, bodies: Mapping[str, str]) -> None:
        self._bodies = bodies
        self._between = _find_neighbours([*bodies])
        self._keys: dict[str, list[str]] = {}
        for key in sorted(bodies):
            for alias in dict.fromkeys(_find_aliases(key)):
                self._keys.setdefault(alias, []).append(key)
        # What a title is made of is not known before it runs.
        made = [alias for alias in self._keys if "${" in alias and "::" not in alias]
        self._made = [(_make_pattern(alias), alias) for alias in made[:_MOST_MADE]]

    def find_all(self, ids: Sequence[str]) -> list[ReportedTest]:
        return [found for test in sorted(set(ids)) if (found := self.find(test))]

    def find_keys(self, ids: Iterable[str]) -> set[str]:
        """Return the keys of tests, as `path::name`."""
        return {f"{found.file}::{found.name}" for found in self.find_all([*ids])}

    def find(self, test: str) -> ReportedTest | None:
        for name, parameters, place in _read_id(test):
            keys = self._keys.get(name, [])
            if place < len(keys):
                key = keys[place]
                file, _, short = key.partition("::")
                body = self._bodies[key], parameters
                return ReportedTest(test, file, short, body, self._between[key])
        return self._find_made(test)

    def _find_made(self, test: str) -> ReportedTest | None:
        """Find the one test whose title may be this with values in it; they tell it from others."""
        pairs = ((pattern.fullmatch(test), alias) for pattern, alias in self._made)
        found = [(match, key) for match, alias in pairs if match for key in self._keys[alias]]
        if len({key for _, key in found}) != 1:
            return None
        match, key = found[0]
        file, _, short = key.partition("::")
        values = "".join(f"[{value}]" for value in sorted(match.groups()))
        body = self._bodies[key], values
        return ReportedTest(test, file, short, body, self._between[key])


def _make_pattern(title: str) -> re.Pattern[str]:
    parts = _VALUE.split(title)
    return re.compile("(.+)".join(map(re.escape, parts)), re.DOTALL)


def _find_neighbours(keys: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Map every test to the tests before and after it; they stand in the order of their files."""
    return {
        key: (before, after)
        for before, key, after in zip(("", *keys), keys, (*keys[1:], ""), strict=False)
    }


def _read_id(test: str) -> Iterator[tuple[str, str, int]]:
    """Read the name, the parameters, and the number of the test among those of that name."""
    numbered = _NUMBERED.fullmatch(test)
    meanings = [(test, 0)]
    if numbered and int(numbered[2]) > 1:
        meanings.append((numbered[1], int(numbered[2]) - 1))
    for whole, place in meanings:
        yield whole, "", place
        start = whole.find("[", max(whole.find("::"), 0))  # folders may have brackets, too
        if start > 0 and whole.endswith("]"):
            yield whole[:start], whole[start:], place


def _find_aliases(key: str) -> Iterator[str]:
    """List the names by which reports may call the test with this key."""
    yield key
    path, _, name = key.partition("::")
    if path.endswith(".py") and name:
        *classes, function = name.split("::")
        yield ".".join([*path.removesuffix(".py").split("/"), *classes]) + f"::{function}"
    elif name:
        yield name
        yield name.replace(" > ", " ")
        yield f"{path} > {name}"


class Comparison(Value):
    """What differs. Ids are sorted, and the candidate's, except for tests that it no longer has."""

    missing: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()  # they ran in the base, and are skipped or to fail now
    failing: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()  # they passed in the base
    still_failing: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def compare(
    base: Sequence[TestCase], candidate: Sequence[TestCase], renamed: Mapping[str, str]
) -> Comparison:
    before = {case.id: case.outcome for case in base}
    after = {case.id: case.outcome for case in candidate}
    followed = _choose_renames(renamed, before, after)
    both = {
        now: (before[test], after[now])
        for test in before
        if (now := followed.get(test, test)) in after
    }
    gone = {test for test in before if test not in after and test not in followed}
    mended = _find_mended({test for test in gone if before[test] in _FAILED}, before, after)

    def find_changed(old: AbstractSet[Outcome], new: AbstractSet[Outcome]) -> set[str]:
        return {test for test, (was, now) in both.items() if was in old and now in new}

    return Comparison(
        missing=_sort(gone - mended),
        newly_skipped=_sort(find_changed(_RAN, NOT_RUN)),
        failing=_sort(test for test, outcome in after.items() if outcome in _FAILED),
        fixed=_sort(find_changed(_FAILED, _PASSED) | mended),
        broken=_sort(find_changed(_PASSED, _FAILED)),
        still_failing=_sort(find_changed(_FAILED, _FAILED)),
        appeared=_sort(test for test in after if test not in both),
        renamed=tuple(sorted(followed.items())),
    )


def _choose_renames(
    renamed: Mapping[str, str], before: Mapping[str, Outcome], after: Mapping[str, Outcome]
) -> dict[str, str]:
    """Choose renames from an id that is gone to one that is new; each id is used once."""
    pairs: dict[str, str] = {}
    taken = set(before)
    for old, new in sorted(renamed.items()):
        if old in before and old not in after and new in after and new not in taken:
            pairs[old] = new
            taken.add(new)
    return pairs


def _find_mended(gone: AbstractSet[str], before: Iterable[str], after: Iterable[str]) -> set[str]:
    """Find failures that are gone because what they stood for works now.

    They are not tests. A group is reported only when it fails by itself, and a file only when it
    could not be loaded; where it can, its tests are reported instead.
    """
    if not gone:
        return set()
    old, new = sorted(before), sorted(after)
    has_new = not set(after) <= set(before)
    return {
        test
        for test in gone
        if (_has_prefix(old, f"{test} > ") and _has_prefix(new, f"{test} > "))
        or ("::" not in test and (_has_prefix(new, f"{test}::") or _has_prefix(new, f"{test}.")))
        # node's titles do not tell their file, so any new test is enough.
        or (_SCRIPT.fullmatch(test) and has_new)
    }


def _has_prefix(tests: Sequence[str], start: str) -> bool:
    place = bisect_left(tests, start)
    return place < len(tests) and tests[place].startswith(start)


def _sort(tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tests))
