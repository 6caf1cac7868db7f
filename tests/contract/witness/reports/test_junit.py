"""JUnit XML: what runners write, and what is not believed."""

from pathlib import Path

import pytest

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.witness.reports import ReportUnreadable, junit
from tests.contract.witness.reports.runners import run_node, run_pytest
from tests.tables import for_each


def outcomes(report: str | bytes) -> dict[str, str]:
    data = report.encode() if isinstance(report, str) else report
    return {case.id: str(case.outcome) for case in junit.parse(data)}


def suite(*cases: str, attributes: str = "") -> str:
    return f"<testsuite {attributes}>{''.join(cases)}</testsuite>"


def problem(report: str | bytes) -> str:
    with pytest.raises(ReportUnreadable) as caught:
        junit.parse(report.encode() if isinstance(report, str) else report)
    return str(caught.value)


PYTEST_XUNIT1 = {
    "tests/test_broken.py": "error",
    "tests/test_a.py::test_passes": "passed",
    "tests/test_a.py::test_fails": "failed",
    "tests/test_a.py::test_breaks": "error",
    "tests/test_a.py::test_fails_untidily": "failed",
    "tests/test_a.py::test_is_untidy": "error",
    "tests/test_a.py::test_skipped": "skipped",
    "tests/test_a.py::test_expected": "xfailed",
    "tests/test_a.py::test_passes_against_expectation": "passed",
    "tests/test_a.py::test_values[a]": "passed",
    "tests/test_a.py::test_values[b::c]": "passed",
    "tests/test_a.py::test_values[d[e]]": "passed",
    "tests/test_a.py::test_values[x #2]": "passed",
    "tests/test_a.py::TestGroup::test_method": "passed",
    "tests/test_a.py::TestGroup::TestInner::test_method": "passed",
    "tests/test_a.py::Old::test_subtests": "passed",
}


def test_pytest_with_files_gives_its_own_node_ids(tmp_path: Path) -> None:
    assert outcomes(run_pytest(tmp_path, "xunit1")) == PYTEST_XUNIT1


def test_pytest_without_files_gives_dotted_ids(tmp_path: Path) -> None:
    found = outcomes(run_pytest(tmp_path, "xunit2"))

    assert list(found.values()) == list(PYTEST_XUNIT1.values())
    assert found.keys() > {
        "tests.test_broken",
        "tests.test_a::test_values[b::c]",
        "tests.test_a.TestGroup.TestInner::test_method",
    }


def test_the_first_line_of_a_failure_is_its_message(tmp_path: Path) -> None:
    messages = {case.id: case.message for case in junit.parse(run_pytest(tmp_path, "xunit1"))}

    assert messages["tests/test_a.py::test_fails"] == "AssertionError: one is not two"
    assert messages["tests/test_a.py::test_expected"] == "known"
    assert messages["tests/test_a.py::test_passes"] == ""


@pytest.mark.needs("node")
def test_node_gives_the_ids_of_its_tap(tmp_path: Path) -> None:
    assert outcomes(run_node(tmp_path, "junit")) == {
        "passes": "passed",
        "a # hash and a \\ slash": "passed",
        "fails": "failed",
        "skipped": "skipped",
        "todo": "xfailed",
        "todo that passes": "passed",
        "group > talks": "passed",
        "group > skipped": "skipped",
        "group > inner > talks": "passed",
        "group > inner > throws": "failed",
        "parent > child": "passed",
        "parent > child #2": "passed",
    }


def test_surefire() -> None:
    report = """<?xml version="1.0" encoding="UTF-8"?>
    <testsuite name="org.acme.CartTest" tests="4" errors="1" skipped="1" failures="1">
      <properties><property name="java.version" value="21"/></properties>
      <testcase name="adds" classname="org.acme.CartTest" time="0.1"/>
      <testcase name="removes" classname="org.acme.CartTest">
        <failure type="AssertionFailedError">
          expected: 1
          at org.acme</failure>
        <system-out><![CDATA[<failure/>]]></system-out>
      </testcase>
      <testcase name="pays" classname="org.acme.CartTest"><error message="no bank" /></testcase>
      <testcase name="waits" classname="org.acme.CartTest"><skipped/></testcase>
    </testsuite>"""

    assert outcomes(report) == {
        "org.acme.CartTest::adds": "passed",
        "org.acme.CartTest::removes": "failed",
        "org.acme.CartTest::pays": "error",
        "org.acme.CartTest::waits": "skipped",
    }
    assert [case.message for case in junit.parse(report.encode())][1:3] == [
        "expected: 1",
        "no bank",
    ]


def test_jest_junit() -> None:
    report = """<testsuites name="jest tests" tests="2" failures="1" errors="0" time="1.2">
      <testsuite name="cart" errors="0" failures="1" skipped="0" tests="2">
        <testcase classname="cart adds" name="cart adds" time="0"></testcase>
        <testcase classname="cart pays" name="cart pays"><failure>Error: no</failure></testcase>
      </testsuite></testsuites>"""

    assert outcomes(report) == {"cart adds": "passed", "cart pays": "failed"}


