"""Laws of reports and of their comparison, whatever runners and candidates write."""

from collections.abc import Callable, Sequence
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.tamper.identity import Comparison, compare, follow_renames, read_bodies
from goalkeeper.witness.reports import ReportUnreadable, junit, tap

Parse = Callable[[bytes], tuple[TestCase, ...]]

letters = st.characters(codec="utf-8", exclude_categories=("C", "Z"))
words = st.text(letters, min_size=1, max_size=8)
titles = st.lists(words, min_size=1, max_size=3).map(" ".join)
outcomes = st.sampled_from(Outcome)
reported = st.lists(
    st.builds(TestCase, titles, outcomes, st.just("")), unique_by=lambda case: case.id, max_size=8
)

JUNIT_MARKS = {
    Outcome.PASSED: "",
    Outcome.FAILED: "<failure/>",
    Outcome.ERROR: "<error/>",
    Outcome.SKIPPED: "<skipped/>",
    Outcome.XFAILED: '<skipped type="pytest.xfail"/>',
}
TAP_POINTS = {
    Outcome.PASSED: ("ok", ""),
    Outcome.FAILED: ("not ok", ""),
    Outcome.ERROR: ("not ok", ""),
    Outcome.SKIPPED: ("ok", " # SKIP"),
    Outcome.XFAILED: ("not ok", " # TODO"),
}
PIECES = (
    *(b"", b"\0", b"\xff", b"<testsuite>", b"<!DOCTYPE x>", b"<error/>", b"&#55296;", b"\n    "),
    *(b"\n  ---\n", b"\n1..1\n", b"    ok 1\n", b"not ok", b" # SKIP", b"}", b"Bail out!"),
    *(b"\nResult: PASS\n", b"t/a.t .. \n"),
)


def as_junit(cases: Sequence[TestCase]) -> bytes:
    lines = [
        f'<testcase classname="" name={quoteattr(case.id)}>{JUNIT_MARKS[case.outcome]}</testcase>'
        for case in cases
    ]
    return f'<testsuite tests="{len(cases)}">{"".join(lines)}</testsuite>'.encode()


def as_tap(cases: Sequence[TestCase], indent: str = "") -> bytes:
    lines = [f"{indent}1..{len(cases)}"]
    for number, case in enumerate(cases, start=1):
        word, directive = TAP_POINTS[case.outcome]
        title = case.id.replace("\\", "\\\\").replace("#", "\\#")
        lines.append(f"{indent}{word} {number} - {title}{directive}")
    return "".join(f"{line}\n" for line in lines).encode()


