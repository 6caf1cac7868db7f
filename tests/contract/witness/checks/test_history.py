"""`git`, `commit_message_pattern` and the kinds that compare moments."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.git.commits import Commit
from goalkeeper.witness.checks.moments import parse_instant
from tests.contract.witness.checks.places import Bench
from tests.tables import for_each

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()


def commits(*paths: str) -> tuple[Commit, ...]:
    """What a repository would tell: one commit touches src, two touch nothing asked for."""
    assert all(path.startswith(":(glob)") for path in paths)
    found = (Commit("1", 0, "feat: one\n\nCloses: 7"), Commit("2", 0, "fix: two"))
    return found if not paths else found[:1]


@for_each(
    ("main", "options", "verdict", "reason"),
    [
        ("commits", {}, P, "2 of 2 commits since base fit"),
        ("commits", {"min_count": 3}, F, "2 of 2 commits since base fit, expected 3"),
        ("commits", {"grep": "^fix"}, P, "1 of 2"),
        ("commits", {"grep": "^Closes: 7$"}, P, "1 of 2"),
        ("commits", {"grep": "^docs"}, F, "0 of 2"),
        ("commits", {"paths": ["src/**"], "min_count": 2}, F, "1 of 1"),
        ("clean", {}, P, "clean"),
        ("scope", {"touch": ["src/**", "docs"]}, P, "in scope"),
        ("scope", {"touch": ["src/**"]}, F, "outside the scope: docs/x.md"),
        ("scope", {"never": ["docs/**"]}, F, "outside the scope: docs/x.md"),
        ("scope", {"touch": ["**"], "never": ["src/b.py"]}, P, "in scope"),
    ],
)
def test_what_history_says(
    main: str, options: dict[str, Any], verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.know(commits=commits, changed=("src/a.py", "docs/x.md"))

    seen = bench.see("git", main, **options)

    assert (seen.verdict, seen.reason.startswith(reason)) == (verdict, True), seen


def test_changes_that_are_not_committed_are_not_clean(bench: Bench) -> None:
    bench.know(is_clean=lambda: False)

    assert bench.see("git", "clean").verdict is F


@for_each(
    ("pattern", "least", "verdict"), [("^feat", 1, P), ("^feat", 2, F), (":", 2, P), ("^x", 1, F)]
)
def test_messages_match_a_pattern(
    pattern: str, least: int, verdict: Verdict, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.know(commits=commits)

    assert bench.see("commit_message_pattern", pattern, min_count=least).verdict is verdict


@for_each(
    ("text", "seconds"),
    [
        ("2026-03-01T12:00:00Z", NOON),
        ("2026-03-01T13:00+01:00", NOON),
        ("2026-03-01T12:00", NOON),
        ("2026-03-01", NOON - 12 * 3600),
    ],
)
def test_a_moment_without_a_zone_is_utc(text: str, seconds: float) -> None:
    assert parse_instant(text) == seconds


@for_each(
    ("now", "delay", "verdict"),
    [(NOON, 0, P), (NOON - 1, 0, F), (NOON + 9, 10, F), (NOON + 10, 10, P)],
)
def test_a_moment_has_passed_or_not(
    now: float, delay: int, verdict: Verdict, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.know(now=now)

    assert bench.see("after_time", "2026-03-01T12:00:00Z", delay_seconds=delay).verdict is verdict


@for_each(
    ("since", "times", "least", "verdict"),
    [
        (NOON, [NOON + 1], 1, P),
        (NOON, [NOON - 59], 1, P),
        (NOON, [NOON - 61], 1, F),
        (NOON, [], 1, F),
        (NOON, [NOON + 1, NOON - 999], 2, F),
        (None, [NOON], 1, U),
    ],
)
def test_files_are_newer_than_a_moment(
    since: float | None, times: list[float], least: int, verdict: Verdict, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.know(moment=lambda _: since, mtimes=lambda _: times)

    seen = bench.see("file_exists_after", "out/*", after="git:HEAD", min_count=least)

    assert seen.verdict is verdict, seen


@for_each(
    ("since", "completed", "verdict", "reason"),
    [
        (NOON, {"G002": "2026-03-01T12:00:05Z"}, P, "G002 completed at 2026-03-01T12:00:05"),
        (NOON, {"G002": "2026-03-01T11:00:00Z"}, F, "G002 completed at"),
        (NOON, {"G001": "2026-03-01T12:00:05Z"}, F, "G002 is not complete"),
        (None, {"G002": "2026-03-01T12:00:05Z"}, U, "file:x names no moment"),
    ],
)
def test_another_goal_completed_after_a_moment(
    since: float | None, completed: dict[str, str], verdict: Verdict, reason: str, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    bench.know(moment=lambda _: since, completed=completed)

    seen = bench.see("goal_completed_after", "G002", after="file:x")

    assert (seen.verdict, seen.reason.startswith(reason)) == (verdict, True), seen
