"""`pytest`, `junit` and `tap`: test suites, judged by the result of every test."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.system.run import Exited
from goalkeeper.witness.check_context import (
    Call,
    Ended,
    Place,
    Seen,
    exited,
    failed,
    passed,
    some,
    unknown,
)
from goalkeeper.witness.checks import decoys
from goalkeeper.witness.checks.programs import last_line
from goalkeeper.witness.reports import ReportUnreadable
from goalkeeper.witness.reports import junit as junit_xml
from goalkeeper.witness.reports import tap as tap_lines

_REPORT = ".goalkeeper-report.xml"
_REPORT_BYTES = 64 << 20
_BAD = (Outcome.FAILED, Outcome.ERROR)
_SKIPS = (Outcome.SKIPPED, Outcome.XFAILED)


def pytest(check: Check, place: Place) -> Seen:
    """pytest writes a report that names files, uses no cache, and gets a decoy."""
    name = f"test_{token_hex(4)}"
    options = ("-p", "no:cacheprovider", "-p", f"plugin_{name}", "-o", "junit_family=xunit1")
    given = (*check.options["args"], "--maxfail=0", f"--junitxml={_REPORT}", "--", *check.main)
    call = Call(
        ("python3", "-m", "pytest", "-q", *options, *given),
        check.options,
        outputs=(f"{check.options['cwd'] or '.'}/{_REPORT}",),
        decoy=decoys.for_pytest(f"plugin_{name}", name),
    )
    ended = place.run(call)
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    if b"No module named pytest" in ran.err.head:
        return unknown("python3 has no pytest; see [witness] setup in config.toml", ended)
    return _judge_xml(check, ended, ran, name)


def junit(check: Check, place: Place) -> Seen:
    ended = place.run(
        Call(check.main, check.options, outputs=(check.options["report"],), decoy=decoys.for_node())
    )
    ran = exited(ended)
    return ran if isinstance(ran, Seen) else _judge_xml(check, ended, ran)


def tap(check: Check, place: Place) -> Seen:
    ended = place.run(
        Call(check.main, check.options, keep_bytes=_REPORT_BYTES, decoy=decoys.for_node())
    )
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    return _judge(check, ended, ran, lambda: tap_lines.parse(ran.out.whole or b"", root=ended.root))


def _judge_xml(check: Check, ended: Ended, ran: Exited, decoy: str = "") -> Seen:
    report = ended.outputs[0] or b""
    return _judge(check, ended, ran, lambda: junit_xml.parse(report, root=ended.root), decoy)


def _judge(
    check: Check,
    ended: Ended,
    ran: Exited,
    report: Callable[[], tuple[TestCase, ...]],
    decoy: str = "",
) -> Seen:
    try:
        cases = report()
    except ReportUnreadable as exc:
        said = last_line(ran.err, ran.out)
        return unknown(f"no readable report (exit {ran.code}): {exc}{said}", ended)
    real = tuple(case for case in cases if not decoy or decoy not in case.id)
    seen = judged(check, ended, ran.code, real)
    if decoy and seen.verdict is Verdict.PASSED:
        return _unless_fooled(seen, [case.outcome for case in cases if decoy in case.id])
    return seen


def _unless_fooled(seen: Seen, decoys: list[Outcome]) -> Seen:
    """The result counts only if the runner reports the decoy, which cannot pass, as failed."""
    if not decoys:
        return unknown("the runner left out a test that was added to test it", seen.ended)
    if not set(decoys) <= set(_BAD):
        return failed("the runner reports a test as passed that cannot pass", seen.ended)
    return seen


def judged(check: Check, ended: Ended, code: int, cases: tuple[TestCase, ...]) -> Seen:
    """A suite passes if enough tests ran, all passed, and the runner exits with 0."""
    bad = [case for case in cases if case.outcome in _BAD]
    skips = [case for case in cases if case.outcome in _SKIPS]
    good = len(cases) - len(bad) - len(skips)
    if bad:
        return failed(f"{len(bad)} of {len(cases)} tests fail: {_names(bad)}", ended, cases)
    if not cases:
        return unknown("no tests were collected", ended)
    if len(skips) > check.options["max_skips"]:
        most = check.options["max_skips"]
        said = f"{len(skips)} tests are skipped, at most {most} may be: {_names(skips)}"
        return failed(said, ended, cases)
    if good < check.options["min_tests"]:
        least = check.options["min_tests"]
        return failed(f"{good} tests passed, at least {least} must", ended, cases)
    if code != 0:
        return failed(f"all {good} tests passed, but the runner exits {code}", ended, cases)
    return passed(f"{good} tests passed", ended, cases)


def _names(cases: list[TestCase]) -> str:
    return some(sorted(case.id for case in cases))
