"""Money in whole cents."""

import re

_AMOUNT = re.compile(r"[+-]?\d+(\.\d+)?")


def cents(amount: str) -> int:
    if not _AMOUNT.fullmatch(amount):
        raise ValueError(f"amount is not a number: {amount!r}")
    return int(float(amount) * 100)


def show(amount: int) -> str:
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100:,}.{abs(amount) % 100:02}"
