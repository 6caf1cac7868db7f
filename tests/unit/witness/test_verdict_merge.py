"""One verdict from both sides: every rule, on reports as runners give them."""

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Level
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.system.output import Stream
from goalkeeper.system.run import Exited
from goalkeeper.tamper.identity import SourceIndex
from goalkeeper.witness.check_context import CheckResult, ProgramRun
from goalkeeper.witness.verdict_merge import (
    TreeResults,
    align_results,
    find_idle_tests,
    find_lost_tests,
    find_new_tests,
    find_unreported,
    merge_verdict,
)
from tests.tables import for_each

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
LETTERS = {
    "p": Outcome.PASSED,
    "f": Outcome.FAILED,
    "e": Outcome.ERROR,
    "s": Outcome.SKIPPED,
    "x": Outcome.XFAILED,
}
FILE = "tests/test_a.py"


def cases(report: str) -> tuple[TestCase, ...]:
    """From "a:p b:f": test a passed, b failed."""
    pairs = [entry.rsplit(":", 1) for entry in report.split()]
    return tuple(TestCase(f"{FILE}::{name}", LETTERS[outcome]) for name, outcome in pairs)


def seen(report: str, verdict: Verdict | None = None) -> CheckResult:
    found = cases(report)
    bad = any(case.outcome in {Outcome.FAILED, Outcome.ERROR} for case in found)
    fallback = U if not found else F if bad else P
    return CheckResult(verdict or fallback, f"it {report or 'told nothing'}", None, found)


def criterion(
    *, guard: bool = False, min_tests: int = 1, held_out: tuple[str, ...] = (), kind: str = "pytest"
) -> Criterion:
    check = Check(kind, {kind: ("tests",), "min_tests": min_tests})
    return Criterion("C1", "", check, guard=guard, held_out=held_out)


def sides(
    guarded: str,
    *,
    base: str = "",
    own: str | None = None,
    on_base: str | None = None,
    same: bool = False,
) -> TreeResults:
    return TreeResults(
        seen(guarded),
        None if own is None else seen(own),
        cases(base),
        None if on_base is None else seen(on_base),
        same,
    )


NOTHING = Stream(b"", b"", 0, "")
BROKEN_DOWN = CheckResult(U, "no report", ProgramRun(("make",), Exited(2, NOTHING, NOTHING, 0.1)))

TABLE = {
    "honest work": (sides("a:p b:p", base="a:f b:p"), P, ""),
    "no work": (sides("a:f b:p", base="a:f b:p"), F, "it a:f b:p"),
    "it breaks something": (sides("a:p b:f", base="a:f b:p"), F, "it a:p b:f"),
    "nothing is known": (sides("", base="a:f"), U, "it told nothing"),
    "base's tests fail, its own pass": (
        sides("a:f", base="a:f", own="a:p"),
        F,
        "it a:f (with base's tests and harness, which the change does not replace)",
    ),
    "both fail": (sides("a:f", base="a:f", own="a:f"), F, "it a:f"),
    "its own tests fail": (
        sides("a:p", base="a:f", own="a:p b:f"), F, "it a:p b:f (with its own tests)",
    ),
    "its own tests cannot be run": (
        sides("a:p", base="a:f", own=""), U, "it told nothing (with its own tests)",
    ),
    "tests added, all hold": (sides("a:p", base="a:f", own="a:p b:p"), P, ""),
    "every test passed before": (
        sides("a:p b:p", base="a:p b:p"), F, "every test that passes also passes on the base",
    ),
    "new tests fail on base": (sides("a:p", base="", own="a:p", on_base="a:f"), P, ""),
    "new tests break on base": (sides("a:p", base="", own="a:p", on_base="a:e"), P, ""),
    "new tests cannot be run on base": (
        sides("a:p", base="", own="a:p", on_base=""), U, "could not be tried on the base's code",
    ),
    "the suite breaks down on base": (
        sides("a:p", base="", own="a:p").replace(on_base=BROKEN_DOWN), P, "",
    ),
    "new tests pass on base": (sides("a:p", base="", own="a:p", on_base="a:p"), F, "prove nothing"),
    "one new test tells": (sides("a:p b:p", base="", on_base="a:p b:f"), P, ""),
    "a skipped test runs now": (sides("a:p", base="a:s"), P, ""),
}  # fmt: skip


