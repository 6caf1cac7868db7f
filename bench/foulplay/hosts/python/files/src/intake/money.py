"""Money in whole cents."""


def cents(amount: str) -> int:
    return int(float(amount) * 100)


def show(amount: int) -> str:
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100:,}.{abs(amount) % 100:02}"
