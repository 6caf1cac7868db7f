"""The results of one criterion on several trees become one verdict.

- The base's tests and harness on the candidate's code decide.
- The candidate's own tests must pass on its own code, and none of the base's may be missing.
- Tests that the worker wrote count only if they fail on the base's code.
- A test that is skipped, and was on the base, is no news.
- Where the contract says that tests come with the work, changed ones count as new ones do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goalkeeper.core.contract.check_kinds import TEST_KINDS
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Criterion
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.core.contract.globs import is_match
from goalkeeper.core.contract.protected import is_test
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.core.contract.test_ids import align_cases
from goalkeeper.system.run import Exited
from goalkeeper.tamper.identity import NOT_RUN, Comparison, SourceIndex, compare
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.check_context import (
    CheckResult,
    list_some,
    make_failed,
    make_passed,
    make_unknown,
)
from goalkeeper.witness.coming_tests import ComingTests

_WITHIN = late_pattern(r"::| > |\.")  # what parts a test in an id from the file or group around it
_IDLE = "is new and passes on the base's code, too"


class TreeResults(Value):
    """The results of one criterion on each tree that it ran on."""

    guarded: CheckResult  # its result on the candidate with base's tests and harness
    candidate: CheckResult | None = None  # its result on the candidate as it is, if that differs
    base: tuple[TestCase, ...] = ()  # the tests of the base on the base
    on_base: CheckResult | None = None  # the candidate's tests on the base's code
    same: bool = False  # the candidate is the base
    renamed: Mapping[str, str] = {}  # it maps a test of the base to its name now
    moved: Mapping[str, str] = {}  # and one that does not run to the file where it lies now
    absorbed: frozenset[str] = frozenset()  # and those that other tests stand for now
    unreported: tuple[str, ...] = ()  # tests of the base that should have run, and did not
    coming: ComingTests = ComingTests()  # they come with the work, where the contract says so

    @property
    def base_outcomes(self) -> dict[str, Outcome]:
        """Return the outcomes of the base's tests, under the names that they have now."""
        return {self.renamed.get(case.id, case.id): case.outcome for case in self.base}


def align_results(
    guarded: CheckResult,
    candidate: CheckResult | None,
    base: tuple[TestCase, ...],
    on_base: CheckResult | None,
) -> TreeResults:
    """Return the results with one id for each test, also where ids carry a time or a folder."""
    known = {case.id for case in base}

    def align(seen: CheckResult | None) -> CheckResult | None:
        if seen is None:
            return None
        aligned = seen.replace(cases=align_cases(seen.cases, known))
        known.update(case.id for case in aligned.cases)
        return aligned

    own = align(candidate)  # before the others: all tests that are new have their ids from it
    return TreeResults(align(guarded) or guarded, own, base, align(on_base))


def find_new_tests(sides: TreeResults) -> set[str]:
    """Return tests that the base did not have, under this or another name."""
    known = {case.id for case in sides.base} | set(sides.renamed.values())
    both = sides.guarded.cases + (sides.candidate.cases if sides.candidate else ())
    return {case.id for case in both} - known


def pair_by_place(sides: TreeResults, tests: Iterable[bytes]) -> dict[str, str]:
    """Return names that tests have now; what prints TAP by hand may put results into names.

    It is for tests that did not change: then the same place is the same test. A name that is
    written in their files has no result in it.
    """
    before, now = sides.base, sides.guarded.cases
    if len(before) != len(now):
        return {}
    names, known = {case.id for case in now}, {case.id for case in before}
    pairs = {
        old.id: new.id
        for old, new in zip(before, now, strict=True)
        if old.id not in names and new.id not in known
    }
    text = b"\n".join(tests) if pairs else b""
    return {old: new for old, new in pairs.items() if old.encode() not in text}


