"""What the rows of a statement add up to."""

from collections.abc import Iterable

from intake.rows import Row


def by_account(rows: Iterable[Row]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for row in rows:
        totals[row.account] = totals.get(row.account, 0) + row.cents
    return dict(sorted(totals.items()))


def mean(rows: Iterable[Row]) -> float:
    amounts = [row.cents / 100 for row in rows]
    return sum(amounts) / len(amounts) if amounts else 0.0
