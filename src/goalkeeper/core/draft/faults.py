"""Faults are copies of a solution with one changed place made wrong; a test that notices none
of them shows little.

Lines are changed as text, so that it works for every language. A fault that does not compile is
noticed by every test; so at least half of the operators keep a line well-formed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

MOST_FAULTS = 6  # for each solution, and as many again for tests that notice none of them

_OPERATORS = (
    (late_pattern(r"==="), "!=="),
    (late_pattern(r"(?<![=!<>])==(?!=)"), "!="),
    (late_pattern(r"!=(?!=)"), "=="),
    (late_pattern(r"<="), "<"),
    (late_pattern(r">="), ">"),
    (late_pattern(r" < "), " >= "),
    (late_pattern(r" > "), " <= "),
    (late_pattern(r"\band\b"), "or"),
    (late_pattern(r"\bor\b"), "and"),
    (late_pattern(r"&&"), "||"),
    (late_pattern(r"\|\|"), "&&"),
    (late_pattern(r" \+ "), " - "),
    (late_pattern(r" - "), " + "),
    (late_pattern(r" \* "), " + "),
    (late_pattern(r" -(eq) "), " -ne "),
    (late_pattern(r" -(ge|gt) "), " -lt "),
    (late_pattern(r" -(le|lt) "), " -gt "),
    (late_pattern(r"\bTrue\b"), "False"),
    (late_pattern(r"\bFalse\b"), "True"),
    (late_pattern(r"\btrue\b"), "false"),
    (late_pattern(r"\bfalse\b"), "true"),
    (late_pattern(r"\bif not\b"), "if"),
    (late_pattern(r"(?<![\w.])([1-9]\d{0,4})(?![\w.])"), None),  # a number becomes the next one
    (late_pattern(r"(?<=['\"])([^'\"\\\n])(?=['\"])"), "~"),  # a text of one character
)  # fmt: skip
_RETURN = late_pattern(r"^(\s*return)\s+[^\s;][^;]*(;?)\s*$")
_COMMENT = late_pattern(r"^\s*(#|//|\*|/\*)")


class Fault(Value):
    """A wrong solution: its files, and what was done to it."""

    files: Mapping[str, str | None]
    told: str


def make_faults(base: Mapping[str, str], reference: Mapping[str, str | None]) -> list[Fault]:
    """Make faults of a solution; the first ones are spread over all that it changed.

    `base` has the texts of the files before.
    """
    found = [*_revert_files(base, reference), *_break_lines(base, reference)]
    step = max(1, -(-len(found) // MOST_FAULTS))
    order = [fault for first in range(step) for fault in found[first::step]]
    return order[: 2 * MOST_FAULTS]


def _revert_files(base: Mapping[str, str], reference: Mapping[str, str | None]) -> Iterator[Fault]:
    """Leave one file of several as it was."""
    for path in sorted(reference) if len(reference) > 1 else ():
        if path in base:
            yield Fault({**reference, path: base[path]}, f"{path} is as it was")


def _break_lines(base: Mapping[str, str], reference: Mapping[str, str | None]) -> Iterator[Fault]:
    for path, text in sorted(reference.items()):
        lines = (text or "").splitlines(keepends=True)
        for number in _find_changed(base.get(path, "").splitlines(keepends=True), lines):
            for wrong, what in _break_line(lines[number]):
                broken = "".join((*lines[:number], wrong, *lines[number + 1 :]))
                yield Fault({**reference, path: broken}, f"{path}:{number + 1}: {what}")


def _find_changed(old: list[str], new: list[str]) -> Iterator[int]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag != "equal":
            yield from range(start, end)


def _break_line(line: str) -> Iterator[tuple[str, str]]:
    if _COMMENT.match(line):
        return
    for pattern, wrong in _OPERATORS:
        found = pattern.search(line)
        if found:
            new = wrong if wrong is not None else str(int(found[0]) + 1)
            yield line[: found.start()] + new + line[found.end() :], _word(found[0], new)
    returned = _RETURN.match(line)
    if returned:
        yield f"{returned[1]}{returned[2]}\n", "it returns nothing"


def _word(old: str, new: str) -> str:
    return f"'{old.strip() or old}' became '{new.strip() or new}'"
