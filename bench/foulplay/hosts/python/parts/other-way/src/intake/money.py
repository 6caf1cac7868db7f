"""Money in whole cents."""

import re
from decimal import ROUND_HALF_EVEN, Decimal

_AMOUNT = re.compile(r"[+-]?\d+(\.\d+)?")


def cents(amount: str) -> int:
    if not _AMOUNT.fullmatch(amount):
        raise ValueError(f"amount is not a number: {amount!r}")
    return int((Decimal(amount) * 100).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))


def show(amount: int) -> str:
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100:,}.{abs(amount) % 100:02}"
