"""`pytest`, `junit` and `tap`: test suites, judged by the result of every test."""

from __future__ import annotations

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.core.problems import cut_text
from goalkeeper.witness.check_context import (
    TMP,
    Cases,
    CheckContext,
    CheckResult,
    ProgramCall,
    ProgramRun,
    list_some,
    make_failed,
    make_result,
    make_unknown,
)
from goalkeeper.witness.checks.programs import last_line
from goalkeeper.witness.reports import ReportCutOff, ReportParser, ReportUnreadable, junit, tap
from goalkeeper.witness.reports.first_failure import find_first_failure, find_uncaught

_REPORT = f"{TMP}/results.xml"  # outside of the tree, and named like any other
_REPORT_BYTES = 64 << 20
_BAD = (Outcome.FAILED, Outcome.ERROR)


def check_pytest(check: Check, place: CheckContext) -> CheckResult:
    """Run pytest with a report that names files; one that does not load hides no other."""
    options = ("-o", "junit_family=xunit1", "--continue-on-collection-errors")
    given = (*check.options["args"], "--maxfail=0", f"--junitxml={_REPORT}", "--")
    call = ProgramCall(
        ("python3", "-m", "pytest", "-q", *options, *given, *check.main_option),
        check.options,
        outputs=(_REPORT,),
    )
    ended = place.run_program(call)
    if b"No module named pytest" in ended.require_exit().err.head:
        said = "python3 has no pytest; see [witness] setup in config.toml"
        return make_unknown(said, ended, outside=True)
    return _judge_report(check, ended, junit.parse, ended.outputs[0])


def check_junit(check: Check, place: CheckContext) -> CheckResult:
    argv, outputs = check.main_option, (check.options["report"],)
    ended = place.run_program(ProgramCall(argv, check.options, outputs=outputs))
    ended.require_exit()
    return _judge_report(check, ended, junit.parse, ended.outputs[0])


def check_tap(check: Check, place: CheckContext) -> CheckResult:
    argv, keep = check.main_option, _REPORT_BYTES
    ended = place.run_program(ProgramCall(argv, check.options, keep_bytes=keep))
    return _judge_report(check, ended, tap.parse, ended.require_exit().out.whole or b"")


def _judge_report(
    check: Check, ended: ProgramRun, parse: ReportParser, report: bytes
) -> CheckResult:
    ran = ended.require_exit()
    try:
        cases = parse(report, root=ended.root)
    except ReportUnreadable as exc:
        said = last_line(ran.err, ran.out)
        if ran.code and isinstance(exc, ReportCutOff):  # what it did not tell counts for nothing
            told = find_uncaught(ran.err.text) or find_first_failure(ran.out.text)
            cause = f": {cut_text(told, 200)}" if told else said
            return make_failed(f"the runner stopped before the end (exit {ran.code}){cause}", ended)
        return make_unknown(f"no readable report (exit {ran.code}): {exc}{said}", ended)
    return judge_cases(check, ended, ran.code, cases)


def judge_cases(check: Check, ended: ProgramRun, code: int, cases: Cases) -> CheckResult:
    """Judge a suite: it passes if enough tests ran, all passed, and the runner exits with 0.

    How many may be skipped depends on what the base skips, which one run does not tell.
    """
    bad = sorted(case.id for case in cases if case.outcome in _BAD)
    good = sum(case.outcome is Outcome.PASSED for case in cases)
    least = check.options["min_tests"]
    if not cases:
        return make_unknown("no tests were collected", ended)
    if bad:
        problem = f"{len(bad)} of {len(cases)} tests fail: {list_some(bad)}"
    elif good < least:
        problem = f"{good} tests passed, at least {least} must"
    else:
        problem = f"all {good} tests passed, but the runner exits {code}" if code else ""
    said = "1 test passed" if good == 1 else f"{good} tests passed"
    return make_result(problem, said, ended, cases)