@for_each("name", TABLE)
def test_the_worst_side_counts(name: str) -> None:
    given, verdict, reason = TABLE[name]

    told = merge_verdict(criterion(), given)

    assert told.verdict is verdict, told
    assert reason in told.reason


GUARDS = {
    "green stays green": (sides("a:p b:p", base="a:p b:p"), P, ""),
    "old failures are forgiven": (
        sides("a:f b:p", base="a:f b:p"), P, "1 tests hold; 1 failed before the goal began",
    ),
    "an old failure that fails otherwise": (sides("a:e b:p", base="a:f b:p"), P, "failed before"),
    "one of the old failures is mended": (sides("a:p b:f", base="a:f b:f"), P, "failed before"),
    "something breaks beside the old failure": (
        sides("a:f b:f", base="a:f b:p"), F, "1 of 2 tests fail that did not before",
    ),
    "nothing passes, and nothing did": (sides("a:f", base="a:f"), F, "no test passes"),
    "a test is gone beside the old failure": (sides("a:f", base="a:f b:p"), F, ""),
    "a test is skipped beside the old failure": (sides("a:f b:s", base="a:f b:p"), F, ""),
    "a new test fails": (sides("a:p c:f", base="a:p"), F, ""),
    "a new test fails beside the old failure": (sides("a:f c:f", base="a:f"), F, ""),
    "nothing is known of base": (sides("a:f", base=""), F, ""),
    "nothing is known": (sides("", base="a:f"), U, ""),
    "old failures on both sides": (sides("a:f b:p", base="a:f b:p", own="a:f b:p c:p"), P, ""),
    "its own tests break": (sides("a:f b:p", base="a:f b:p", own="a:f b:f"), F, "its own tests"),
    "its own new test fails": (sides("b:p", base="b:p", own="b:p c:f"), F, "its own tests"),
}  # fmt: skip


@for_each("name", GUARDS)
def test_a_guard_forgives_what_failed_before_and_nothing_else(name: str) -> None:
    given, verdict, reason = GUARDS[name]

    told = merge_verdict(criterion(guard=True), given)

    assert told.verdict is verdict, told
    assert reason in told.reason


SKIPS = {
    "the base skips it, too": (sides("a:p b:s", base="a:f b:s"), P, P),
    "the base expects it to fail": (sides("a:p b:x", base="a:f b:x"), P, P),
    "it ran on the base": (sides("a:p b:s", base="a:f b:p"), F, F),
    "it is skipped by its own tests alone": (sides("a:p b:p", base="a:f b:p", own="a:p b:s"), F, F),
    "it is new": (sides("a:p", base="a:f", own="a:p b:s"), F, P),
    "its class was skipped": (sides("a:p K::b:s", base="a:f K:s"), P, P),
    "all that were skipped run now": (sides("a:p b:p", base="a:s b:s"), P, P),
    "one of those that were skipped runs now": (sides("a:p b:s", base="a:s b:s"), F, P),
    "the base itself skips some": (sides("a:p b:s", base="a:p b:s", same=True), F, P),
}  # fmt: skip


@for_each("name", SKIPS)
def test_a_skip_that_the_base_has_is_no_news(name: str) -> None:
    given, verdict, of_guard = SKIPS[name]
    one_more = Check("pytest", {"pytest": ("tests",), "min_tests": 1, "max_skips": 1})

    told = merge_verdict(criterion(), given)

    assert told.verdict is verdict, told
    assert verdict is P or "tests are skipped, at most 0 may be" in told.reason
    assert merge_verdict(criterion(guard=True), given).verdict is of_guard
    assert merge_verdict(criterion().replace(check=one_more), given).verdict is P


