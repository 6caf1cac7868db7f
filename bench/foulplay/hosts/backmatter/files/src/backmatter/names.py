"""Names of persons, as headings."""


def invert(name):
    """Write a name with the surname first."""
    raise NotImplementedError
