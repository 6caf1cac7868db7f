"""JUnit XML, in the dialects of pytest, surefire, jest-junit, go-junit-report, node and gtest.

How a test gets its id:

- with a `file` (pytest's xunit1): `tests/test_a.py::TestX::test_y[p]`; a file outside of the root
  is left out, because base and candidate are checked out in different folders;
- else with a `classname` (pytest's xunit2, surefire, go, gtest): `tests.test_a.TestX::test_y[p]`;
- without one, and from node, which calls every class "test": the names of the suites and of the
  test, as in node's TAP: `outer > inner > title`.

expat is used directly: it builds no tree, knows the line, and can refuse a DOCTYPE before anything
in it is expanded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from xml.parsers import expat

from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.reports import (
    MOST_DEPTH,
    ReportAllowance,
    ReportUnreadable,
    first_line,
    require_sane_size,
    strip_root,
    with_unique_ids,
)

_SUITES = frozenset({"testsuites", "testsuite"})
_BROKEN = frozenset({"failure", "error"})
_NOT_RUN = frozenset({"notrun", "suppressed", "disabled", "skipped"})  # gtest says it here
_NUMBER = late_pattern(r"[0-9]{1,9}")
_ABSOLUTE = late_pattern(r"/|[A-Za-z]:")
_MOST_TEXT = 2000  # characters of a failure without message attribute; its first line fits


def parse(data: bytes, *, root: str = "") -> tuple[TestCase, ...]:
    """Return the tests in a report; some runners write paths below `root`, where they ran."""
    require_sane_size(data)
    reader = _JUnitReader(root)
    try:
        reader.parser.Parse(data, True)  # noqa: FBT003  pyexpat takes no names
    except expat.ExpatError as exc:
        raise ReportUnreadable(f"not well-formed XML: {exc}") from exc
    except ReportUnreadable:
        raise
    except (LookupError, ValueError) as exc:
        raise ReportUnreadable(f"the declared encoding cannot be read: {exc}") from exc
    return with_unique_ids(reader.cases)


class _OpenSuite:
    """An open `<testsuite>` or `<testsuites>`, and the counts of what is in it so far."""

    def __init__(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        self.tag = tag
        self.name = attributes.get("name", "")
        self.attributes = attributes
        self.line = line
        self.own_cases = 0
        self.own_suites = 0
        self.cases = 0
        self.elements: Counter[str] = Counter()  # it counts failures, errors and skips, by tag

    def add_suite(self, inner: _OpenSuite) -> None:
        self.own_suites += 1
        self.cases += inner.cases
        self.elements.update(inner.elements)


class _OpenCase:
    """An open `<testcase>`."""

    def __init__(self, attributes: Mapping[str, str], case_id: str) -> None:
        self.attributes = attributes
        self.id = case_id
        self.marks: list[_Mark] = []


class _Mark:
    """A `<failure>`, `<error>` or `<skipped>`."""

    def __init__(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.tag = tag
        self.type = attributes.get("type", "")
        self.message = attributes.get("message", "")
        self.text = ""

    def first_line(self) -> str:
        return first_line(self.message) or first_line(self.text)


class _JUnitReader:
    def __init__(self, root: str) -> None:
        self._root = root
        self.cases: list[TestCase] = []
        self._allowance = ReportAllowance()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start_element
        self.parser.EndElementHandler = self._end_element
        self.parser.CharacterDataHandler = self._add_text
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._path: list[str] = []
        self._suites: list[_OpenSuite] = []
        self._case: _OpenCase | None = None
        self._mark: _Mark | None = None
        self._failed: set[str] = set()

    def _unreadable_error(self, problem: str) -> ReportUnreadable:
        return ReportUnreadable(f"line {self.parser.CurrentLineNumber}: {problem}")

    def _refuse_doctype(self, *_: object) -> None:
        raise self._unreadable_error("a DOCTYPE, which no test report needs")

    def _start_element(self, tag: str, attributes: dict[str, str]) -> None:
        outer = self._path[-1] if self._path else ""
        self._path.append(tag)
        if len(self._path) > MOST_DEPTH:
            raise self._unreadable_error(f"nested deeper than {MOST_DEPTH}")
        if not outer and tag not in _SUITES:
            raise self._unreadable_error(f"not a JUnit report: it starts with <{tag}>")
        if tag in _SUITES or tag == "testcase":
            if outer and outer not in _SUITES:
                raise self._unreadable_error(f"a <{tag}> inside a <{outer}>")
            self._open_element(tag, attributes)
        elif tag in _BROKEN or tag == "skipped":
            self._add_mark(tag, attributes, outer)

    def _open_element(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _SUITES:
            self._suites.append(_OpenSuite(tag, attributes, self.parser.CurrentLineNumber))
            return
        if not attributes.get("name"):
            raise self._unreadable_error("a <testcase> without a name")
        self._case = _OpenCase(attributes, _case_id(attributes, self._suites, self._root))

    def _add_mark(self, tag: str, attributes: dict[str, str], outer: str) -> None:
        if outer == "testcase" and self._case:
            self._mark = _Mark(tag, attributes)
            self._case.marks.append(self._mark)
            self._suites[-1].elements[tag] += 1
        elif outer in _SUITES and tag in _BROKEN:
            # The suite broke outside of its tests, such as in its set-up.
            self._mark = _Mark(tag, attributes)
            self._suites[-1].elements[tag] += 1
            names = _name_suites(self._suites) or [self._suites[-1].tag]
            self._add_case(TestCase(" > ".join(names), Outcome.ERROR, self._mark.first_line()))

    def _add_text(self, text: str) -> None:
        if self._mark and len(self._mark.text) < _MOST_TEXT:
            self._mark.text += (
                text.lstrip()[:_MOST_TEXT] if not self._mark.text else text[:_MOST_TEXT]
            )

    def _end_element(self, tag: str) -> None:
        self._path.pop()
        if tag in _SUITES:
            suite = self._suites.pop()
            _require_agreement(suite, self._suites[-1] if self._suites else None)
            if self._suites:
                self._suites[-1].add_suite(suite)
        elif tag == "testcase" and self._case:
            self._close_case(self._case)
            self._case = None
        elif tag in _BROKEN or tag == "skipped":
            self._mark = None

    def _close_case(self, case: _OpenCase) -> None:
        outcome = _decide_outcome(case)
        decisive = next((mark for mark in case.marks if mark.tag in _BROKEN), None)
        mark = decisive or next(iter(case.marks), None)
        message = mark.first_line() if mark and outcome is not Outcome.PASSED else ""
        if message.startswith("failed on teardown with") and case.id in self._failed:
            return  # pytest tells in a second <testcase> that the tear-down of a failed test failed
        if outcome is Outcome.FAILED:
            self._failed.add(case.id)
        self._suites[-1].own_cases += 1
        self._suites[-1].cases += 1
        self._add_case(TestCase(case.id, outcome, message))

    def _add_case(self, case: TestCase) -> None:
        self._allowance.spend_case(case.id)
        self.cases.append(case)


def _decide_outcome(case: _OpenCase) -> Outcome:
    tags = {mark.tag for mark in case.marks}
    types = {mark.type for mark in case.marks if mark.tag == "skipped"}
    if "todo" in types:  # node writes it; as in TAP, only one that fails is an expected failure
        return Outcome.XFAILED if tags & _BROKEN else Outcome.PASSED
    if "failure" in tags:
        return Outcome.FAILED
    if "error" in tags:
        return Outcome.ERROR
    if "pytest.xfail" in types:
        return Outcome.XFAILED
    said = {case.attributes.get("status"), case.attributes.get("result")}
    return Outcome.SKIPPED if "skipped" in tags or said & _NOT_RUN else Outcome.PASSED


def _case_id(attributes: Mapping[str, str], suites: Sequence[_OpenSuite], root: str) -> str:
    # node calls a file that could not be loaded by its whole path.
    name, class_name = strip_root(root, attributes["name"]), attributes.get("classname")
    path = strip_root(root, attributes.get("file", "").replace("\\", "/")).removeprefix("./")
    if path and not _ABSOLUTE.match(path):
        return _id_in_file(path, class_name or "", name)
    if class_name is None or class_name == "test":
        return " > ".join([*_name_suites(suites), name])
    return f"{class_name}::{name}" if class_name not in {"", name} else name


def _id_in_file(path: str, class_name: str, name: str) -> str:
    folder, slash, base = path.rpartition("/")
    module = (folder + slash + base.partition(".")[0]).replace("/", ".")
    if not class_name and name == module:
        return path  # pytest could not collect the file
    if class_name in {module, path, name}:
        return f"{path}::{name}"
    if class_name.startswith(f"{module}."):
        class_name = class_name.removeprefix(f"{module}.").replace(".", "::")
    return "::".join(part for part in (path, class_name, name) if part)


def _name_suites(suites: Sequence[_OpenSuite]) -> list[str]:
    return [suite.name for suite in suites if suite.tag == "testsuite" and suite.name]


def _require_agreement(suite: _OpenSuite, outer: _OpenSuite | None) -> None:
    where = f"line {suite.line}: <{suite.tag}> {suite.name}".rstrip()
    claimed = {
        name: int(said)
        for name in ("failures", "errors", "skipped")
        if _NUMBER.fullmatch(said := suite.attributes.get(name, ""))
    }
    broken = suite.elements["failure"] + suite.elements["error"]
    failed = claimed.get("failures", 0) + claimed.get("errors", 0)
    if failed > broken:
        raise ReportUnreadable(f"{where} counts {failed} failures, but shows {broken}")
    tests = suite.attributes.get("tests")
    if tests is None:
        return
    if not _NUMBER.fullmatch(tests):
        raise ReportUnreadable(f"{where} counts {tests[:20]!r} tests")
    if not _is_possible(suite, int(tests), claimed, outer):
        raise ReportUnreadable(f"{where} counts {tests} tests, but shows {suite.cases}")


def _is_possible(
    suite: _OpenSuite, tests: int, claimed: Mapping[str, int], outer: _OpenSuite | None
) -> bool:
    if suite.tag == "testsuites":
        return tests <= suite.cases  # broken suites may be shown as tests and not be counted
    # node counts the children of a suite, be they tests or suites.
    if tests in {suite.cases, suite.own_cases, suite.own_cases + suite.own_suites}:
        return True
    # pytest also counts subtests that passed, and counts a test twice if it passed and its
    # tear-down failed. Missing tests are found by their names, and its other numbers are exact.
    is_pytest = suite.name == "pytest" or (outer is not None and outer.name == "pytest tests")
    shown = suite.elements
    exact = {"failures": shown["failure"], "errors": shown["error"], "skipped": shown["skipped"]}
    return is_pytest and claimed == exact and tests > suite.cases