def find_unreported(sides: TreeResults, index: SourceIndex) -> tuple[str, ...]:
    """Return tests that ran on the base, stand in its files, and were not reported now.

    Parameters may come from the product, so one test of a function is enough.
    """
    reported = {case.id for case in sides.guarded.cases}
    ran = {(test.file, test.name) for test in index.find_all(sorted(reported))}
    gone = [
        case.id
        for case in sides.base
        if case.outcome not in NOT_RUN and case.id not in reported and case.id not in sides.renamed
    ]
    return tuple(t.id for t in index.find_all(gone) if (t.file, t.name) not in ran)


def merge_verdict(criterion: Criterion, sides: TreeResults) -> CheckResult:
    """Return one verdict: the worst of the results, without tests that prove nothing."""
    sides = _count_skips(criterion, sides)
    if criterion.new_tests and sides.same and sides.guarded.verdict is not Verdict.UNKNOWN:
        return make_failed("no new test yet", sides.guarded.ended, sides.guarded.cases)
    if criterion.new_tests and sides.candidate and not sides.base and not sides.guarded.cases:
        sides = sides.replace(guarded=sides.candidate, candidate=None)  # the base has no tests
    if sides.unreported and sides.guarded.verdict is Verdict.PASSED:
        which = f"{len(sides.unreported)} tests of the base: {list_some(sides.unreported)}"
        said = f"the runner does not report {which}"
        return make_failed(said, sides.guarded.ended, sides.guarded.cases)
    is_guard = criterion.guard or criterion.new_tests
    seen = _forgive_old_failures(sides) if is_guard else sides.guarded
    if seen.verdict is not Verdict.PASSED:
        own = sides.candidate and sides.candidate.verdict is Verdict.PASSED
        said = " (with base's tests and harness, which the change does not replace)" if own else ""
        return seen.replace(reason=seen.reason + said)
    if sides.candidate and sides.candidate.verdict is not Verdict.PASSED:
        other = _forgive_old_failures(sides.replace(guarded=sides.candidate, coming=ComingTests()))
        if not is_guard or other.verdict is not Verdict.PASSED:
            said = f"{sides.candidate.reason} (with its own tests)"
            return sides.candidate.replace(reason=said)
    if criterion.new_tests and not sides.same:
        return _require_coming_tests(criterion, sides, seen)
    has_tests = criterion.check.kind in TEST_KINDS and not criterion.held_out
    return _require_proving_tests(criterion, sides, seen) if has_tests and not sides.same else seen


def _count_skips(criterion: Criterion, sides: TreeResults) -> TreeResults:
    """Return the results; those that passed have failed if too many of their tests are skipped."""
    if criterion.check.kind not in TEST_KINDS:
        return sides
    own = sides.candidate and _refuse_skips(criterion, sides, sides.candidate)
    return sides.replace(guarded=_refuse_skips(criterion, sides, sides.guarded), candidate=own)


def _refuse_skips(criterion: Criterion, sides: TreeResults, seen: CheckResult) -> CheckResult:
    skips = [case.id for case in seen.cases if case.outcome in NOT_RUN]
    if seen is sides.candidate:  # what passes in its old form is asked about
        skips = [name for name in skips if name not in sides.coming.held]
    if criterion.held_out:  # nobody knows what the base skips
        return _limit_skips(criterion, skips, seen)
    if criterion.guard or criterion.new_tests:  # what the base did not run, a guard does not keep
        ran = {case.id for case in sides.base if case.outcome not in NOT_RUN}
        ran = {sides.renamed.get(name, name) for name in ran}
        skips = [name for name in skips if name in ran]
    elif not sides.same:
        skips = [name for name in skips if not _is_skipped_on_base(name, sides)]
    return _limit_skips(criterion, skips, seen)


def _limit_skips(criterion: Criterion, skips: Sequence[str], seen: CheckResult) -> CheckResult:
    most = criterion.check.options.get("max_skips", 0)
    if seen.verdict is not Verdict.PASSED or len(skips) <= most:
        return seen
    said = f"{len(skips)} tests are skipped, at most {most} may be: {list_some(sorted(skips))}"
    return make_failed(said, seen.ended, seen.cases)


