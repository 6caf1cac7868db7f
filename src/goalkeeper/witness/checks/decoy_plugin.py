"""A plugin for the project's own pytest. It adds one test at the end, which cannot pass.

If the runner reports that it passed, or does not report it, the code under test has changed the
runner, and its other reports prove nothing. People do not see the test, and it does not change
the exit code.

This file is copied beside a run under another name, so it may import nothing of ours.
"""
# ruff: noqa: S101, PT009, PT011, PT027  it asserts in every way that there is

from __future__ import annotations

import unittest
from collections.abc import Iterator

import pytest

NAME = "test_decoy"  # the copy has a random name, which the code under test cannot know


class _CannotPass(pytest.Item):
    def runtest(self) -> None:
        for must_fail in (
            _fail_equal,
            _fail_truth,
            _fail_approx,
            _fail_expected,
            lambda: unittest.TestCase().assertEqual(1, 2),
            lambda: unittest.TestCase().assertRaises(ValueError, int),
            lambda: pytest.fail("as it must"),
        ):
            try:
                must_fail()
            except BaseException:  # noqa: BLE001, S112  pytest's own are no Exception
                continue
            return
        raise AssertionError("as it must")

    def reportinfo(self) -> tuple[str, int, str]:
        return NAME + ".py", 0, NAME


def _fail_equal() -> None:
    assert [1] == [2]


def _fail_truth() -> None:
    assert not [1]


def _fail_approx() -> None:
    assert pytest.approx(2) == 1


def _fail_expected() -> None:
    with pytest.raises(ValueError):
        pass


def _is_ours(report: pytest.TestReport) -> bool:
    return report.nodeid.endswith(NAME)


class Plugin:
    def __init__(self) -> None:
        self.failures = 0

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> Iterator[None]:
        yield  # other plugins deselect and reorder before it is added
        items.append(_CannotPass.from_parent(session, name=NAME, nodeid=NAME + ".py::" + NAME))

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        return ("", "", "") if _is_ours(report) else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failures += _is_ours(report) and report.failed

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        yield
        session.testsfailed -= self.failures
        session.testscollected -= 1


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Plugin(), NAME)
