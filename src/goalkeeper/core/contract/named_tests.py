"""Commands of test runners become checks that judge every test by its name.

The tests that run are the same. A command alone tells only whether all of them passed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

_REPORT = ".goalkeeper-tests.xml"
_ANY_NUMBER = 1_000_000  # runners do not mind skipped tests, so neither does the check
_PYTEST = (
    "-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--maxfail=0", f"--junitxml={_REPORT}",
)  # fmt: skip
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


_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # make looks for them in this order
_SHELL_SIGNS = frozenset("$|&;<>()`\"'*?{}~\\=#!")


def find_runner(argv: Sequence[str], read: Callable[[str], str]) -> tuple[str, ...]:
    """Return the one command that `make test` or `npm test` runs; else the command itself.

    `read` gives the text of a file of the project, empty if there is none.
    """
    found: Sequence[str] = ()
    if argv[0] == "make" and len(argv) == 2:  # noqa: PLR2004  the program and the target
        text = next(filter(None, map(read, _MAKEFILES)), "")
        found = _read_recipe(text, argv[1])
    elif tuple(argv) == ("npm", "test"):
        found = _read_script(read("package.json"))
    return tuple(found) or tuple(argv)


def _read_recipe(makefile: str, target: str) -> list[str]:
    """Read the recipe of a target that needs no other; nothing if it has more than one line."""
    rules = re.findall(
        rf"^{re.escape(target)}[ ]*:(.*)\n((?:\t.*(?:\n|\Z))*)", makefile, re.MULTILINE
    )
    if len(rules) != 1 or rules[0][0].partition("#")[0].strip():
        return []
    lines = rules[0][1].splitlines()
    return _split_plain(lines[0].strip().removeprefix("@")) if len(lines) == 1 else []


def _read_script(package: str) -> list[str]:
    try:
        scripts = json.loads(package or "{}")["scripts"]
        has_more = "pretest" in scripts or "posttest" in scripts
        return [] if has_more else _split_plain(str(scripts["test"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _split_plain(line: str) -> list[str]:
    """Split a line that means the same without a shell; nothing if it may mean more."""
    return [] if _SHELL_SIGNS.intersection(line) or line.startswith("-") else line.split()


def name_tests(argv: Sequence[str]) -> dict[str, object] | None:
    """Return a check that runs the command and names its tests; None if nobody knows how."""
    words = list(argv)
    if "pytest" in [word.rpartition("/")[2] for word in words]:
        end = words.index("--") if "--" in words else len(words)
        return _read_report([*words[:end], *_PYTEST, *words[end:]])
    if words[1:3] == ["-m", "unittest"]:
        return _read_report([words[0], "-c", _UNITTEST, *words[3:]])
    if words[:2] == ["node", "--test"]:
        options = ["--test-reporter=tap", *words[2:]]
        return {"tap": ["node", "--test", *options], "max_skips": _ANY_NUMBER}
    return None


def _read_report(argv: list[str]) -> dict[str, object]:
    return {"junit": argv, "report": _REPORT, "max_skips": _ANY_NUMBER}