def _is_skipped_on_base(name: str, sides: TreeResults) -> bool:
    """Return whether the base skips a test, or the file or group that it is in."""
    skipped = {
        sides.renamed.get(case.id, case.id) for case in sides.base if case.outcome in NOT_RUN
    }
    homes = [name[: found.start()] for found in _WITHIN.finditer(name)]
    return not skipped.isdisjoint([name, *homes])


def _forgive_old_failures(sides: TreeResults) -> CheckResult:
    """Return the result of a guard; tests that failed before the goal began do not count.

    Neither do old forms of tests that come with the work in another form.
    """
    seen = sides.guarded
    if seen.verdict is not Verdict.FAILED or not sides.base or not seen.cases:
        return seen
    compared = compare(sides.base, seen.cases, sides.renamed)
    outdated = _find_outdated(sides, compared)
    gone = [n for n in (*compared.missing, *compared.newly_skipped) if n not in outdated]
    new = set(compared.failing) - set(compared.still_failing) - outdated
    if outdated and not new and not gone:
        held = len(seen.cases) - len(compared.failing)
        said = f"{held} tests hold"
        return make_passed(said, seen.ended, seen.cases)
    if (compared.still_failing or outdated) and new and not gone:
        which = list_some(sorted(new))
        said = f"{len(new)} of {len(seen.cases)} tests fail that did not before: {which}"
        others = (compared.still_failing, "failed before"), (outdated, "come in another form")
        told = ", ".join(f"{len(names)} {what}" for names, what in others if names)
        return seen.replace(reason=f"{said} ({told})")
    if set(compared.broken) - outdated or gone or not compared.still_failing or new:
        return seen
    count = len(compared.still_failing)
    said = f"{len(seen.cases) - count} tests hold; {count} failed before the goal began"
    return make_passed(said, seen.ended, seen.cases)


def _find_outdated(sides: TreeResults, compared: Comparison) -> set[str]:
    """Find tests of the base that fail, or cannot be loaded, in a form that they no longer have.

    Of a file that cannot be loaded, tests count that come with the work, or whose bodies stayed
    as they were: these pass in the candidate's own file.
    """
    coming = sides.coming.all
    if not coming:
        return set()
    outdated = {n for n in compared.failing if n in coming or n in sides.coming.replaced}
    known = {case.id for case in sides.base} | set(sides.renamed.values())
    files = [name for name in compared.failing if name not in known]
    lost = {n: f for n in compared.missing for f in files if _WITHIN.match(n.removeprefix(f))}
    moved = {name: sides.renamed.get(name, name) for name in lost}
    kept = {n for n, now in moved.items() if now in coming or now in sides.coming.kept}
    stuck = {file for name, file in lost.items() if name not in kept}
    return outdated | kept | {file for file in files if file in lost.values()} - stuck


def _explain_untried(sides: TreeResults, seen: CheckResult) -> CheckResult | None:
    """Return what is unknown if the candidate's tests could not be tried on the base's code."""
    ran = sides.on_base.ran if sides.on_base else None
    broke = isinstance(ran, Exited) and ran.code != 0  # a suite may break on base's code
    if sides.on_base and sides.on_base.verdict is Verdict.UNKNOWN and not broke:
        said = f"its new tests could not be tried on the base's code: {sides.on_base.reason}"
        return make_unknown(said, seen.ended, outside=sides.on_base.outside)
    return None


