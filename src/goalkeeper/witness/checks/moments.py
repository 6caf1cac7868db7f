"""`after_time`, `file_exists_after`, `goal_completed_after`: one moment is after another."""

from __future__ import annotations

from datetime import UTC, datetime

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.witness.check_context import Place, Seen, failed, passed, unknown

GRACE_SECONDS = 60  # clocks of files, commits and ours differ a little


def instant(text: str) -> float:
    """Return the seconds of an ISO time; a time without a zone is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def after_time(check: Check, place: Place) -> Seen:
    due = instant(check.main) + check.options["delay_seconds"]
    passed_by = place.work.now >= due
    return passed("the moment has passed") if passed_by else failed(f"not before {check.main}")


def file_exists_after(check: Check, place: Place) -> Seen:
    since = place.work.moment(check.options["after"])
    if since is None:
        return unknown(f"{check.options['after']} names no moment")
    written = [at for at in place.work.mtimes(check.main) if at >= since - GRACE_SECONDS]
    said = f"{len(written)} files of {check.main} are newer than {check.options['after']}"
    return passed(said) if len(written) >= check.options["min_count"] else failed(said)


def goal_completed_after(check: Check, place: Place) -> Seen:
    since = place.work.moment(check.options["after"])
    if since is None:
        return unknown(f"{check.options['after']} names no moment")
    completed = place.work.completed.get(check.main)
    if not completed:
        return failed(f"{check.main} is not complete")
    late = instant(completed) >= since - GRACE_SECONDS
    said = f"{check.main} completed at {completed[:19]}"
    return passed(said) if late else failed(f"{said}, before {check.options['after']}")