def without_errors(cases: Sequence[TestCase]) -> tuple[TestCase, ...]:
    """TAP knows no errors."""
    return tuple(
        case.replace(outcome=Outcome.FAILED) if case.outcome is Outcome.ERROR else case
        for case in cases
    )


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A report that was cut, or in which something was put in, taken out or doubled."""
    report = draw(st.sampled_from([as_junit, as_tap]))(draw(reported))
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(report))] * 2)))
        piece = draw(st.sampled_from(PIECES) | st.just(report[start:end] * 2))
        report = report[:start] + piece + report[end:]
    return report


tap_lines = st.lists(
    st.tuples(
        st.sampled_from(["", "    ", "        ", "  "]),
        st.sampled_from(["ok", "not ok 2 - a", "ok 1 - b {", "}", "1..1", "1..2", "---", "..."])
        | st.sampled_from(["# Subtest: a", "type: 'suite'", "t/a.t .. ", "Result: PASS", "noise"]),
    ).map("".join),
    max_size=12,
).map(lambda lines: "\n".join(lines).encode())


@pytest.mark.parametrize("parse", [junit.parse, tap.parse])
@given(report=st.binary(max_size=200) | mutated() | tap_lines)
def test_a_report_is_read_or_unreadable(parse: Parse, report: bytes) -> None:
    try:
        found = parse(report)
    except ReportUnreadable:
        return
    assert len({case.id for case in found}) == len(found)


@given(reported)
def test_junit_says_what_was_reported(cases: list[TestCase]) -> None:
    assert junit.parse(as_junit(cases)) == tuple(cases)


@given(reported)
def test_tap_says_what_was_reported(cases: list[TestCase]) -> None:
    assert tap.parse(as_tap(cases)) == without_errors(cases)


@given(reported.filter(bool), titles)
def test_tap_says_what_was_reported_of_subtests(cases: list[TestCase], group: str) -> None:
    point = TestCase(group, Outcome.PASSED)
    report = as_tap(cases, "    ") + as_tap([point])
    expected = [case.replace(id=f"{group} > {case.id}") for case in without_errors(cases)]

    assert tap.parse(report) == tuple(expected)


@given(reported, st.data())
def test_tap_that_was_cut_off_is_unreadable(cases: list[TestCase], data: st.DataObject) -> None:
    lines = as_tap(cases).splitlines(keepends=True)
    kept = data.draw(st.integers(0, len(lines) - 1))

    with pytest.raises(ReportUnreadable):
        tap.parse(b"".join(lines[:kept]))


@given(reported)
def test_no_failure_gets_lost_in_a_group(cases: list[TestCase]) -> None:
    report = as_tap(cases, "    ") + as_tap([TestCase("group", Outcome.FAILED)])

    assert any(case.outcome is Outcome.FAILED for case in tap.parse(report))


@given(reported)
def test_a_report_compared_with_itself_finds_nothing(cases: list[TestCase]) -> None:
    failing = sorted(c.id for c in cases if c.outcome in {Outcome.FAILED, Outcome.ERROR})
    nothing = Comparison(failing=tuple(failing), still_failing=tuple(failing))

    assert compare(cases, cases, {}) == nothing
    assert compare(cases, cases, {case.id: case.id for case in cases}) == nothing


sides = st.tuples(reported, reported, st.dictionaries(titles, titles, max_size=4))
few = st.sampled_from(["a", "b", "c", "a > b", "d.js", "e"])
crowded = st.lists(st.builds(TestCase, few, outcomes), unique_by=lambda case: case.id)
close_sides = st.tuples(crowded, crowded, st.dictionaries(few, few))


@given(sides | close_sides)
def test_every_test_of_the_base_is_accounted_for_once(
    given_sides: tuple[list[TestCase], list[TestCase], dict[str, str]],
) -> None:
    base, candidate, renamed = given_sides
    found = compare(base, candidate, renamed)
    now = dict(found.renamed)
    after = {case.id: case.outcome for case in candidate}
    kinds = (found.missing, found.newly_skipped, found.fixed, found.broken, found.still_failing)

    for case in base:
        places = sum(now.get(case.id, case.id) in kind for kind in kinds)
        outcome = after.get(now.get(case.id, case.id))
        unchanged = outcome is Outcome.PASSED and case.outcome is Outcome.PASSED
        assert places == 1 or (places == 0 and (unchanged or did_not_run(case)))
    assert set(found.broken) | set(found.still_failing) <= set(found.failing)
    assert set(found.appeared) == after.keys() - {now.get(case.id, case.id) for case in base}


def did_not_run(case: TestCase) -> bool:
    return case.outcome in {Outcome.SKIPPED, Outcome.XFAILED}


@given(st.dictionaries(few, few), st.dictionaries(few, few), st.lists(few), st.lists(few))
def test_renames_are_pairs_of_equal_bodies_whatever_the_order(
    old: dict[str, str], new: dict[str, str], vanished: list[str], appeared: list[str]
) -> None:
    pairs = follow_renames(vanished, appeared, old, new)

    assert len(set(pairs.values())) == len(pairs)
    # What no source has keeps its title.
    assert all(old.get(before) == new.get(after) for before, after in pairs.items())
    assert pairs == follow_renames(vanished[::-1], appeared[::-1], old, new)


@given(
    st.sampled_from(["test_a.py", "a.test.js", "a.test.tsx", "a.bats"]),
    st.lists(
        st.sampled_from(["def test_a():", "\n ", "it('a', () => {", "})", "@test 'a' {", "}", "\n"])
        | st.text(max_size=3)
    ),
)
@example("a.bats", ["e''{\U000c8a27"]).via("the grammar once crashed")
@example("a.bats", [" *\u02af{\U00093e72"]).via("the grammar once crashed")
def test_any_source_has_tests_or_none(path: str, pieces: list[str]) -> None:
    assert isinstance(read_bodies(path, "".join(pieces).encode(errors="surrogatepass")), dict)