def test_skips_of_held_out_tests_all_count() -> None:
    hidden = criterion(held_out=("/x",), guard=True)

    assert merge_verdict(hidden, sides("a:p b:s", base="a:p b:s")).verdict is F


def test_a_test_whose_id_carries_a_time_is_the_same_test_on_every_tree() -> None:
    def told(*names: str) -> CheckResult:
        tests = tuple(TestCase(f"{FILE}::{name}", Outcome.PASSED) for name in names)
        return CheckResult(P, "", None, tests)

    given = align_results(
        told("a (1ms)", "new"), told("a (2ms)", "new at 0x7f0000a1"), told("a (3ms)").cases,
        told("a (4ms)", "new at 0x7f0000b2"),
    )  # fmt: skip

    assert findings(given.replace(guarded=given.candidate)) == [
        ("test-proves-nothing", Level.ADVISORY, "new")
    ]
    assert {case.id for case in given.guarded.cases} == {f"{FILE}::a (3ms)", f"{FILE}::new"}


def test_a_criterion_that_is_no_guard_forgives_nothing() -> None:
    assert merge_verdict(criterion(), sides("a:f b:p", base="a:f b:f")).verdict is F


@for_each(("least", "verdict"), [(2, P), (3, F)])
def test_tests_that_prove_nothing_do_not_count_towards_the_floor(
    least: int, verdict: Verdict
) -> None:
    given = sides("a:p b:p c:p", base="a:f", on_base="a:f b:f c:p")

    told = merge_verdict(criterion(min_tests=least), given)

    assert told.verdict is verdict
    assert verdict is P or told.reason == (
        "1 tests pass on the base's code and prove nothing; 2 are left, 3 are needed"
    )


def test_old_tests_that_always_passed_count_towards_the_floor() -> None:
    assert merge_verdict(criterion(min_tests=2), sides("a:p b:p", base="a:f b:p")).verdict is P


@for_each(
    "exempt",
    [
        (criterion(), sides("a:p", base="a:p", same=True)),
        (criterion(held_out=("/x",)), sides("a:p", base="a:p")),
        (criterion(kind="command"), sides("", base="").replace(guarded=seen("", P))),
    ],
)
def test_what_cannot_be_compared_is_taken_as_it_is(exempt: tuple[Criterion, TreeResults]) -> None:
    assert merge_verdict(*exempt).verdict is P


def test_a_test_that_stands_in_the_files_of_the_base_must_be_reported() -> None:
    index = SourceIndex(dict.fromkeys([f"{FILE}::a", f"{FILE}::b", f"{FILE}::c"], ""))
    found = sides("b[2]:p", base="a:f b[1]:p b[3]:p c:s d:p")

    lost = find_unreported(found, index)
    told = merge_verdict(criterion(), found.replace(unreported=lost))

    assert lost == (f"{FILE}::a",)
    assert told.verdict is F
    assert told.reason == f"the runner does not report 1 tests of the base: {FILE}::a"


def test_new_tests_are_those_that_base_does_not_have() -> None:
    given = sides("a:p b:p", base="a:p", own="a:p c:f", on_base="a:p b:p c:f")

    assert find_new_tests(given) == {f"{FILE}::b", f"{FILE}::c"}
    assert find_idle_tests(given) == {f"{FILE}::b"}
    assert find_idle_tests(given.replace(on_base=None)) == set()


def findings(
    given: TreeResults, *may_change: str, renamed: dict[str, str] | None = None
) -> list[tuple[str, Level, str]]:
    told = find_lost_tests(criterion(), given.replace(renamed=renamed or {}), may_change, {})
    assert all(finding.path == FILE and "C1: " in finding.message for finding in told)
    return [(f.rule, f.level, f.message.split("::")[1].split()[0]) for f in told]


