"""Amounts of money, kept in cents."""


def format_money(cents):
    """Write an amount, with a comma between thousands."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}.{rest:02}"
