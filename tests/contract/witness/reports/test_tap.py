"""TAP: what runners write, and what is not believed."""

import textwrap
from pathlib import Path

import pytest

from goalkeeper.witness.reports import ReportUnreadable, tap
from tests.contract.witness.reports.runners import run, run_node
from tests.tables import for_each


def outcomes(report: str | bytes) -> dict[str, str]:
    data = report if isinstance(report, bytes) else textwrap.dedent(report).encode()
    return {case.id: str(case.outcome) for case in tap.parse(data)}


def messages(report: str) -> dict[str, str]:
    return {case.id: case.message for case in tap.parse(textwrap.dedent(report).encode())}


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{textwrap.dedent(text)}")
    path.chmod(0o755)
    return path


@pytest.mark.needs("node")
def test_node_gives_the_path_of_titles(tmp_path: Path) -> None:
    assert outcomes(run_node(tmp_path, "tap")) == {
        "passes": "passed",
        "a # hash and a \\ slash": "passed",
        "fails": "failed",
        "skipped": "skipped",
        "todo": "xfailed",
        "todo that passes": "passed",
        "group > talks": "passed",
        "group > skipped": "skipped",
        "group > inner > talks": "passed",
        "group > inner > throws": "failed",
        "parent > child": "passed",
        "parent > child #2": "passed",
    }


@pytest.mark.needs("node")
def test_node_tells_why_a_test_failed(tmp_path: Path) -> None:
    found = {case.id: case.message for case in tap.parse(run_node(tmp_path, "tap"))}

    assert found["fails"] == "Expected values to be strictly equal:"
    assert found["group > inner > throws"] == "boom"
    assert found["skipped"] == "not today"
    assert found["passes"] == ""


@pytest.mark.needs("node")
def test_a_test_of_nodes_that_fails_by_itself_is_not_hidden_by_its_subtests(tmp_path: Path) -> None:
    source = """
    import { test, describe, it, after } from 'node:test';
    test('parent', async (t) => { await t.test('child', () => {}); throw new Error('own'); });
    describe('suite', () => { after(() => { throw new Error('hook'); }); it('child', () => {}); });
    describe('empty', () => {});
    describe('skipped', { skip: true }, () => { it('child', () => {}); });
    """

    assert outcomes(run_node(tmp_path, "tap", source)) == {
        "parent > child": "passed",
        "parent": "failed",
        "suite > child": "passed",
        "suite": "failed",
        "skipped": "skipped",
    }


@pytest.mark.needs("node")
def test_node_gives_a_file_without_tests_a_number_that_a_test_has(tmp_path: Path) -> None:
    (tmp_path / "b.test.mjs").write_text("console.log('no test')")
    source = "import { test } from 'node:test'; test('one', () => {}); test('two', () => {});"
    (tmp_path / "a.test.mjs").write_text(source)
    files = ("a.test.mjs", "b.test.mjs")

    report = run(tmp_path, "node", "--test", "--test-reporter=tap", *files)

    assert {"one": "passed", "two": "passed"}.items() <= outcomes(report).items()


@pytest.mark.needs("sh")
def test_a_shell_script_with_noise(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        "suite",
        r"""
        echo TAP version 13
        echo building ...
        echo "ok 1 - builds"
        printf 'warning: \377\n'
        printf 'not ok 2 installs\r\n'
        echo "# no such folder"
        echo "ok 3 # skip no network"
        echo "not ok 4 - uninstalls # TODO one day"
        echo "  ok then"
        echo ok
        echo 1..5
        """,
    )

    report = run(tmp_path, str(program))
    assert outcomes(report) == {
        "builds": "passed",
        "installs": "failed",
        "test 3": "skipped",
        "uninstalls": "xfailed",
        "test 5": "passed",
    }
    assert [case.message for case in tap.parse(report)] == [
        *("", "no such folder", "no network", "one day", "")
    ]


@pytest.mark.needs("node")
def test_a_file_that_fails_as_a_whole_has_the_number_of_its_first_test(tmp_path: Path) -> None:
    ends = "test('a', () => {}); process.on('exit', () => { process.exitCode = 1; });"
    output = run_node(tmp_path, "tap", f"import {{ test }} from 'node:test'; {ends}")

    found = {case.id: str(case.outcome) for case in tap.parse(output, root=str(tmp_path))}

    assert found == {"a": "passed", "a.test.mjs": "failed"}


@pytest.mark.needs("prove")
def test_prove_runs_several_files(tmp_path: Path) -> None:
    script(tmp_path, "t/a.t", "echo ok 1 - one; echo not ok 2 - two; echo 1..2")
    script(tmp_path, "t/b.t", "echo 1..0 '# SKIP no database'")
    script(tmp_path, "t/c.t", "echo 1..1; echo ok 1 - one")
    script(tmp_path, "t/d.t", "echo 1..1; echo ok 1 - one; exit 3")

    assert outcomes(run(tmp_path, "prove", "-v", "t")) == {
        "t/a.t > one": "passed",
        "t/a.t > two": "failed",
        "t/b.t": "skipped",
        "t/c.t > one": "passed",
        "t/d.t > one": "passed",
        "t/d.t": "error",
    }


@pytest.mark.needs("prove")
def test_prove_shows_a_file_that_was_cut_off(tmp_path: Path) -> None:
    script(tmp_path, "t/a.t", "echo 1..3; echo ok 1")

    with pytest.raises(ReportUnreadable, match=r"planned 3, saw 1 in t/a\.t"):
        tap.parse(run(tmp_path, "prove", "-v", "t"))