def test_go_junit_report() -> None:
    report = """<testsuites tests="3" failures="1">
      <testsuite name="acme/cart" tests="3" failures="1" errors="0" id="0" time="0.1">
        <properties><property name="go.version" value="1.22"></property></properties>
        <testcase name="TestAdd" classname="acme/cart"></testcase>
        <testcase name="TestAdd/empty" classname="acme/cart"></testcase>
        <testcase name="TestPay" classname="acme/cart"><failure message="Failed">x</failure>
        </testcase>
      </testsuite></testsuites>"""

    assert outcomes(report) == {
        "acme/cart::TestAdd": "passed",
        "acme/cart::TestAdd/empty": "passed",
        "acme/cart::TestPay": "failed",
    }


def test_gtest_says_in_attributes_what_did_not_run() -> None:
    report = """<testsuites tests="3" failures="1" disabled="1" errors="0" name="AllTests">
      <testsuite name="Cart" tests="3" failures="1" disabled="1" skipped="0" errors="0">
        <testcase name="Adds" file="cart_test.cc" line="3" status="run" result="completed"
                  classname="Cart"/>
        <testcase name="Pays" file="/build/cart_test.cc" status="run" result="completed"
                  classname="Cart"><failure message="cart_test.cc:9&#x0A;no" type=""/></testcase>
        <testcase name="DISABLED_Waits" status="notrun" result="suppressed" classname="Cart"/>
      </testsuite></testsuites>"""

    assert outcomes(report) == {
        "cart_test.cc::Cart::Adds": "passed",
        "Cart::Pays": "failed",
        "Cart::DISABLED_Waits": "skipped",
    }


def test_the_same_id_twice_is_numbered() -> None:
    case = '<testcase classname="A" name="x"/>'

    assert list(outcomes(suite(case, case, case))) == ["A::x", "A::x #2", "A::x #3"]


def test_a_suite_that_breaks_by_itself_is_an_error() -> None:
    report = suite('<error message="no set-up"/>', '<testcase name="a"/>', attributes='name="s"')

    assert outcomes(report) == {"s": "error", "s > a": "passed"}


def test_a_failure_counts_more_than_a_skip() -> None:
    both = '<testcase classname="" name="a"><skipped/><failure message="no"/></testcase>'

    assert junit.parse(suite(both).encode())[0].outcome is Outcome.FAILED


def test_a_suite_without_tests_has_none() -> None:
    assert junit.parse(b"<testsuites/>") == ()


def test_a_message_is_cut() -> None:
    report = suite(f'<testcase name="a"><failure message="{"m" * 500}"/></testcase>')

    assert junit.parse(report.encode())[0].message == "m" * 200


@for_each(
    ("report", "expected"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("tests passed", "not well-formed XML: syntax error: line 1"),
        ("<testsuite><testcase name='a'/>", "not well-formed XML: no element found: line 1"),
        ("<html></html>", "line 1: not a JUnit report: it starts with <html>"),
        ("<testsuite/><testsuite/>", "junk after document element"),
        ("<testsuite>\n<testcase/></testsuite>", "line 2: a <testcase> without a name"),
        (suite("<p><testcase name='a'/></p>"), "a <testcase> inside a <p>"),
        (suite("<testcase name='a'><testcase name='b'/></testcase>"), "inside a <testcase>"),
        (
            suite("<testcase name='a'/>", attributes="tests='5' name='s'"),
            "counts 5 tests, but shows 1",
        ),
        (suite("<testcase name='a'/>", attributes="tests='0'"), "counts 0 tests, but shows 1"),
        (suite(attributes="tests='many'"), "counts 'many' tests"),
        (
            suite("<testcase name='a'/>", attributes="failures='1'"),
            "counts 1 failures, but shows 0",
        ),
        (f"<testsuites tests='2'>{suite()}</testsuites>", "counts 2 tests, but shows 0"),
        (suite("<testcase name='a'/>", attributes="tests='5' name='pytest'"), "shows 1"),
        ("<?xml version='1.0' encoding='zip'?><testsuite/>", "encoding"),
        ("<testsuite>" * 101 + "</testsuite>" * 101, "nested deeper than 100"),
        ("<!DOCTYPE testsuite><testsuite/>", "line 1: a DOCTYPE"),
    ],
)
def test_what_cannot_be_believed_is_unreadable(report: str, expected: str) -> None:
    assert expected in problem(report)


def test_entities_are_refused_before_they_are_expanded() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
    bomb = f'<!DOCTYPE t [<!ENTITY e0 "ha">{levels}]><testsuite name="&e29;"/>'

    assert "DOCTYPE" in problem(bomb)


def test_a_report_that_is_too_big_is_not_read() -> None:
    assert "at most 67108864" in problem(b" " * (64 * 1024 * 1024) + b"<testsuite/>")


def test_names_that_multiply_are_refused() -> None:
    cases = "<testcase name='a'/>" * 1000

    assert "too long to be kept" in problem(suite(cases, attributes=f"name='{'x' * 1_000_000}'"))


def test_a_report_in_another_encoding_is_read() -> None:
    report = (
        "<?xml version='1.0' encoding='iso-8859-1'?><testsuite><testcase name='ä'/></testsuite>"
    )

    assert list(outcomes(report.encode("latin-1"))) == ["ä"]


def test_whole_paths_below_the_root_are_cut() -> None:
    report = suite(
        '<testcase classname="test" name="/place/1/a.test.js"/>',
        '<testcase classname="a" name="x" file="/place/1/a.py"/>',
        '<testcase classname="a" name="y" file="/usr/lib/a.py"/>',
    )

    assert [case.id for case in junit.parse(report.encode(), root="/place/1")] == [
        *("a.test.js", "a.py::x", "a::y")
    ]
