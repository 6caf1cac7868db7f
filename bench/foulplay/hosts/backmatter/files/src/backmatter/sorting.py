"""The order of headings."""


def sort_key(heading):
    """Give what headings are sorted by."""
    return heading.casefold()