@for_each(
    ("given", "expected"),
    [
        (sides("a:p b:p", base="a:f b:p", own="a:p"), [("test-vanished", "b")]),
        (sides("a:p", base="a:f b:p"), [("test-vanished", "b")]),
        (sides("a:p b:p", base="a:f b:p", own="a:p b:s"), [("test-skipped-now", "b")]),
        (sides("a:p b:p", base="a:f b:p", own="a:p b:x"), [("test-skipped-now", "b")]),
        (sides("a:p", base="a:f", own="a:s"), [("test-skipped-now", "a")]),
        (sides("a:p", base="a:s", own="a:s"), []),
        (sides("a:p b:p", base="a:f b:p", own="a:p b:p c:p"), []),
        (sides("a:p", base=""), []),
        (sides("a:p", base="a:p", own=""), []),
    ],
)
def test_tests_that_are_gone_or_skipped_are_findings(
    given: TreeResults, expected: list[tuple[str, str]]
) -> None:
    assert findings(given) == [(rule, Level.ASKING, name) for rule, name in expected]


@for_each("free", [FILE, "tests/**", f"{FILE}::b", "tests"])
def test_what_the_contract_frees_is_only_shown(free: str) -> None:
    gone = sides("a:p b:p", base="a:f b:p", own="a:p")

    assert findings(gone, free) == [("test-vanished", Level.ADVISORY, "b")]
    assert findings(gone, "src/**", f"{FILE}::a") == [("test-vanished", Level.ASKING, "b")]


def test_a_test_in_the_top_folder_can_be_freed_by_its_file() -> None:
    base = (TestCase("test_top.py::a", Outcome.PASSED), TestCase("test_top.py::b", Outcome.PASSED))
    given = TreeResults(CheckResult(P, "", None, base), CheckResult(P, "", None, base[:1]), base)

    (free,) = find_lost_tests(criterion(), given, ("test_top.py",), {})
    (blocking,) = find_lost_tests(criterion(), given, (), {})

    assert (free.level, free.path) == (Level.ADVISORY, "test_top.py")
    assert (blocking.level, blocking.path) == (Level.ASKING, "test_top.py")


def test_a_test_that_lies_where_the_check_does_not_look_is_only_shown() -> None:
    gone = sides("a:p b:p", base="a:f b:p", own="a:p").replace(moved={f"{FILE}::b": "t/new.py"})

    (found,) = find_lost_tests(criterion(), gone, (), {})

    assert (found.rule, found.level) == ("test-vanished", Level.ADVISORY)
    assert "moved to t/new.py, which this check does not run" in found.message


def test_names_of_classes_are_not_taken_for_files() -> None:
    base = (TestCase("org.example.AppTest::a", Outcome.PASSED),
            TestCase("org.example.AppTest::b", Outcome.PASSED))  # fmt: skip
    given = TreeResults(CheckResult(P, "", None, base), CheckResult(P, "", None, base[:1]), base)

    (found,) = find_lost_tests(criterion(kind="junit"), given, (), {})

    assert (found.rule, found.path, found.level) == ("test-vanished", "", Level.ASKING)


def test_a_renamed_test_is_not_gone() -> None:
    given = sides("a:p b:p", base="a:f b:p", own="a:p c:p")
    renamed = {f"{FILE}::b": f"{FILE}::c"}

    assert findings(given, renamed=renamed) == []
    skipped = given.replace(candidate=seen("a:p c:s"))
    assert findings(skipped, renamed=renamed) == [("test-skipped-now", Level.ASKING, "c")]


def test_tests_that_prove_nothing_are_shown() -> None:
    given = sides("a:p", base="a:f", own="a:p b:p c:p", on_base="a:f b:p c:f")

    assert findings(given) == [("test-proves-nothing", Level.ADVISORY, "b")]
