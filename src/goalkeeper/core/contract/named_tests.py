"""Commands of test runners become checks that judge every test by its name.

The tests that run are the same. A command alone tells only whether all of them passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from goalkeeper.core.projects.ways import split_folder
from goalkeeper.wire.pattern import late_pattern

_REPORT = ".test-results.xml"
OWN_REPORTS = (_REPORT, ".goalkeeper-tests.xml")  # contracts of old versions name the second
_ANY_NUMBER = 1_000_000  # runners do not mind skipped tests, so neither does the check
_PYTEST = (
    "-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--continue-on-collection-errors",
    "--maxfail=0", f"--junitxml={_REPORT}",
)  # fmt: skip
# Programs that print TAP, and the words that make them do so.
_TAP: dict[str, list[str]] = {
    "bats": ["--tap"], "mocha": ["--reporter", "tap"], "tape": [],
    "vitest": ["--reporter=tap-flat"],
}  # fmt: skip
# Options of mocha and vitest that choose another report, or end it at the first failure.
_CHOOSING = ("mocha", "vitest")
_UNWANTED = late_pattern(r"(?:^| )(?:--reporter[ =]\S+|-R \S+|--bail(?:[= ]\d+)?|-b)(?= |$)")
# unittest writes no report, so this runs it and writes one; it gets the words after `unittest`.
_UNITTEST = f"""
import sys, unittest
from xml.sax.saxutils import quoteattr
class Result(unittest.TextTestResult):
    ids = []
    def startTest(self, test):
        self.ids.append(test.id())
        super().startTest(test)
class Runner(unittest.TextTestRunner):
    resultclass = Result
sys.argv[0] = "python3 -m unittest"
result = unittest.main(module=None, exit=False, testRunner=Runner).result
def name(test):
    return getattr(test, "test_case", test).id()
told = {{id: "" for id in Result.ids}}
told |= {{name(test): "<skipped/>" for test, _ in result.skipped + result.expectedFailures}}
told |= {{name(test): "<failure/>" for test, _ in result.failures}}
told |= {{name(test): "<failure/>" for test in result.unexpectedSuccesses}}
told |= {{name(test): "<error/>" for test, _ in result.errors}}
with open("{_REPORT}", "w", encoding="utf-8") as report:
    report.write("<testsuite>")
    for id, outcome in told.items():
        home, _, last = id.rpartition(".")
        names = f"classname={{quoteattr(home)}} name={{quoteattr(last)}}"
        report.write(f"<testcase {{names}}>{{outcome}}</testcase>")
    report.write("</testsuite>")
sys.exit(not result.wasSuccessful())
"""


def name_tests(argv: Sequence[str]) -> dict[str, object] | None:
    """Return a check that runs the command and names its tests; None if nobody knows how."""
    into, own = split_folder(tuple(argv))
    if into:
        return _move_check([*into], name_tests(own))
    words = list(argv)
    if "pytest" in [word.rpartition("/")[2] for word in words]:
        end = words.index("--") if "--" in words else len(words)
        return _read_report([*words[:end], *_PYTEST, *words[end:]])
    if words[1:3] == ["-m", "unittest"]:
        return _read_report([words[0], "-c", _UNITTEST, *words[3:]])
    if words[:2] == ["node", "--test"]:
        return _read_tap(["node", "--test", "--test-reporter=tap", *words[2:]])
    first = 1 if words[:1] == ["npx"] else 0
    if words[first : first + 1] and words[first].rpartition("/")[2] in _TAP:
        more, rest = _TAP[words[first].rpartition("/")[2]], words[first + 1 :]
        if words[first].endswith(_CHOOSING) and not any(" " in word for word in rest):
            rest = _UNWANTED.sub("", " ".join(rest)).split()
        return _read_tap([*words[: first + 1], *more, *rest])
    return None


def _move_check(into: list[str], check: dict[str, object] | None) -> dict[str, object] | None:
    """Return a check whose program runs in a folder, and writes its report there."""
    if check is None:
        return None
    kind = next(iter(check))
    moved = {**check, kind: [*into, *cast("list[str]", check[kind])]}
    return {**moved, "report": f"{into[-1]}/{_REPORT}"} if "report" in check else moved


def _read_tap(argv: list[str]) -> dict[str, object]:
    return {"tap": argv, "max_skips": _ANY_NUMBER}


def _read_report(argv: list[str]) -> dict[str, object]:
    return {"junit": argv, "report": _REPORT, "max_skips": _ANY_NUMBER}
