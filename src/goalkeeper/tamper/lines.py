"""Reads files line by line: lines that a change adds, and tests in other languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from goalkeeper.core.contract.protected import Role, is_prose, role_of_path
from goalkeeper.tamper.patterns import CodePart, match_code_patterns, may_match_lines
from goalkeeper.tamper.sighting import Sighting
from goalkeeper.tamper.source import (
    ChangedFile,
    Tree,
    find_facts,
    is_code,
    is_product,
)
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.testing import (
    Assertion,
    Code,
    Details,
    SkipMark,
    Strictness,
    Test,
    TestFile,
    fingerprint,
)
from goalkeeper.tamper.words import read_pattern, read_table
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_COOKIE_LINES = 2  # Python looks for the encoding in so many lines
MOST_CHARACTERS = 2000  # the limit of a line, because patterns must not take for ever
_LEAST_TEXT = 100  # where one of so many signs is a zero, a file is no text
_LITERAL = late_pattern(r"\"[^\"$]*\"|'[^']*'|\b\d+(\.\d+)?\b")
_MARKS = late_pattern(r"\s*(@\w+|\[\w+|#\[\w+)")
_TEST_FILE = late_pattern(r"(?:tests?|specs?|__tests__|golden)/[\w./-]*\w")


def find_added_lines(pair: ChangedFile) -> Iterator[tuple[int, str]]:
    """Yield the lines that the candidate has more often than the base, with their numbers."""
    if pair.new is None:
        return
    known = Counter(line.strip() for line in pair.old.text.splitlines()) if pair.old else Counter()
    for number, line in enumerate(pair.new.text.splitlines(), start=1):
        stripped = line.strip()
        if known[stripped] > 0:
            known[stripped] -= 1
        elif stripped:
            yield number, line[:MOST_CHARACTERS]


def match_added_lines(pair: ChangedFile) -> Iterator[Sighting]:
    """Find what rules that are only patterns in the catalogue see in added lines."""
    if pair.new is None or is_prose(pair.path):
        return
    is_data = pair.new.text.count("\0") * _LEAST_TEXT > len(pair.new.text)
    if is_data and is_product(pair.path) and not is_code(pair.new):
        return  # it has no lines
    facts = find_facts(pair.new)
    added = list(find_added_lines(pair))
    if not may_match_lines(pair.path, [line for _, line in added], facts):
        return
    parts = (
        CodePart("line", "head" if number <= _COOKIE_LINES else "", number, facts, write)
        for number, line in added
        for write in [lambda aspect, line=line: line if aspect == "text" else line.strip()]
    )
    yield from match_code_patterns("any", pair.path, parts)


def find_test_names(pair: ChangedFile, tree: Tree) -> Iterator[Sighting]:
    """Find names of test files in product code, which has no reason to name them."""
    source = pair.new
    if source is None or not is_product(pair.path) or not is_code(source):
        return
    for number, line in find_added_lines(pair):
        for found in _TEST_FILE.finditer(line):
            path = found[0]
            known = role_of_path(path) in {Role.TEST, Role.DATA} and tree(path) is not None
            if known and not line.lstrip().startswith(("#", "//", "*", "/*")):
                text = f"product code names {path}, which belongs to the tests"
                yield Sighting("tests-read", pair.path, number, text, line.strip())


class Dialect(Value):
    """Tells how a language starts a test, asserts, and skips."""

    name: str
    start: re.Pattern[str]
    asserts: re.Pattern[str]
    skips: re.Pattern[str]
    exact: re.Pattern[str]
    comment: re.Pattern[str]
    needs_mark: bool


@cache
def read_dialect(name: str) -> Dialect:
    entry = read_table("dialects")[name]
    fields = ("start", "asserts", "skips", "exact", "comment")
    patterns = {field: re.compile(entry[field]) for field in fields}
    return Dialect(name, **patterns, needs_mark=entry.get("needs_mark", False))


def read_line_tests(source: Source) -> TestFile:
    ending = source.path.rpartition(".")[2]
    dialects = read_table("dialects").items()
    name = next((name for name, each in dialects if ending in each.get("endings", ())), "other")
    return TestFile(tuple(_find_tests(source, read_dialect(name))))


def _find_tests(source: Source, dialect: Dialect) -> Iterator[Test]:
    lines = source.text.splitlines()
    starts = map(dialect.start.match, lines)
    found = [(index, match) for index, match in enumerate(starts) if match]
    ends = [*(index for index, _ in found[1:]), len(lines)]
    for (index, match), end in zip(found, ends, strict=False):
        if dialect.comment.match(lines[index]):
            continue
        marks = _find_marks_above(lines, index)
        body = [lines[index], *_drop_marks_below(lines[index + 1 : end])]
        name = next((group for group in match.groupdict().values() if group), match[0].strip())
        is_marked = any(re.search(r"[Tt]est|Fact|Theory|case", mark) for _, mark in marks)
        if not dialect.needs_mark or is_marked or name.startswith("test"):
            number = index + 1
            yield read_line_test(source, dialect, name=name, number=number, body=body, marks=marks)


def _find_marks_above(lines: list[str], index: int) -> list[tuple[int, str]]:
    marks: list[tuple[int, str]] = []
    while index > 0 and _MARKS.match(lines[index - 1]):
        index -= 1
        marks.append((index + 1, lines[index]))
    return marks


def _drop_marks_below(lines: list[str]) -> list[str]:
    """Drop the marks at the end, which belong to the next test."""
    while lines and (not lines[-1].strip() or _MARKS.match(lines[-1])):
        lines = lines[:-1]
    return lines


def read_line_test(
    source: Source,
    dialect: Dialect,
    *,
    name: str,
    number: int,
    body: list[str],
    marks: Sequence[tuple[int, str]] = (),
) -> Test:
    """Read a test; `body` begins at line `number` of the file, and `marks` stand above it."""
    code = [(number + i, each) for i, each in enumerate(body) if not dialect.comment.match(each)]
    asserting = [(at, each) for at, each in code if dialect.asserts.search(each)]

    def read_code() -> Code:
        words = [" ".join(each.split()) for _, each in code[1:]]
        return Code(fingerprint(words) if any(words) else "")

    return Test(
        source.path,
        name,
        number,
        cache(read_code),
        assertions=tuple(_read_assertion(at, each, dialect) for at, each in asserting),
        skips=tuple(
            SkipMark(match[0].strip(), at)
            for at, each in [*marks, *code]
            if (match := dialect.skips.search(each))
        ),
    )


def _read_assertion(number: int, written: str, dialect: Dialect) -> Assertion:
    said = " ".join(written.split()).removesuffix(";")
    if dialect.name == "shell" and (tap := read_pattern("tap-verb").fullmatch(said)):
        said = tap[1]
    exact = dialect.exact.search(said)
    empty = read_pattern("empty-assertion").fullmatch(said)
    strength = Strictness.EQUALITY if exact else Strictness.TRUTH

    def read_details() -> Details:
        return Details(
            _LITERAL.sub("_", said),
            _find_subject(said) if exact else said,
            names=frozenset(re.findall(r"[A-Za-z_]\w+", said)),
            literals=frozenset(match[0] for match in _LITERAL.finditer(said)),
        )

    level = Strictness.NOTHING if empty else strength
    return Assertion(said, level, number, cache(read_details))


def _find_subject(said: str) -> str:
    if verb := re.match(r"(?:is|like|same)\s+(\"(?:\$\([^)]*\)|[^\"])*\"|\S+)", said):
        return verb[1]
    return re.split(r"==|!=|-eq|,", said)[0]
