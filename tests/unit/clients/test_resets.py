"""When a limit ends, in the words of the clients."""

from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

from goalkeeper.clients.limits import find_reset
from tests.tables import for_each

NOW = datetime(2026, 11, 15, 11, 5, 43, tzinfo=UTC)


@for_each(
    ("message", "expected"),
    [
        ("You've hit your 5-hour limit · resets 2:05pm (UTC)", "2026-11-15T14:06:00+00:00"),
        ("You've hit your limit · resets 3pm (UTC)", "2026-11-15T15:01:00+00:00"),
        ("You've hit your limit · resets 9am (UTC)", "2026-11-16T09:01:00+00:00"),
        ("You've hit your limit · resets 12am (UTC)", "2026-11-16T00:01:00+00:00"),
        ("You've hit your limit · resets 12:30pm (UTC)", "2026-11-15T12:31:00+00:00"),
        ("You've hit your weekly limit · resets Nov 18, 6:10am (UTC)", "2026-11-18T06:11:00+00:00"),
        ("hit your weekly limit · resets Jan 14, 2027, 6:10am (UTC)", "2027-01-14T06:11:00+00:00"),
        ("hit your limit · resets Jan 14, 6:10am (UTC)", "2027-01-14T06:11:00+00:00"),
        ("5-hour limit reached ∙ resets Dec 3 at 5pm (UTC)", "2026-12-03T17:01:00+00:00"),
        ("Access resets at 3:05 PM UTC.", "2026-11-15T15:06:00+00:00"),
        ("Access resets at 3:05 PM GMT+2.", "2026-11-15T13:06:00+00:00"),
        ("resets 15:30 (UTC)", "2026-11-15T15:31:00+00:00"),
        ("Claude AI usage limit reached|1794751200", "2026-11-15T14:00:00+00:00"),
        ("Claude AI usage limit reached|1794751200000", "2026-11-15T14:00:00+00:00"),
    ],
)
def test_a_moment_is_found(message: str, expected: str) -> None:
    found = find_reset(message, NOW)

    assert found is not None
    assert found.astimezone(UTC).isoformat() == expected


@for_each(
    ("message", "seconds"),
    [
        ("Please try again in 11.054s.", 11.054),
        ("Please try again in 20ms.", 0.02),
        ("Please retry in 34.07s.", 34.07),
        ("quota will reset after 3h20m10s.", 12010),
        ("Your quota resets in 2 hours and 5 minutes", 7500),
        ("Try again in 3 days 4 hours 12 minutes.", 274320),
    ],
)
def test_a_wait_is_counted_from_when_it_was_told(message: str, seconds: float) -> None:
    assert find_reset(message, NOW) == NOW + timedelta(seconds=seconds)


def test_a_time_without_a_zone_is_by_the_clock_of_the_machine() -> None:
    """Which is five and three quarter hours ahead of UTC in tests."""
    found = find_reset("You’ve hit your usage limit. Try again at 6:18 PM.", NOW)

    assert found is not None
    assert found.astimezone(UTC).isoformat() == "2026-11-15T12:34:00+00:00"


def test_the_minute_that_runs_is_not_tomorrows() -> None:
    found = find_reset("You've hit your limit · resets 11:05am (UTC)", NOW)

    assert found == datetime(2026, 11, 15, 11, 6, tzinfo=UTC)


def test_a_zone_is_known_by_its_name_where_the_machine_knows_zones() -> None:
    found = find_reset("You've hit your limit · resets 2:05pm (Europe/Berlin)", NOW)

    known = "Europe/Berlin" in available_timezones()
    assert found == (datetime(2026, 11, 15, 13, 6, tzinfo=UTC) if known else None)


@for_each(
    "message",
    [
        "",
        "You've hit your limit.",
        "Please try again later.",
        "resets soon",
        "resets 3",
        "resets 25:61 (UTC)",
        "resets Foo 3, 5pm (UTC)",
        "resets Feb 30, 5pm (UTC)",
        "resets 3pm (Nowhere/At_All)",
        "resets 3pm (../../etc/passwd)",
        "Access resets at 3:05 PM XYZ.",
        "try again in 99999999999999 days",
        "limit reached|9999999999999",
    ],
)
def test_what_names_no_moment_gives_none(message: str) -> None:
    found = find_reset(message, NOW)

    assert found is None or found.year > 2200
