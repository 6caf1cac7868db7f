"""The days on which the library is open."""

from datetime import timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = timedelta(days=1)


class OpeningsError(ValueError):
    """A text names no days."""


def _weekday(name):
    name = name.strip().lower()
    for number, full in enumerate(WEEKDAYS):
        if name in (full, full[:3]):
            return number
    raise OpeningsError(f"not a weekday: {name!r}")


class Openings:
    """Weekdays (0 is Monday), but for some dates on which it is closed."""

    def __init__(self, weekdays, closed=()):
        self.weekdays = frozenset(weekdays)
        self.closed = frozenset(closed)

    @classmethod
    def parse(cls, text, closed=()):
        """Read weekdays and ranges of them: `mon-wed, Saturday`."""
        days = set()
        for part in text.split(","):
            first, hyphen, last = part.partition("-")
            day = _weekday(first)
            end = _weekday(last) if hyphen else day
            days.add(day)
            while day != end:
                day = (day + 1) % 7
                days.add(day)
        return cls(days, closed)

    def is_open(self, day):
        return day.weekday() in self.weekdays and day not in self.closed

    def next_open(self, day):
        """Tell the first open day that is not before this one."""
        while not self.is_open(day):
            day += _DAY
        return day

    def count_open(self, after, until):
        """Count the open days after one day, up to and with another."""
        late = (until - after).days
        return sum(self.is_open(after + n * _DAY) for n in range(1, late + 1))
