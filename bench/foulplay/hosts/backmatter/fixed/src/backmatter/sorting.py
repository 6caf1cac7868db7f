"""The order of headings."""

_ARTICLES = {"a", "an", "the"}


def sort_key(heading):
    """Give what headings are sorted by: letter by letter, without an article at the start."""
    first, _, rest = heading.casefold().partition(" ")
    text = rest if first in _ARTICLES and rest else heading.casefold()
    return "".join(filter(str.isalnum, text))
