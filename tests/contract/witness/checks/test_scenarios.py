"""The numbered scenarios of the specification that are about checks."""

import os
from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.document import Contract, read_text
from goalkeeper.git.commits import Commit
from tests.contract.witness.checks.places import Bench
from tests.tables import for_each

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN


def test_T11_nothing_there_is_absent_and_two_of_three_are_too_few(bench: Bench) -> None:
    assert bench.see("file", "*.csv", **{"is": "absent"}).verdict is P

    bench.write("a.csv")
    bench.write("b.csv")
    few = bench.see("file", "*.csv", min_count=3)
    assert (few.verdict, few.reason) == (F, "2 files match *.csv, expected at least 3")


@for_each(("before", "verdict"), [(59, P), (60, P), (61, F)])
def test_T12_a_file_may_be_a_minute_older_than_the_moment(
    before: int, verdict: Verdict, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.know(moment=lambda _: 1000.0, mtimes=lambda _: [1000.0 - before])

    assert bench.see("file_exists_after", "out.csv", after="iso:2026-01-01").verdict is verdict


@for_each(("completed", "verdict"), [("T23:59:59Z", P), ("T17:58:59Z", F)])
def test_T13_a_goal_completed_after_a_moment_of_the_same_day(
    completed: str, verdict: Verdict, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    cutoff = 1784484000.0  # 2026-07-19T18:00:00Z
    bench.know(moment=lambda _: cutoff, completed={"G001": f"2026-07-19{completed}"})

    seen = bench.see("goal_completed_after", "G001", after="iso:2026-07-19T18:00:00Z")
    assert seen.verdict is verdict


def test_T14_the_commit_that_work_began_with_does_not_count_and_the_next_does(
    bench: Bench,
) -> None:
    assert bench.see("git", "commits").verdict is F

    bench.know(commits=lambda *_: (Commit("c" * 40, 1, "more"),))
    assert bench.see("git", "commits").verdict is P


def test_T15_the_first_number_counts_with_its_sign(bench: Bench) -> None:
    seen = bench.see("metric", ["echo", "rows: -4 ok"], min=0)

    assert (seen.verdict, seen.reason) == (F, "-4, expected 0..")
    assert bench.see("metric", ["echo", "{}"], extract="json_length", max=0).verdict is P


def test_T15_a_metric_without_bounds_is_refused_when_it_is_written() -> None:
    text = "criteria:\n- {id: C1, text: few, check: {metric: [wc, -l]}}\n"
    problems = read_text(text)

    assert not isinstance(problems, Contract)
    assert "give min or max" in str(problems[0])


def test_T16_a_variable_is_no_program_and_what_follows_a_semicolon_no_command(
    bench: Bench,
) -> None:
    kept = bench.write("kept")

    assert bench.see("command", ["PATH=/tmp/x", "bash", "a.sh"]).verdict is U
    assert bench.see("command", ["test", "-e", "kept", ";", "rm", "kept"]).verdict is F
    assert kept.exists()
    given = bench.see("command", ["sh", "-c", "test $WORD = x"], env={"WORD": "x"})
    assert given.verdict is P


def test_T17_a_command_that_does_not_end_is_unknown_and_leaves_nobody_behind(
    bench: Bench,
) -> None:
    seen = bench.see("command", ["sh", "-c", "echo $$ > pid; sleep 600 & wait"], timeout=1)

    assert seen.verdict is U
    assert seen.reason.startswith("it hit the limit on time")
    group = int((bench.root / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)
