"""`pytest`, `junit` and `tap`: test suites, judged by the result of every test."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.system.run import Exited
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    ProgramCall,
    ProgramRun,
    list_some,
    make_failed,
    make_passed,
    make_unknown,
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


def check_pytest(check: Check, place: CheckContext) -> CheckResult:
    """pytest writes a report that names files, uses no cache, and gets a decoy."""
    name = f"test_{token_hex(4)}"
    options = ("-p", "no:cacheprovider", "-p", f"plugin_{name}", "-o", "junit_family=xunit1")
    given = (
        *check.options["args"],
        "--maxfail=0",
        f"--junitxml={_REPORT}",
        "--",
        *check.main_option,
    )
    call = ProgramCall(
        ("python3", "-m", "pytest", "-q", *options, *given),
        check.options,
        outputs=(f"{check.options['cwd'] or '.'}/{_REPORT}",),
        decoy=decoys.for_pytest(f"plugin_{name}", name),
    )
    ended = place.run_program(call)
    ran = ended.require_exit()
    if b"No module named pytest" in ran.err.head:
        return make_unknown("python3 has no pytest; see [witness] setup in config.toml", ended)
    return _judge_xml(check, ended, ran, name)


def check_junit(check: Check, place: CheckContext) -> CheckResult:
    ended = place.run_program(
        ProgramCall(
            check.main_option,
            check.options,
            outputs=(check.options["report"],),
            decoy=decoys.for_node(),
        )
    )
    return _judge_xml(check, ended, ended.require_exit())


def check_tap(check: Check, place: CheckContext) -> CheckResult:
    ended = place.run_program(
        ProgramCall(
            check.main_option, check.options, keep_bytes=_REPORT_BYTES, decoy=decoys.for_node()
        )
    )
    ran = ended.require_exit()
    return _judge_report(
        check, ended, ran, lambda: tap_lines.parse(ran.out.whole or b"", root=ended.root)
    )


def _judge_xml(check: Check, ended: ProgramRun, ran: Exited, decoy: str = "") -> CheckResult:
    report = ended.outputs[0] or b""
    return _judge_report(check, ended, ran, lambda: junit_xml.parse(report, root=ended.root), decoy)


def _judge_report(
    check: Check,
    ended: ProgramRun,
    ran: Exited,
    report: Callable[[], tuple[TestCase, ...]],
    decoy: str = "",
) -> CheckResult:
    try:
        cases = report()
    except ReportUnreadable as exc:
        said = last_line(ran.err, ran.out)
        return make_unknown(f"no readable report (exit {ran.code}): {exc}{said}", ended)
    real = tuple(case for case in cases if not decoy or decoy not in case.id)
    seen = judge_cases(check, ended, ran.code, real)
    if decoy and seen.verdict is Verdict.PASSED:
        return _check_decoy(seen, [case.outcome for case in cases if decoy in case.id])
    return seen


def _check_decoy(seen: CheckResult, decoys: list[Outcome]) -> CheckResult:
    """The result counts only if the runner reports the decoy, which cannot pass, as failed."""
    if not decoys:
        return make_unknown("the runner left out a test that was added to test it", seen.ended)
    if not set(decoys) <= set(_BAD):
        return make_failed("the runner reports a test as passed that cannot pass", seen.ended)
    return seen


def judge_cases(
    check: Check, ended: ProgramRun, code: int, cases: tuple[TestCase, ...]
) -> CheckResult:
    """A suite passes if enough tests ran, all passed, and the runner exits with 0."""
    bad = [case for case in cases if case.outcome in _BAD]
    skips = [case for case in cases if case.outcome in _SKIPS]
    good = len(cases) - len(bad) - len(skips)
    if bad:
        return make_failed(
            f"{len(bad)} of {len(cases)} tests fail: {_name_cases(bad)}", ended, cases
        )
    if not cases:
        return make_unknown("no tests were collected", ended)
    if len(skips) > check.options["max_skips"]:
        most = check.options["max_skips"]
        said = f"{len(skips)} tests are skipped, at most {most} may be: {_name_cases(skips)}"
        return make_failed(said, ended, cases)
    if good < check.options["min_tests"]:
        least = check.options["min_tests"]
        return make_failed(f"{good} tests passed, at least {least} must", ended, cases)
    if code != 0:
        return make_failed(f"all {good} tests passed, but the runner exits {code}", ended, cases)
    return make_passed(f"{good} tests passed", ended, cases)


def _name_cases(cases: list[TestCase]) -> str:
    return list_some(sorted(case.id for case in cases))
