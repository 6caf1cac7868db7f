"""`after_time`, `file_exists_after`, `goal_completed_after`: one moment is after another.

A moment is the time of a commit or of a file, or a written time.
"""

from __future__ import annotations

import glob
import os
from datetime import UTC, datetime

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.errors import OutsideError, UsageError
from goalkeeper.git.trees import Trees
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckEnded,
    CheckResult,
    make_failed,
    make_result,
    make_unknown,
)

GRACE_SECONDS = 60  # clocks of files, commits and ours differ a little
_MTIMES = 10_000


def check_after_time(check: Check, place: CheckContext) -> CheckResult:
    due = parse_instant(check.main_option) + check.options["delay_seconds"]
    early = f"not before {check.main_option}" if place.work.now < due else ""
    return make_result(early, "the moment has passed")


def check_file_exists_after(check: Check, place: CheckContext) -> CheckResult:
    since = _require_moment(check, place)
    written = [at for at in place.work.mtimes(check.main_option) if at >= since]
    said = f"{len(written)} files of {check.main_option} are newer than {check.options['after']}"
    return make_result(said if len(written) < check.options["min_count"] else "", said)


def check_goal_completed_after(check: Check, place: CheckContext) -> CheckResult:
    since = _require_moment(check, place)
    completed = place.work.completed.get(check.main_option)
    if not completed:
        return make_failed(f"{check.main_option} is not complete")
    said = f"{check.main_option} completed at {completed[:19]}"
    is_late = parse_instant(completed) >= since
    return make_result("" if is_late else f"{said}, before {check.options['after']}", said)


def _require_moment(check: Check, place: CheckContext) -> float:
    since = place.work.moment(check.options["after"])
    if since is None:
        raise CheckEnded(make_unknown(f"{check.options['after']} names no moment"))
    return since - GRACE_SECONDS


def parse_instant(text: str) -> float:
    """Return the seconds of an ISO time; a time without a zone is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def find_moment(reference: str, worktree: str, trees: Trees) -> float | None:
    """Return the moment of `iso:TIME`, `git:REVISION` or `file:PATH`; None if there is none."""
    kind, _, name = reference.partition(":")
    try:
        if kind == "iso":
            return parse_instant(name)
        if kind == "file":
            return os.stat(os.path.join(worktree, name)).st_mtime
        commit = trees.resolve_revision(name).commit
        return float(trees.list_commits("", commit)[0].at) if commit else None
    except (ValueError, OSError, OutsideError, UsageError):
        return None


def list_mtimes(pattern: str, worktree: str) -> list[float]:
    """Return the times at which matching files of the working tree were written."""
    found = glob.iglob(pattern, root_dir=worktree, recursive=True)
    times = []
    for path, _ in zip(found, range(_MTIMES), strict=False):
        full = os.path.join(worktree, path)
        if os.path.isfile(full) and not os.path.islink(full):
            times.append(os.stat(full).st_mtime)
    return times
