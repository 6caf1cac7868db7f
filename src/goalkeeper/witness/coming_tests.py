"""Tests that come with the work: new or changed ones that are red without it, and green with it.

A test of the base is changed if it passed on the base and fails on the base's code in the form that
it has now: its body, its data, a table or a helper is another one. Where its new form cannot be
loaded with the base's code, its body must be another one, and its old form must fail on the
candidate's code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.tamper.catalog import Family, review_rules
from goalkeeper.tamper.identity import NOT_RUN, SourceIndex, read_lines
from goalkeeper.wire.value import Value

_RED = frozenset({Outcome.FAILED, Outcome.ERROR})
_ABOUT_TESTS = frozenset({Family.REMOVED, Family.WEAKENED, Family.SKIPPED})


class ComingTests(Value):
    """Ids of tests, as the candidate has them."""

    new: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()  # tests of the base that ran, each for one that is new
    kept: frozenset[str] = frozenset()  # they pass, and their bodies are as they were
    held: frozenset[str] = frozenset()  # tests of the base that pass as the base has them

    @property
    def all(self) -> frozenset[str]:
        return self.new | self.changed

    def describe(self) -> str:
        counts = {"new": len(self.new), "changed": len(self.changed)}
        return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


class SuiteRuns(Value):
    """Outcomes of the tests of one suite, by the ids that the candidate gives them."""

    base: Mapping[str, Outcome]
    own: Mapping[str, Outcome]  # the candidate's tests on its own code
    on_base: Mapping[str, Outcome]  # the candidate's tests on the base's code
    old_forms: Mapping[str, Outcome]  # the base's tests on the candidate's code


def read_outcomes(cases: Sequence[TestCase]) -> dict[str, Outcome]:
    return {case.id: case.outcome for case in cases}


def find_coming_tests(
    runs: SuiteRuns, bodies: tuple[SourceIndex, SourceIndex], *, takes_changed: bool
) -> ComingTests:
    """Find them; `bodies` are the tests of files that changed, of base and candidate."""
    good = {name for name, outcome in runs.own.items() if outcome is Outcome.PASSED}
    red = {name for name in good if runs.on_base.get(name, Outcome.ERROR) in _RED}
    new = {name for name in red if name not in runs.base}
    edited = {name for name in good if _is_edited(name, bodies)}
    changed = {name for name in red - new if _is_changed(name, runs, edited)}
    if not takes_changed:
        return ComingTests(frozenset(new))
    gone = sorted(name for name in runs.base if name not in runs.own)
    replaced = _find_replaced_rows(gone, new)
    held = frozenset(n for n, o in runs.old_forms.items() if n in runs.base and o is Outcome.PASSED)
    idle = sorted(n for n in held - replaced if runs.own.get(n, Outcome.SKIPPED) in NOT_RUN)
    fresh = _count_by_file((n for n in good if n not in runs.base), bodies[1])
    fresh.subtract(_count_by_file(replaced, bodies[0]))
    replaced |= _find_made_up(idle, bodies[0], fresh)
    kept = frozenset(good - edited)
    return ComingTests(frozenset(new), frozenset(changed), replaced, kept, held)


def _is_edited(name: str, bodies: tuple[SourceIndex, SourceIndex]) -> bool:
    before, after = (side.find(name) for side in bodies)
    return (before and before.body) != (after and after.body)


def _is_changed(name: str, runs: SuiteRuns, edited: Collection[str]) -> bool:
    if name in runs.on_base:  # its new form could be loaded
        return name in edited or runs.on_base[name] is Outcome.FAILED
    return name in edited and runs.old_forms.get(name) in _RED


def _find_replaced_rows(gone: Sequence[str], new: Collection[str]) -> frozenset[str]:
    """Find rows of a table that are gone, each for a row of the same test that comes with the work.

    A runner names a row by its values, so a changed row looks like one that is gone.
    """
    rows = Counter(_find_function(name) for name in new)
    replaced = set()
    for name in gone:
        function = _find_function(name)
        if function != name and rows[function] > 0:
            rows[function] -= 1
            replaced.add(name)
    return frozenset(replaced)


def _find_made_up(idle: Sequence[str], before: SourceIndex, fresh: Counter[str]) -> frozenset[str]:
    """Find tests that run no more though they would pass, each for a new one of their file."""
    found = set()
    for name in idle:
        file = _find_file(name, before)
        if fresh[file] > 0:
            fresh[file] -= 1
            found.add(name)
    return frozenset(found)


def _count_by_file(names: Iterable[str], index: SourceIndex) -> Counter[str]:
    return Counter(_find_file(name, index) for name in names)


def _find_file(name: str, index: SourceIndex) -> str:
    found = index.find(name)
    return found.file if found else name.partition("::")[0]


def _find_function(test: str) -> str:
    start = test.find("[", max(test.find("::"), 0))
    return test[:start] if start > 0 and test.endswith("]") else test


class ChangedTests(Value):
    """What is known of the tests in files that a change touches; keys are `path::name`."""

    outdated: Collection[str]  # their old forms fail on the candidate's code
    held: Collection[str]  # files with tests whose old forms pass on the candidate's code
    lines: Mapping[str, Sequence[tuple[int, str]]]  # where the tests of a file begin


def gather_changed_tests(
    coming: Sequence[ComingTests],
    bodies: tuple[SourceIndex, SourceIndex],
    files: Mapping[str, bytes],
) -> ChangedTests:
    """Gather what suites have shown of the test files that changed, as the candidate has them."""
    old, new = bodies
    return ChangedTests(
        new.find_keys(name for each in coming for name in each.changed - each.held),
        {key.partition("::")[0] for each in coming for key in old.find_keys(each.held)},
        {path: read_lines(path, data) for path, data in files.items()},
    )


def weigh_findings(
    findings: Sequence[Finding], known: ChangedTests, read_decided: Callable[[], Sequence[Finding]]
) -> tuple[Finding, ...]:
    """Return findings about tests with the strength that they have beside tests that come along.

    What a test lost hides nothing if its old form passes on the candidate's code. Then it is asked
    about only if it is where the base's tests decide, as `read_decided` tells.
    """
    held = [_is_held(finding, known) for finding in findings]
    asked = {
        (each.rule, each.path, each.line)
        for each in (read_decided() if any(held) else ())
        if each.level is not Level.ADVISORY
    }
    return tuple(
        each.replace(
            level=Level.ASKING if (each.rule, each.path, each.line) in asked else Level.ADVISORY
        )
        if hides_nothing
        else each
        for each, hides_nothing in zip(findings, held, strict=True)
    )


def _is_held(finding: Finding, known: ChangedTests) -> bool:
    rule = review_rules().get(finding.rule)
    if rule is None or rule.family not in _ABOUT_TESTS or finding.level is Level.ADVISORY:
        return False
    key = _find_key(finding, known.lines)
    return finding.path in known.held and key not in known.outdated


def _find_key(finding: Finding, lines: Mapping[str, Sequence[tuple[int, str]]]) -> str:
    """Return the test that a finding is in: the last one that begins before it."""
    before = [key for line, key in sorted(lines.get(finding.path, ())) if line <= finding.line]
    return before[-1] if before else ""
