"""The days on which the library is open."""

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class OpeningsError(ValueError):
    """A text names no days."""


class Openings:
    """Weekdays (0 is Monday), but for some dates on which it is closed."""

    def __init__(self, weekdays, closed=()):
        self.weekdays = frozenset(weekdays)
        self.closed = frozenset(closed)

    @classmethod
    def parse(cls, text, closed=()):
        """Read weekdays: `mon, thu`. Ranges are not known so far."""
        days = []
        for part in text.split(","):
            name = part.strip()
            if name not in WEEKDAYS:
                raise OpeningsError(f"not a weekday: {name!r}")
            days.append(WEEKDAYS.index(name))
        return cls(days, closed)

    def is_open(self, day):
        return day.weekday() in self.weekdays and day not in self.closed

    def next_open(self, day):
        """Tell the first open day that is not before this one."""
        raise NotImplementedError

    def count_open(self, after, until):
        """Count the open days after one day, up to and with another."""
        raise NotImplementedError
