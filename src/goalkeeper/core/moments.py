"""Moments as the ledger writes them. Comparing them needs no module; who reads them loads one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

DAY_SECONDS = 86400


def parse_moment(text: str, *, without_zone: bool = False) -> datetime | None:
    """Return None if it names no moment. Ours do; what a service tells an agent may be anything.

    A time without a zone is one of UTC where that is allowed, and else no moment.
    """
    from datetime import UTC, datetime  # noqa: PLC0415

    try:
        moment = datetime.fromisoformat(text)
        if without_zone and not moment.tzinfo:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def format_moment(moment: datetime) -> str:
    from datetime import UTC  # noqa: PLC0415

    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def shorten_moment(at: str) -> str:
    """Return the minute of a moment as people read it; the zone is UTC still."""
    return at[:16].replace("T", " ")


def add_seconds(at: str, seconds: float) -> str:
    """Add seconds. Return a text that names no moment as it is: folding accepts every line."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415

    moment = parse_moment(at)
    try:
        return format_moment(moment + timedelta(seconds=seconds)) if moment else at
    except OverflowError:
        return format_moment(datetime.max.replace(tzinfo=UTC))


def milliseconds_between(start: str, end: str) -> int:
    """Return 0 when a clock went backwards, or told no time at all."""
    first, last = parse_moment(start), parse_moment(end)
    if first is None or last is None:
        return 0
    return max(0, int((last - first).total_seconds() * 1000))
