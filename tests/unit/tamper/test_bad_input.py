"""Whatever a change holds, it is read and never breaks the reader."""

# ruff: noqa: E501  a case is one line

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalkeeper.core.contract.changes import FileChange
from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.tamper.catalog import review_rules
from goalkeeper.tamper.review import review
from tests.tables import for_each, sampled

PATHS = (
    "src/rate.py", "tests/test_rate.py", "tests/conftest.py", "src/rate.ts", "test/rate.test.js",
    "check.sh", "tests/rate.bats", "rate_test.go", "Makefile", "pyproject.toml", "package.json",
    "pytest.ini", "setup.cfg", ".github/workflows/ci.yml", ".gitignore", ".gitattributes",
    "tests/golden/a.txt", "jest.config.js", "RateTest.java", ".goalkeeper/x", "rate_spec.rb",
)  # fmt: skip
WORDS = (
    "def test_a():\n    ", "assert ", "x == 1", "if ", "try:\n", "except", "it('a', () => {", "});",
    "expect(x).toBe(1)", "os._exit(0)", "(", ")", "{", "}", "'", '"', "\n", "\t", " ", "test:", "[",
    "]", "@pytest.mark.skip", "return", "exit 0", "trap", "|| true", "\0", "é", "lambda", "match x:",
    "scripts", ":", "=", "class A:\n", "#", "//", "`", "\\", "import pytest", "1e999", "10" * 99,
)  # fmt: skip
CONTENT = st.one_of(
    st.none(),
    st.binary(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=30).map(lambda words: "".join(words).encode()),
)
MODES = st.sampled_from(["100644", "100755", "120000", "160000"])


def nothing(_: str) -> bytes | None:
    return None


def at(path: str, old: bytes | None, new: bytes | None) -> tuple[Finding, ...]:
    return review([FileChange(path, path if old is not None else "", old, new)], tree=nothing)


@given(path=st.sampled_from(PATHS), old=CONTENT, new=CONTENT, old_mode=MODES, new_mode=MODES)
@example(path="tests/test_a.py", old=b"", new=b"\xff\xfe", old_mode="100644", new_mode="100644")
def test_review_never_raises(
    path: str, old: bytes | None, new: bytes | None, old_mode: str, new_mode: str
) -> None:
    change = FileChange(path, path, old, new, old_mode, new_mode)

    found = review([change], tree=lambda _: new, tests=PATHS)

    assert list(found) == sorted(found, key=lambda each: (each.path, each.line, each.rule))
    assert all(each.rule in review_rules() and each.line >= 0 and each.message for each in found)


@given(st.lists(st.tuples(st.sampled_from(PATHS), CONTENT, CONTENT), max_size=4))
def test_review_says_the_same_twice(parts: list[tuple[str, bytes | None, bytes | None]]) -> None:
    changes = [FileChange(path, path, old, new) for path, old, new in parts]

    assert review(changes, tree=nothing) == review(changes[::-1][::-1], tree=nothing)


def test_a_large_file_is_named_and_not_read() -> None:
    for path in PATHS:
        found = at(path, None, b"x = 1\n" * 200_000)

        assert "file-too-large" in {each.rule for each in found}, path


def test_a_large_test_is_only_noted_where_the_one_of_the_base_is_run() -> None:
    def weigh(
        path: str, old: bytes | None, *, may_change: bool = False, base_decides: bool = True
    ) -> set[Level]:
        was = path if old is not None else ""
        change = FileChange(path, was, old, b"x = 1\n" * 200_000, may_change=may_change)
        found = review([change], tree=nothing, base_decides=base_decides)
        return {each.level for each in found if each.rule == "file-too-large"}

    assert weigh("tests/test_a.py", b"") == {Level.ADVISORY}
    assert weigh("tests/test_a.py", None) == {Level.ASKING}
    assert weigh("tests/test_a.py", b"", may_change=True) == {Level.ASKING}
    assert weigh("tests/conftest.py", b"") == {Level.BLOCKING}
    assert weigh("rate.py", b"") == {Level.BLOCKING}
    assert weigh("tests/test_a.py", b"", base_decides=False) == {Level.BLOCKING}


