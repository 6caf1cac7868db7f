"""`pytest`, `junit` and `tap`: test suites, judged test by test."""

from __future__ import annotations

from collections.abc import Callable

from goalkeeper.core.checks import Check
from goalkeeper.core.tests import Outcome, TestCase
from goalkeeper.process import Exited
from goalkeeper.witness.checks.programs import last_line
from goalkeeper.witness.place import Ended, Place, Seen, exited, failed, passed, some, unknown
from goalkeeper.witness.reports import ReportUnreadable
from goalkeeper.witness.reports import junit as junit_xml
from goalkeeper.witness.reports import tap as tap_lines

_REPORT = ".goalkeeper-report.xml"
_REPORT_BYTES = 64 << 20
_BAD = (Outcome.FAILED, Outcome.ERROR)
_SKIPS = (Outcome.SKIPPED, Outcome.XFAILED)


def pytest(check: Check, place: Place) -> Seen:
    """With a report in the dialect that names files, and no plugin that reorders or caches."""
    options = ("-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={_REPORT}")
    argv = ("python3", "-m", "pytest", "-q", *options, *check.options["args"], "--", *check.main)
    report = f"{check.options['cwd'] or '.'}/{_REPORT}"
    ended = place.run(argv, options=check.options, outputs=(report,))
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    if b"No module named pytest" in ran.err.head:
        return unknown("python3 has no pytest; see [witness] setup in config.toml", ended)
    return _judge_xml(check, ended, ran)


def junit(check: Check, place: Place) -> Seen:
    ended = place.run(check.main, options=check.options, outputs=(check.options["report"],))
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    return _judge_xml(check, ended, ran)


def tap(check: Check, place: Place) -> Seen:
    ended = place.run(check.main, options=check.options, keep_bytes=_REPORT_BYTES)
    ran = exited(ended)
    if isinstance(ran, Seen):
        return ran
    return _judge(check, ended, ran, lambda: tap_lines.parse(ran.out.whole or b"", root=ended.root))


def _judge_xml(check: Check, ended: Ended, ran: Exited) -> Seen:
    report = ended.outputs[0] or b""
    return _judge(check, ended, ran, lambda: junit_xml.parse(report, root=ended.root))


def _judge(
    check: Check, ended: Ended, ran: Exited, report: Callable[[], tuple[TestCase, ...]]
) -> Seen:
    try:
        cases = report()
    except ReportUnreadable as exc:
        said = last_line(ran.err, ran.out)
        return unknown(f"no readable report (exit {ran.code}): {exc}{said}", ended)
    return judged(check, ended, ran.code, cases)


def judged(check: Check, ended: Ended, code: int, cases: tuple[TestCase, ...]) -> Seen:
    """A suite passes when enough tests ran, all passed, and the runner agrees."""
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
