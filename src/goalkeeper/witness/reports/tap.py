"""TAP 12, 13 and 14, as node, bats, Perl and shell scripts write it, and what `prove -v` prints.

A test's id is the path of its descriptions: `outer > inner > title`. A point that only sums up its
subtests is no test; one that failed although no subtest failed is a test. `prove` runs several
files, each with a plan of its own; their names come first: `t/a.t > title`. A point of tape is an
assertion: those below one title, which is a comment, are one test.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.reports import (
    MOST_CASES,
    MOST_DEPTH,
    ReportAllowance,
    ReportCutOff,
    ReportUnreadable,
    first_line,
    require_sane_size,
    strip_root,
    with_unique_ids,
)

_INDENT = 4
_POINT = late_pattern(
    r"(not )?ok(?=\s|$)(?:[ \t]+([0-9]{1,9})(?=\s|$))?[ \t]*(?:-(?=\s|$))?[ \t]*(.*)"
)
_VERSION = late_pattern(r"TAP version \d+\s*")
_PLAN = late_pattern(r"1\.\.([0-9]{1,9})\s*(?:#.*)?")
_DIRECTIVE = late_pattern(r"(?:^|\s)#\s*(?:(SKIP)\S*|(TODO)\b)\W?(.*)", re.IGNORECASE)
_TIMING = late_pattern(r"(?:\s#\s*(?:time=|in )[\d.]+\s*m?s(?:ec)?|\sin \d+ms)(?=\s*\{?$)")
_ESCAPED = late_pattern(r"\\([\\#])")
_KEY = late_pattern(r"(error|message|type): *(.*)")
_PROVE_ENDS = late_pattern(rb"(?:^|\n)Result: (?:PASS|FAIL|NOTESTS)\s*$")
_TAPE_ENDS = late_pattern(rb"\n1\.\.\d+\n# tests \d+\n# pass  \d+\n")
_PROVE_FILE = late_pattern(r"(\S(?:.*\S)?) \.\.+ ?(skipped.*)?")


def parse(data: bytes, *, root: str = "") -> tuple[TestCase, ...]:
    """Return the tests in a report; some runners write paths below `root`, where they ran."""
    require_sane_size(data)
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", errors="replace", newline="\n")
    lines = ((number, line.rstrip("\r\n")) for number, line in enumerate(text, start=1))
    if _PROVE_ENDS.search(data[-4096:]):
        cases = _read_prove(lines)
    else:
        stream = _TapStream("", ReportAllowance(), titled=bool(_TAPE_ENDS.search(data[-4096:])))
        for number, line in lines:
            stream.read_line(number, line)
        cases = stream.finish_stream()
    # node calls a file that could not be loaded, or has no tests, by its whole path.
    return with_unique_ids(case.replace(id=strip_root(root, case.id)) for case in cases)


def _read_prove(lines: Iterator[tuple[int, str]]) -> list[TestCase]:
    cases: list[TestCase] = []
    stream: _TapStream | None = None
    allowance = ReportAllowance()
    for number, line in lines:
        if header := _PROVE_FILE.fullmatch(line):
            cases += stream.finish_stream() if stream else []
            stream = None if header[2] else _TapStream(header[1], allowance)
            if header[2]:
                cases.append(TestCase(header[1], Outcome.SKIPPED, first_line(header[2])))
        elif stream and line == "ok" and stream.is_full:
            cases += stream.finish_stream()
            stream = None
        elif stream and line.startswith("Dubious, "):
            # The program failed, whatever its points say.
            cases += [
                *stream.finish_stream(),
                TestCase(stream.file, Outcome.ERROR, first_line(line)),
            ]
            stream = None
        elif stream:
            stream.read_line(number, line)
        elif _POINT.fullmatch(line):
            raise _unreadable_error(number, "a test outside of prove's files")
    return cases + (stream.finish_stream() if stream else [])


class _Point:
    def __init__(self, depth: int, text: str, *, ok: bool) -> None:
        self.depth = depth
        self.ok = ok
        self.text, directive, self.message = _split_description(text)
        self.is_skipped = directive == "SKIP"
        self.is_todo = directive == "TODO"
        self.is_suite = False
        self.subtests: list[_Point] = []

    @property
    def outcome(self) -> Outcome:
        if self.is_skipped:
            return Outcome.SKIPPED
        if self.ok:
            return Outcome.PASSED
        return Outcome.XFAILED if self.is_todo else Outcome.FAILED

    def list_cases(self, outer: str, allowance: ReportAllowance) -> list[TestCase]:
        path = outer + self.text
        allowance.spend_case(path)
        found = [
            case for point in self.subtests for case in point.list_cases(f"{path} > ", allowance)
        ]
        if self.is_todo:  # then its subtests are expected to fail as well
            found = [
                case.replace(outcome=Outcome.XFAILED) if case.outcome is Outcome.FAILED else case
                for case in found
            ]
        if self.outcome is Outcome.FAILED:
            is_sum = any(case.outcome is Outcome.FAILED for case in found)
        else:  # an empty suite of node's is no test, and a skipped one hides tests
            is_sum = bool(self.subtests) or (self.is_suite and self.outcome is Outcome.PASSED)
        message = self.message if self.outcome is not Outcome.PASSED else ""
        return found if is_sum else [*found, TestCase(path, self.outcome, message)]


class _Level:
    """The points of one level of indentation that still wait for the point that sums them up."""

    def __init__(self) -> None:
        self.points: list[_Point] = []
        self.numbers: set[int] = set()
        self.last_number = 0
        self.plan: int | None = None
        self.is_over = False  # the plan came last


class _TapStream:
    """One TAP stream, line by line."""

    def __init__(self, file: str, allowance: ReportAllowance, *, titled: bool = False) -> None:
        self.file = file
        # Titles with the points below them, where titles are the tests.
        self._titled: list[tuple[str, list[_Point]]] | None = [("", [])] if titled else None
        self._allowance = allowance
        self._levels = [_Level()]
        self._last: _Point | None = None
        self._count = 0
        self._yaml: _Yaml | None = None
        self._is_announced = False  # its first lines say that it is TAP

    @property
    def is_full(self) -> bool:
        return self._levels[0].plan == len(self._levels[0].points)

    def read_line(self, number: int, line: str) -> None:
        if self._yaml:
            if self._yaml.ends_with(line):
                self._yaml = None
            return
        content = line.lstrip(" ")
        indent = len(line) - len(content)
        if content.rstrip() == "---" and self._last and indent // _INDENT == self._last.depth:
            self._yaml = _Yaml(self._last, indent, number)
        elif indent % _INDENT == 0:
            self._read_at(indent // _INDENT, content, number)

    def _read_at(self, depth: int, content: str, number: int) -> None:
        if content[:9].lower() == "bail out!":
            raise _unreadable_error(number, first_line(content))
        last = self._last
        if content.startswith("#"):
            text = content[1:].strip()
            if self._titled and not depth:
                self._titled.append((text, []))
            elif last and not last.ok and not last.message and last.depth == depth:
                last.message = "" if text.startswith("Subtest:") else first_line(text)
        elif content == "}":
            self._end_buffered(depth)
        elif _VERSION.fullmatch(content):
            self._is_announced = True
        elif point := _POINT.fullmatch(content):
            self._add_point(depth, point, number)
        elif plan := _PLAN.fullmatch(content):
            level = self._open_level(depth, number)
            if level.plan is not None:
                raise _unreadable_error(number, "a second plan")
            level.plan = int(plan[1])
            level.is_over = bool(level.points)

    def _end_buffered(self, depth: int) -> None:
        """Give buffered subtests of node-tap, which end here, to their point: `ok 1 - x {`."""
        points = self._levels[depth].points if depth < len(self._levels) else []
        if points and points[-1].text.endswith(" {"):
            points[-1].text = points[-1].text.removesuffix(" {")
            points[-1].subtests = self._take_subtests(depth)

    def _add_point(self, depth: int, found: re.Match[str], number: int) -> None:
        level = self._open_level(depth, number)
        self._count += 1
        if self._count > MOST_CASES:
            raise _unreadable_error(number, f"more than {MOST_CASES} tests")
        if level.is_over:
            raise _unreadable_error(number, "a test after the plan that ended the tests")
        level.last_number = int(found[2]) if found[2] else level.last_number + 1
        # node gives a number twice: to a file that failed as a whole or has no tests, by its path.
        is_file = found[3].startswith("/")
        if level.last_number in level.numbers and not found[1] and not is_file:
            raise _unreadable_error(number, f"test {level.last_number} is reported twice")
        level.numbers.add(level.last_number)
        point = _Point(depth, found[3], ok=not found[1])
        point.text = point.text or f"test {level.last_number}"
        point.subtests = self._take_subtests(depth)
        level.points.append(point)
        if self._titled and not depth:
            self._titled[-1][1].append(point)
        self._last = point

    def _open_level(self, depth: int, number: int) -> _Level:
        if depth > MOST_DEPTH:
            raise _unreadable_error(number, f"nested deeper than {MOST_DEPTH}")
        while len(self._levels) <= depth:
            self._levels.append(_Level())
        return self._levels[depth]

    def _take_subtests(self, depth: int) -> list[_Point]:
        """Take the points below this depth; they belong to the point just read."""
        below = self._levels[depth + 1 :]
        del self._levels[depth + 1 :]
        self._require_no_orphans(below[1:])
        # Without a plan they are no subtests, but indented lines that a program printed.
        if not below or below[0].plan is None:
            return []
        self._require_plan(below[0])
        return below[0].points

    def _require_no_orphans(self, levels: list[_Level]) -> None:
        if any(level.plan is not None for level in levels):
            raise ReportUnreadable(f"subtests without the test they belong to{self._name_file()}")

    def _require_end(self, level: _Level) -> None:
        """Require the plan of a stream; what only lacks its last lines was cut off."""
        try:
            self._require_plan(level)
        except ReportUnreadable as exc:
            is_short = level.plan is None or (not level.is_over and level.plan > len(level.points))
            if is_short and (level.points or self._is_announced):
                raise ReportCutOff(str(exc)) from exc
            raise

    def _require_plan(self, level: _Level) -> None:
        if level.plan is None:
            raise ReportUnreadable(f"no plan: cut off, or not TAP{self._name_file()}")
        if level.plan != len(level.points):
            raise ReportUnreadable(
                f"planned {level.plan}, saw {len(level.points)}{self._name_file()}"
            )
        if level.numbers and max(level.numbers) > level.plan:
            high = max(level.numbers)
            raise ReportUnreadable(f"planned {level.plan}, saw number {high}{self._name_file()}")

    def _name_file(self) -> str:
        return f" in {self.file}" if self.file else ""

    def finish_stream(self) -> list[TestCase]:
        if self._yaml:
            raise _unreadable_error(self._yaml.line, "a diagnostic block without an end")
        self._require_end(self._levels[0])
        self._require_no_orphans(self._levels[1:])
        outer = f"{self.file} > " if self.file else ""
        points = self._levels[0].points
        if self._titled:
            return [case for title, each in self._titled if each for case in _sum_up(title, each)]
        return [case for point in points for case in point.list_cases(outer, self._allowance)]


def _sum_up(title: str, points: list[_Point]) -> list[TestCase]:
    """Return the assertions below a title as one test; those above the first are on their own."""
    if not title:
        return [TestCase(each.text, each.outcome, each.message) for each in points]
    # A test whose other assertions pass was not skipped.
    order = (Outcome.FAILED, Outcome.XFAILED, Outcome.PASSED, Outcome.SKIPPED)
    worst = min(points, key=lambda point: order.index(point.outcome))
    message = worst.message if worst.outcome is not Outcome.PASSED else ""
    return [TestCase(title, worst.outcome, message or worst.text * (not worst.ok))]


class _Yaml:
    """The diagnostic block of a point; only its message and node's `type` are of interest."""

    def __init__(self, point: _Point, indent: int, line: int) -> None:
        self.line = line
        self._point = point
        self._prefix = " " * indent
        self._message_follows = False

    def ends_with(self, line: str) -> bool:
        if line.rstrip() == f"{self._prefix}...":
            return True
        if self._message_follows and line.strip():
            self._point.message = first_line(line)
            self._message_follows = False
        elif line.startswith(self._prefix) and (key := _KEY.match(line, len(self._prefix))):
            self._take_key(key[1], key[2].strip())
        return False

    def _take_key(self, key: str, value: str) -> None:
        if key == "type":
            self._point.is_suite = value.strip("'\"") == "suite"
        elif value[:1] in {"|", ">"}:
            self._message_follows = True
        elif not self._point.message:
            if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = value[1:-1].replace("''", "'") if value[0] == "'" else value[1:-1]
            self._point.message = first_line(value)


def _split_description(text: str) -> tuple[str, str, str]:
    """Return a point's description, its directive and the reason for that."""
    text = _TIMING.sub("", text)
    found = _DIRECTIVE.search(text)
    if not found:
        return _ESCAPED.sub(r"\1", text).strip(), "", ""
    description = _ESCAPED.sub(r"\1", text[: found.start()]).strip()
    return description, "SKIP" if found[1] else "TODO", first_line(found[3])


def _unreadable_error(number: int, problem: str) -> ReportUnreadable:
    return ReportUnreadable(f"line {number}: {problem}")
