"""Files that report: a word is none, and a test run that failed is no proof."""

from goalkeeper.witness.artifacts import judge_report
from tests.tables import for_each

PASSED = b'<testsuite><testcase classname="a" name="b"/></testsuite>'
FAILED = (
    b'<testsuite><testcase classname="a" name="b"/><testcase classname="a" name="c">'
    b'<failure message="no"/></testcase></testsuite>'
)
SKIPPED = b'<testsuite><testcase classname="a" name="b"><skipped/></testcase></testsuite>'


def told(data: bytes, kind: str) -> str:
    unfit = judge_report(data, kind)
    assert unfit is None or (unfit.message and unfit.mend)
    return unfit.code if unfit else ""


@for_each("kind", ["file", "failure-mode-test"])
@for_each(
    ("data", "code"),
    [
        (b"", "thin"),
        (b"x", "thin"),
        (b"ok\n", "thin"),
        (b"- " * 1000, "thin"),
        (b"\0" * 10_000, "thin"),
        (b"\xff" * 10_000, "thin"),
        (b"a" * 39, "thin"),
        (b"a" * 40, ""),
        ("Leere Eingabe, Größe 2 GB, falscher Zeichensatz: jeweils abgelehnt.".encode(), ""),
    ],
)
def test_a_report_says_something(kind: str, data: bytes, code: str) -> None:
    assert told(data, kind) == code


@for_each(
    ("data", "code"),
    [
        (PASSED, ""),
        (b"\n  " + PASSED, ""),
        (b"TAP version 13\n1..1\nok 1 - it works\n", ""),
        (FAILED, "failed"),
        (b"1..2\nok 1\nnot ok 2\n", "failed"),
        (SKIPPED, "no-tests"),
        (b"<testsuite/>", "no-tests"),
        (b"1..0 # skip nothing here\n", "no-tests"),
        (b"<testsuite>", "unreadable"),
        (b"<html></html>", "unreadable"),
        (b"All 12 tests passed, believe me, every single one of them.\n", "unreadable"),
        (b"", "unreadable"),
    ],
)
def test_a_test_report_is_one_of_a_runner_and_nothing_in_it_failed(data: bytes, code: str) -> None:
    assert told(data, "test-report") == code


def test_the_first_test_that_failed_is_named() -> None:
    unfit = judge_report(FAILED, "test-report")

    assert unfit is not None
    assert unfit.message.startswith("1 test(s) failed, such as ")
    assert "c" in unfit.message