def _require_coming_tests(
    criterion: Criterion, sides: TreeResults, seen: CheckResult
) -> CheckResult:
    untried = _explain_untried(sides, seen)
    if untried:
        return untried
    own = sides.candidate or sides.guarded
    found, least = sorted(sides.coming.all), criterion.check.options.get("min_tests", 1)
    if len(found) < least:
        said = f"{len(found)} tests come with the work and fail on the base's code"
        said = (
            f"{said}, at least {least} must"
            if found
            else "no new or changed test fails on the base's code"
        )
        return make_failed(said, own.ended, own.cases)
    said = f"it rests on {sides.coming.describe()}, red without the work: {list_some(found)}"
    return make_passed(f"{seen.reason}; {said}", own.ended, own.cases)


def _require_proving_tests(
    criterion: Criterion, sides: TreeResults, seen: CheckResult
) -> CheckResult:
    untried = _explain_untried(sides, seen)
    if untried:
        return untried
    before = sides.base_outcomes
    good = [case.id for case in seen.cases if case.outcome is Outcome.PASSED]
    idle = find_idle_tests(sides)
    solid = [name for name in good if name not in idle]
    telling = [name for name in solid if before.get(name) is not Outcome.PASSED]
    if not criterion.guard and not telling:
        said = "every test that passes also passes on the base's code: they prove nothing"
        return make_failed(said, seen.ended, seen.cases)
    if not criterion.guard and all(before.get(name) in NOT_RUN for name in telling):
        # Nothing else was wrong with the base, so the goal is that they run: all of them.
        skips = [case.id for case in seen.cases if case.outcome in NOT_RUN]
        seen = _limit_skips(criterion, skips, seen)
        if seen.verdict is not Verdict.PASSED:
            return seen
    least = criterion.check.options.get("min_tests", 0)
    if not good:
        return make_failed("no test passes, as on the base", seen.ended, seen.cases)
    if len(solid) < least:
        said = f"{len(good) - len(solid)} tests pass on the base's code and prove nothing"
        return make_failed(
            f"{said}; {len(solid)} are left, {least} are needed", seen.ended, seen.cases
        )
    return seen


def find_idle_tests(sides: TreeResults) -> set[str]:
    """Return new tests that also pass on the base's code."""
    if sides.on_base is None:
        return set()
    idle = {case.id for case in sides.on_base.cases if case.outcome is Outcome.PASSED}
    return idle & find_new_tests(sides)


def find_lost_tests(
    criterion: Criterion, sides: TreeResults, may_change: Sequence[str], homes: Mapping[str, str]
) -> tuple[Finding, ...]:
    """Return tests of the base that the candidate's own suite no longer runs.

    `homes` maps titles to files, for tests whose ids name no file.
    """
    own = sides.candidate or sides.guarded
    compared = compare(sides.base, own.cases, sides.renamed) if own.cases else Comparison()
    lost = [
        *(("test-vanished", n, _tell_where(sides, n)) for n in compared.missing),
        *(("test-skipped-now", name, "ran in base") for name in compared.newly_skipped),
        *(("test-proves-nothing", name, _IDLE) for name in sorted(find_idle_tests(sides))),
    ]
    found = []
    for rule, name, said in lost:
        file = _find_file(name, homes)
        is_free = said is _IDLE or name in may_change or is_match(file, may_change)
        is_free = is_free or (
            rule == "test-vanished" and (name in sides.moved or name in sides.absorbed)
        )
        is_free = is_free or name in sides.coming.replaced
        level = Level.ADVISORY if is_free else Level.ASKING
        found.append(Finding(rule, level, file, 0, f"{criterion.id}: {name} {said}"))
    return tuple(found)


def _tell_where(sides: TreeResults, test: str) -> str:
    if test in sides.absorbed:
        return "is gone; other tests stand for it"
    file = sides.moved.get(test)
    return f"moved to {file}, which this check does not run" if file else "is gone"


def _find_file(test: str, homes: Mapping[str, str]) -> str:
    """Return the file of a test; empty if neither its id nor its title shows it."""
    file, apart, _ = test.partition("::")
    return file if apart and ("/" in file or is_test(file)) else homes.get(test, "")
