"""Moments as the ledger writes them: who compares the texts compares the times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def parse_moment(text: str) -> datetime | None:
    """Return None if it names no moment. Ours do; what a service tells an agent may be anything."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def format_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def add_seconds(at: str, seconds: float) -> str:
    """Add seconds. Return a text that names no moment as it is: folding accepts every line."""
    try:
        return format_moment(datetime.fromisoformat(at) + timedelta(seconds=seconds))
    except OverflowError:
        return format_moment(datetime.max.replace(tzinfo=UTC))
    except ValueError:
        return at


def milliseconds_between(start: str, end: str) -> int:
    """Return 0 when a clock went backwards, or told no time at all."""
    first, last = parse_moment(start), parse_moment(end)
    if first is None or last is None:
        return 0
    return max(0, int((last - first).total_seconds() * 1000))
