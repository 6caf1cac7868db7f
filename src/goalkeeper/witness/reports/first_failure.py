"""Finds what failed first in what runners print for people: a test, or an error nobody caught."""

from __future__ import annotations

import re

from goalkeeper.wire.pattern import late_pattern

# As `--test-reporter=tap` writes it. Subtests come before the test that they are part of.
_TAP = late_pattern(r"^ *not ok \d+ - (?P<title>.*\S)$", re.MULTILINE)
_TAP_MESSAGE = late_pattern(
    r"\n +---\n(?:(?! +\.\.\.).*\n)*? +error: (?:\|-?\n +(?P<block>.+)|'(?P<line>.*)')"
)
_NOT_MEANT = late_pattern(r" # (?:TODO|SKIP)\b", re.IGNORECASE)
# As `--test-reporter=spec` writes it. Its last part has the failures once more, with messages.
_LAST_PART = late_pattern(r"^✖ failing tests:$", re.MULTILINE)
_SPEC = late_pattern(r"^ *✖ (?P<title>.+?) \([\d.]+ms\)\n(?: +(?P<line>\S.*))?", re.MULTILINE)
# As jest, vitest, pytest and unittest write it.
_OTHERS = (
    late_pattern(r"^  ● (?P<title>.*\S)\n\n +(?P<line>\S.*)", re.MULTILINE),
    late_pattern(r"^ FAIL  (?P<title>\S.* > .*\S)\n(?P<line>\S.*)?", re.MULTILINE),
    late_pattern(r"^FAILED (?P<title>\S+::.*?)(?: - (?P<line>.*))?$", re.MULTILINE),
)
_UNITTEST = late_pattern(r"^(?:FAIL|ERROR): (?P<title>.*\S)", re.MULTILINE)
_TRACEBACK_CHARACTERS = 4000
_UNCAUGHT = late_pattern(r"^(?:Uncaught )?\w*(?:Error|Exception)(?: \[\w+\])?: .+", re.MULTILINE)


def find_uncaught(text: str) -> str:
    """Return the first line that names an error; empty where none does."""
    found = _UNCAUGHT.search(text)
    return found[0].strip() if found else ""


def find_first_failure(text: str) -> str:
    """Return the title and the message of the first test that failed; empty where none is named."""
    for failed in _TAP.finditer(text):
        if not _NOT_MEANT.search(failed["title"]):
            told = _TAP_MESSAGE.match(text, failed.end())
            return _join(failed["title"], (told["block"] or told["line"]) if told else "")
    last = _LAST_PART.search(text)
    spec = _SPEC.search(text, last.end() if last else 0)
    found = spec or next(filter(None, (each.search(text) for each in _OTHERS)), None)
    if found:
        return _join(found["title"], found["line"] or "")
    headed = _UNITTEST.search(text)
    if not headed:
        return ""
    traceback = text[headed.end() : headed.end() + _TRACEBACK_CHARACTERS]
    return _join(headed["title"], find_uncaught(traceback))


def _join(title: str, message: str) -> str:
    return f"{title}: {message.strip()}" if message.strip() else title