DEEP = {
    "brackets": b"(" * 5000 + b")" * 5000,
    "operators": b"x = " + b"+".join([b"1"] * 9000),
    "attributes": b"x" + b".a" * 9000 + b"()",
    "calls": b"x" + b"()" * 2000,
    "not": b"assert " + b"not " * 9000 + b"x",
    "blocks": b"".join(b" " * depth + b"if x:\n" for depth in range(90)) + b" " * 90 + b"pass\n",
    "json": b"[" * 9000,
}


@pytest.mark.parametrize("content", sampled(DEEP.values(), one_in=3), ids=DEEP)
def test_deep_nesting_does_not_break_the_reader(content: bytes) -> None:
    for path in PATHS:
        at(path, b"x = 1\n", content)
        at(path, content, b"x = 1\n")


REPEATED = {
    "a caller": "x = frame.co_name.startswith('" + "co_name, test, " * 30_000 + "' + x)\n",
    "a runner": "x = '" + "test in " * 60_000 + "' + y in sys.argv\n",
    "a module": "x = '" + "pytest in sys " * 30_000 + "' + y in sys.mod\n",
    "a name": "import os\nos.getenv("
    + "sys" * 150_000
    + ")\nhasattr("
    + "sys" * 150_000
    + ", x)\n",
    "a hook": "def pytest_collection(items):\n    x = '" + "items " * 80_000 + "'\n",
}


@for_each("text", REPEATED.values(), ids=REPEATED)
def test_a_pattern_does_not_take_for_ever(text: str) -> None:
    found = at("src/rate.py", b"", f"{text}import os\nos._exit(0)\n".encode())

    assert "process-exit" in {each.rule for each in found}


def test_code_too_deep_to_be_read_is_a_finding() -> None:
    hidden = b"import os\n\nos._exit(" + b"+".join([b"1"] * 3000) + b")\n"

    rules = {each.rule for each in at("src/rate.py", b"", hidden)}

    assert rules & {"file-too-deep", "file-unreadable", "process-exit"}


def test_a_deep_test_file_does_not_hide_another() -> None:
    deep = FileChange(
        "tests/test_a.py", "", None, b"def test_a():\n    assert " + b"not " * 3000 + b"x\n"
    )
    test = b"def test_b():\n    assert rate(1) == 2\n"
    gone = FileChange("tests/test_b.py", "tests/test_b.py", test, None)

    assert "test-removed" in {each.rule for each in review([deep, gone], tree=nothing)}


@pytest.mark.thorough
def test_a_script_that_takes_for_ever_to_parse_is_a_finding() -> None:
    rules = {each.rule for each in at("check.sh", b"", b"x" + b"()" * 20_000)}

    assert rules == {"file-too-deep"}


FORMATTED = (
    b"assert f'{x}' == f'{y!r:>{w}}'",
    b'assert f"{x}{y}" == "a"',
    b"assert f\"{'a' 'b'}\" == y",
)


def test_formatted_strings_are_read() -> None:
    for text in FORMATTED:
        test = b"def test_a():\n    y = 'a\\n'\n    " + text + b"\n"

        assert at("tests/test_a.py", test, b"") != (), text


def test_a_test_file_that_never_parsed_is_only_shown() -> None:
    levels = {each.level for each in at("tests/test_a.py", None, b"def (")}

    assert levels == {Level.ADVISORY}


def test_a_file_in_another_encoding_is_read() -> None:
    text = "# é\nimport os\n\nos._exit(0)\n".encode("latin-1")

    assert [each.rule for each in at("src/rate.py", b"", text)] == ["process-exit"]


def test_a_path_with_a_line_break_hides_nothing() -> None:
    text = b"import os\nimport sys\n\nos._exit(0)\nsys.exit(0)\n"

    rules = [each.rule for each in at("src/a\nb/rate.py", b"", text)]

    assert rules == ["process-exit", "exit-on-import"]


def test_findings_point_to_the_line() -> None:
    found = at("src/rate.py", b"", b"import os\n\n\ndef f():\n    os._exit(0)\n")

    assert [(each.path, each.line) for each in found] == [("src/rate.py", 5)]


def test_nothing_changed_is_nothing_found() -> None:
    assert review([], tree=nothing) == ()
