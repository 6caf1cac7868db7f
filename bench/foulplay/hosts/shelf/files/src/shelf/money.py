"""Amounts of money, kept in cents."""


def format_money(cents):
    """Write an amount."""
    return f"{cents // 100}.{cents % 100:02}"
