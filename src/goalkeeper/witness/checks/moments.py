"""`after_time`, `file_exists_after`, `goal_completed_after`: one moment is after another."""

from __future__ import annotations

from datetime import UTC, datetime

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import (
    CheckContext,
    CheckResult,
    make_failed,
    make_passed,
    make_unknown,
)

GRACE_SECONDS = 60  # clocks of files, commits and ours differ a little


def parse_instant(text: str) -> float:
    """Return the seconds of an ISO time; a time without a zone is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def after_time(check: Check, place: CheckContext) -> CheckResult:
    due = parse_instant(check.main_option) + check.options["delay_seconds"]
    passed_by = place.work.now >= due
    return (
        make_passed("the moment has passed")
        if passed_by
        else make_failed(f"not before {check.main_option}")
    )


def file_exists_after(check: Check, place: CheckContext) -> CheckResult:
    since = place.work.moment(check.options["after"])
    if since is None:
        return make_unknown(f"{check.options['after']} names no moment")
    written = [at for at in place.work.mtimes(check.main_option) if at >= since - GRACE_SECONDS]
    said = f"{len(written)} files of {check.main_option} are newer than {check.options['after']}"
    return make_passed(said) if len(written) >= check.options["min_count"] else make_failed(said)


def goal_completed_after(check: Check, place: CheckContext) -> CheckResult:
    since = place.work.moment(check.options["after"])
    if since is None:
        return make_unknown(f"{check.options['after']} names no moment")
    completed = place.work.completed.get(check.main_option)
    if not completed:
        return make_failed(f"{check.main_option} is not complete")
    late = parse_instant(completed) >= since - GRACE_SECONDS
    said = f"{check.main_option} completed at {completed[:19]}"
    return make_passed(said) if late else make_failed(f"{said}, before {check.options['after']}")
