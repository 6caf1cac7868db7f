"""Tests of languages that are read line by line: Go, Java, Ruby, Rust, C# and others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from goalkeeper.tamper.source import base_name
from goalkeeper.tamper.syntax import Source
from goalkeeper.tamper.testing import Assertion, SkipMark, Strictness, Test, TestFile, fingerprint
from goalkeeper.wire.value import Value


class Dialect(Value):
    """A dialect tells how a language starts a test, asserts, and skips."""

    start: str  # with a group `name`
    asserts: str
    skips: str
    exact: str = r"\b(\w*[eE]qual\w*|eq|Equal|assertSame|=|==|-eq)\b|==|\s=\s|-eq"
    comment: str = r"\s*(//|#)"


_GO = Dialect(
    r"func (?P<name>(Test|Benchmark|Fuzz)\w*)\(",
    r"\bt\.(Error|Fatal|Fail)\w*\(|\b(assert|require|is)\.\w+\(|\bif .*(!=|==|<|>).*\{",
    r"\b[tb]\.(Skip|SkipNow|Skipf)\(",
    exact=r"!=|\.Equal|DeepEqual|reflect",
    comment=r"\s*//",
)
_JAVA = Dialect(
    r"\s*(?:(?:public|private|protected|internal|override|suspend|async|final|static)\s+)*"
    r"(?:void|fun|Task)\s+(?P<name>`[^`]+`|\w+)\s*\(",
    r"\bassert\w*[.(]|\bAssert\.\w+\(|\bverify\(|\.should\w*\(|\bexpect\w*\(",
    r"@(Disabled|Ignore)\b|\[Ignore\b|\[(Fact|Theory)\(Skip|\bassumeTrue\(|Assume\.",
    comment=r"\s*//",
)
_RUBY = Dialect(
    r"\s*(?:(?:it|specify|test|xit|fit|scenario)\s+['\"](?P<title>[^'\"]+)['\"]"
    r"|def (?P<name>test_\w+))",
    r"\b(assert\w*|refute\w*|expect|must_\w+|should\w*)\b",
    r"^\s*(skip|pending)\b|^\s*x(it|describe|context)\b|\bskip:\s*true",
    comment=r"\s*#",
)
_RUST = Dialect(
    r"\s*(?:pub\s+)?(?:async\s+)?fn (?P<name>\w+)\s*\(",
    r"\b(debug_)?assert\w*!|\bpanic!|\.unwrap_err\(",
    r"#\[ignore\b",
    comment=r"\s*//",
)
SHELL = Dialect(
    "",  # the reader of shell scripts finds them by syntax
    r"^\s*(\[|\[\[|test|assert\w*|refute\w*|diff|cmp|grep|run|!|is|isnt|like|ok|same|equals?"
    r"|check\w*|expect\w*|should\w*)\s"
    r"|\|\|\s*(fail|exit 1|die|return 1)",
    r"^\s*(skip|startSkipping|todo)\b|#\s*(SKIP|skip|TODO)\b",
    exact=r"^(is|same|equals?|assert_equals?)\s|==|\s=\s|-eq",
    comment=r"\s*#",
)
_OTHER = Dialect(
    r"\s*(?:TEST(?:_F|_P|_CASE)?\s*\((?P<title>[^)]*)\)|.*\bfunction\s+(?P<name>test\w*)"
    r"|.*\bfunc (?P<other>test\w*))",
    r"\b(assert\w*|ASSERT_\w+|EXPECT_\w+|CHECK\w*|REQUIRE\w*|XCTAssert\w*|is|ok)\b",
    r"GTEST_SKIP|markTestSkipped|XCTSkip|\bDISABLED_\w+|\[\.\]|\bSKIP\b",
)
_DIALECTS: Mapping[str, Dialect] = {
    "go": _GO, "java": _JAVA, "kt": _JAVA, "kts": _JAVA, "cs": _JAVA, "scala": _JAVA,
    "rb": _RUBY, "rs": _RUST,
}  # fmt: skip
_LITERAL = re.compile(r"\"[^\"$]*\"|'[^']*'|\b\d+(\.\d+)?\b")
# TAP's verbs end with the name of the test, which is no part of what they assert.
_TAP = re.compile(
    r"((?:is|isnt|like|unlike|ok|same)\s+(\"[^\"]*\"|\S+)\s.*\S)\s+(\"[^\"]*\"|'[^']*')$"
)
_EMPTY = re.compile(
    r"\[ 1 \]|\[\[? true \]\]?|true|test 1|assert!?[\w.]*\((true|True)\)"
    r"|(?:is|same|equals?)\s+(\"[^\"]*\"|\S+)\s+\2"
)
_MARKS = re.compile(r"\s*(@\w+|\[\w+|#\[\w+)")


def read_line_tests(source: Source) -> TestFile:
    dialect = _DIALECTS.get(base_name(source.path).rpartition(".")[2], _OTHER)
    return TestFile(tuple(_find_tests(source, dialect)))


def _find_tests(source: Source, dialect: Dialect) -> Iterator[Test]:
    lines = source.text.splitlines()
    start, comment = re.compile(dialect.start), re.compile(dialect.comment)
    found = [(index, match) for index, each in enumerate(lines) if (match := start.match(each))]
    ends = [*(index for index, _ in found[1:]), len(lines)]
    for (index, match), end in zip(found, ends, strict=False):
        if comment.match(lines[index]):
            continue
        marks = _find_marks_above(lines, index)
        body = [lines[index], *_drop_marks_below(lines[index + 1 : end])]
        name = next((group for group in match.groupdict().values() if group), match[0].strip())
        is_marked = any(re.search(r"[Tt]est|Fact|Theory|case", mark) for _, mark in marks)
        if dialect not in (_JAVA, _RUST) or is_marked or name.startswith("test"):
            number = index + 1
            yield read_line_test(source, dialect, name=name, number=number, body=body, marks=marks)


def _find_marks_above(lines: list[str], index: int) -> list[tuple[int, str]]:
    marks: list[tuple[int, str]] = []
    while index > 0 and _MARKS.match(lines[index - 1]):
        index -= 1
        marks.append((index + 1, lines[index]))
    return marks


def _drop_marks_below(lines: list[str]) -> list[str]:
    """The marks at the end belong to the next test."""
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
    """`number` is the line of the file on which `body` begins; `marks` stand above it."""
    comment, skips = re.compile(dialect.comment), re.compile(dialect.skips)
    code = [(number + i, each) for i, each in enumerate(body) if not comment.match(each)]
    asserting = [(at, each) for at, each in code if re.search(dialect.asserts, each)]
    words = [" ".join(each.split()) for _, each in code[1:]]
    return Test(
        source.path,
        name,
        number,
        fingerprint(words) if any(words) else "",
        assertions=tuple(_read_assertion(at, each, dialect) for at, each in asserting),
        skips=tuple(
            SkipMark(match[0].strip(), at)
            for at, each in [*marks, *code]
            if (match := skips.search(each))
        ),
    )


def _read_assertion(number: int, written: str, dialect: Dialect) -> Assertion:
    said = " ".join(written.split()).removesuffix(";")
    if dialect is SHELL and (tap := _TAP.fullmatch(said)):
        said = tap[1]
    exact = re.search(dialect.exact, said)
    empty = _EMPTY.fullmatch(said)
    strength = Strictness.EQUALITY if exact else Strictness.TRUTH
    return Assertion(
        said,
        shape=_LITERAL.sub("_", said),
        subject=_find_subject(said) if exact else said,
        strength=Strictness.NOTHING if empty else strength,
        line=number,
        names=frozenset(re.findall(r"[A-Za-z_]\w+", said)),
        literals=frozenset(match[0] for match in _LITERAL.finditer(said)),
    )


def _find_subject(said: str) -> str:
    if verb := re.match(r"(?:is|like|same)\s+(\"(?:\$\([^)]*\)|[^\"])*\"|\S+)", said):
        return verb[1]
    return re.split(r"==|!=|-eq|,", said)[0]