@pytest.mark.needs("prove", "perl")
def test_subtests_of_perl(tmp_path: Path) -> None:
    (tmp_path / "a.t").write_text(
        "use Test::More tests => 2;"
        "subtest outer => sub { plan tests => 1; ok 1, 'in # it' }; ok 1, 'last';"
    )

    assert outcomes(run(tmp_path, "perl", "a.t")) == {"outer > in # it": "passed", "last": "passed"}


def test_bats() -> None:
    report = """\
    1..4
    ok 1 addition using bc
    not ok 2 addition using dc
    # (in test file addition.bats, line 9)
    #   `[ "$result" -eq 4 ]' failed
    ok 3 division # skip needs bc
    ok 4 speed in 12ms
    """

    assert outcomes(report) == {
        "addition using bc": "passed",
        "addition using dc": "failed",
        "division": "skipped",
        "speed": "passed",
    }
    assert messages(report)["addition using dc"] == "(in test file addition.bats, line 9)"


def test_buffered_subtests_follow_their_point() -> None:
    report = """\
    ok 1 - outer # time=5.3ms {
        ok 1 - a
        not ok 2 - b # TODO
        1..2
    }
    ok 2 - next { brace # time=1ms
    1..2
    """

    assert outcomes(report) == {
        "outer > a": "passed",
        "outer > b": "xfailed",
        "next { brace": "passed",
    }


def test_a_todo_speaks_for_its_subtests() -> None:
    text = "    not ok 1 - inner\n    1..1\nnot ok 1 - outer # TODO\n1..1\n"
    assert outcomes(text.encode()) == {"outer > inner": "xfailed"}


def test_what_a_program_printed_with_indent_is_no_subtest() -> None:
    assert outcomes(b"1..1\n    ok 1 - loud\nok 1 - a\n    ok 7\n") == {"a": "passed"}


def test_a_diagnostic_block_is_skipped() -> None:
    block = "  ---\n  error: 'it''s bad'\n  text: |\n    ok 9 - forged\n    1..9\n  ...\n"
    report = f"1..2\nnot ok 1 - a\n{block}ok 2 - b\n"

    assert outcomes(report) == {"a": "failed", "b": "passed"}
    assert messages(report)["a"] == "it's bad"


def test_numbers_may_come_in_any_order() -> None:
    assert outcomes("1..2\nok 2 - b\nok 1 - a\n") == {"b": "passed", "a": "passed"}


def test_a_file_that_skips_itself_has_no_tests() -> None:
    assert tap.parse(b"1..0 # SKIP no database\n") == ()


def test_a_skipped_failure_is_skipped_and_a_lone_hash_is_a_name() -> None:
    assert outcomes("1..2\nnot ok 1 - a # SKIPPED: x\nok 2 - issue #12\n") == {
        "a": "skipped",
        "issue #12": "passed",
    }


@for_each(
    ("report", "expected"),
    [
        (b"", "empty"),
        (b"ok 1 - a\nok 2 - b\n", "no plan"),
        (b"all is well\n", "no plan"),
        (b"1..5\nok 1\nok 2\nok 3\n", "planned 5, saw 3"),
        (b"ok 1\nok 2\n1..1\n", "planned 1, saw 2"),
        (b"1..2\nok 1\nok 5\n", "planned 2, saw number 5"),
        (b"1..2\nok 1\nok 1\n", "line 3: test 1 is reported twice"),
        (b"ok 1\n1..1\nok 2\n", "line 3: a test after the plan"),
        (b"1..1\nok 1\n1..1\n", "line 3: a second plan"),
        (b"1..2\nok 1\nBail out! the disk is full\n", "line 3: Bail out! the disk is full"),
        (b"1..1\nok 1\n  ---\n  error: x\n", "line 3: a diagnostic block without an end"),
        (b"    ok 1 - a\n    1..2\nok 1 - g\n1..1\n", "planned 2, saw 1"),
        (b"1..1\nok 1\n    1..1\n    ok 1\n", "subtests without the test they belong to"),
        (b" " * 404 + b"ok 1\n1..1\n", "nested deeper than 100"),
        (b"ok 1\n1..1\nResult: PASS\n", "line 1: a test outside of prove's files"),
        (b"\n" * 4_000_001 + b"1..0", "more than 4000000 lines"),
        (b"\n" * 67_108_865 + b"1..0", "at most 67108864"),
    ],
)
def test_what_cannot_be_believed_is_unreadable(report: bytes, expected: str) -> None:
    with pytest.raises(ReportUnreadable) as caught:
        tap.parse(report)

    assert expected in str(caught.value)


def test_names_that_multiply_are_refused() -> None:
    inner = "".join(f"    ok {n}\n" for n in range(1, 1001))
    report = f"{inner}    1..1000\nok 1 - {'x' * 1_000_000}\n1..1\n"

    with pytest.raises(ReportUnreadable, match="too long to be kept"):
        tap.parse(report.encode())


TAPE = """\
    TAP version 13
    # adds
    ok 1 should be strictly equal
    ok 2 twice
    # adds
    ok 3 should be strictly equal
    # takes away
    ok 4 should be strictly equal
    not ok 5 below zero
      ---
        operator: equal
        expected: -1
      ...
    ok 6 # SKIP not today
    # SKIP left out
    # later
    ok 7 # SKIP not today

    1..7
    # tests 7
    # pass  6
    # fail  1

"""


def test_points_of_tape_are_assertions_and_its_titles_are_tests() -> None:
    assert outcomes(TAPE) == {
        "adds": "passed", "adds #2": "passed", "takes away": "failed", "later": "skipped",
    }  # fmt: skip
    assert messages(TAPE)["takes away"] == "below zero"


def test_comments_of_others_are_no_titles() -> None:
    others = TAPE.replace("# pass  6", "# pass 6")

    assert "takes away" not in outcomes(others)
