"""Other ways to run the same tests: with signs of a test around them, and without.

The two differ in nothing else, so a test that passes in one way alone tells of the signs: names of
files and programs, arguments, variables that runners set, the account.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

from goalkeeper.core.contract.test_cases import Outcome
from goalkeeper.tamper.spoiling.values import Chooser
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value
from goalkeeper.witness.reports import ReportUnreadable, tap

# A test that asks for its own name must not be given another one.
_OWN_NAME = late_pattern(
    r"__name__|__module__|__qualname__|\.stem\b|with_suffix|with_name|request\.|snapshot|Snapshot"
    r"|basename|import\.meta|__filename|\$0|BASH_SOURCE|FUNCNAME|approv|argv|usage:|prog=|__FILE__"
)
_PATTERN = late_pattern(r"(?:^|[\s'\"=(/])((?=[\w.-]*[*?])[\w.*?-]+)(?=$|[\s'\";)])", re.MULTILINE)
_HEAD = late_pattern(r"[A-Za-z]+[_.-]?")
_PLAIN = {"TERM": "screen-256color", "COLUMNS": "132", "LINES": "43", "EDITOR": "vi"}
_PYTEST = """\
import json
import os
import sys


def main(nonce, args, hides):
    import pytest

    say = sys.__stdout__.write

    class Run:
        def pytest_runtest_logreport(self, report):
            if report.when == "call" or report.outcome != "passed":
                told = json.dumps([report.nodeid, report.outcome])
                say("\\n%s %s\\n" % (nonce, told))

    class Hide:
        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(self):
            for name in [each for each in os.environ if each.startswith("PYTEST_")]:
                del os.environ[name]

    shown = [pytest.__file__.replace("__init__", "__main__"), *args]
    sys.argv[:] = sys.argv[:1] if hides else shown
    return pytest.main(args, plugins=[Run(), *([Hide()] if hides else ())])


"""


class OtherWay(Value):
    """One way to run tests: files to lay (None: to take away), a program, and its variables."""

    files: Mapping[str, str | None]
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    read: Callable[[str, int], dict[str, bool]]  # from output and exit code to tests that passed


class TestFiles(Value):
    """The files of a check's tests, by path, and what else may mention them."""

    __test__ = False

    texts: Mapping[str, str]
    others: Sequence[str]
    chooser: Chooser

    def rename(self) -> dict[str, str]:
        """Return other names of files, where neither the file nor another one needs the name."""
        free = [path for path in sorted(self.texts) if self._is_free(path)]
        # They stay in their order: a test may need what an earlier one left.
        letters = sorted(self.chooser.at(path).choose_letters(6) for path in free)
        found = {
            path: self._choose_name(path, new) for path, new in zip(free, letters, strict=True)
        }
        return {path: new for path, new in found.items() if new}

    def _is_free(self, path: str) -> bool:
        """Return whether neither the file itself nor another one needs its name."""
        stem = path.rpartition("/")[2].partition(".")[0]
        tests = (text for other, text in self.texts.items() if other != path)
        is_named = any(stem in text for text in (*self.others, *tests))
        return not is_named and not _OWN_NAME.search(self.texts[path])

    def _choose_name(self, path: str, letters: str) -> str:
        """Return another name that is found by the same patterns; empty if there is none."""
        folder, slash, name = path.rpartition("/")
        stem, _, ending = name.partition(".")
        ending = ending.rpartition(".")[2]  # what is loaded by its whole name needs no more
        head = _HEAD.match(stem)
        heads = ("test_",) if ending == "py" else ("", head[0] if head else "")
        for each in heads:
            new = f"{each}{letters}.{ending}"
            if all(
                fnmatchcase(new, pattern)
                for pattern in self._patterns
                if fnmatchcase(name, pattern)
            ):
                return f"{folder}{slash}{new}"
        return ""

    @cached_property
    def _patterns(self) -> set[str]:
        """Return the patterns for names of files that stand in other files."""
        texts = (*self.others, *self.texts.values())
        return {found[1] for each in texts for found in _PATTERN.finditer(each)}

    def lay(self, names: Mapping[str, str]) -> dict[str, str | None]:
        moved = {new: self.texts[old] for old, new in names.items()}
        return {**dict.fromkeys(names), **moved}


def run_pytest(
    files: TestFiles, args: Sequence[str], python: str, nonce: str, *, hides: bool
) -> OtherWay | None:
    """Run pytest from a program of another name, without its variable and arguments."""
    names = files.rename() if hides else {}
    words = [names.get(word, word) for word in args]
    given = ["-q", "-p", "no:cacheprovider", *words]
    start = f"sys.exit(main({nonce!r}, {given!r}, {hides!r}))\n"
    script = f"{files.chooser.at('main').choose_letters(6)}.py"
    back = {new: old for old, new in names.items()}

    def read(output: str, _code: int) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for line in output.split("\n"):
            _, is_ours, told = line.partition(nonce)
            name, outcome = _read_pair(told) if is_ours else ("", "")
            if name:
                path, sign, rest = name.partition("::")
                key = f"{back.get(path, path)}{sign}{rest}"
                found[key] = outcome == "passed" and found.get(key, True)
        return found

    laid = {**files.lay(names), script: _PYTEST + start}
    return OtherWay(laid, (python, script), choose_env(hides=hides), read)


def _read_pair(text: str) -> tuple[str, str]:
    """Return a test and its outcome; nothing if the product wrote the line."""
    try:
        name, outcome = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return "", ""
    return str(name), str(outcome)


def run_scripts(
    files: TestFiles, programs: Sequence[Sequence[str]], *, hides: bool, has_report: bool
) -> OtherWay | None:
    """Run scripts one after another, without the make, npm or runner that would start them."""
    names = files.rename() if hides else {}
    lines = [" ".join(quote(names.get(word, word)) for word in argv) for argv in programs]

    def read(output: str, code: int) -> dict[str, bool]:
        if not has_report:
            return {"": code == 0}
        found: dict[str, bool] = {}
        for part in output.split("TAP version 13\n"):
            try:
                cases = tap.parse(part.encode()) if part.strip() else ()
            except ReportUnreadable:
                continue
            for case in cases:
                found[case.id] = case.outcome is Outcome.PASSED and found.get(case.id, True)
        return found

    text = "\n".join(f"{line} || failed=1" for line in lines) + "\nexit ${failed:-0}\n"
    argv = ("sh", "-c", text)
    return OtherWay(files.lay(names), argv, choose_env(hides=hides), read)


def quote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def choose_env(*, hides: bool) -> tuple[tuple[str, str], ...]:
    signs = {"MAKELEVEL": "1", "MAKEFLAGS": "", "npm_lifecycle_event": "test",
             "npm_command": "test", "NODE_ENV": "test"}  # fmt: skip
    return tuple((_PLAIN if hides else signs).items())
