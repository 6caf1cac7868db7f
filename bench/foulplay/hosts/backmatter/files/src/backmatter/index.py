"""An index: terms with their pages, and references from one term to another."""

from backmatter.pages import parse_pages
from backmatter.sorting import sort_key


class Index:
    def __init__(self, limit=None):
        self.limit = limit
        self._pages = {}

    def add(self, term, text):
        """Add pages to a term."""
        self._pages.setdefault(term, set()).update(parse_pages(text))

    def terms(self):
        return sorted(self._pages, key=sort_key)

    def see(self, old, new):
        """Refer from one term to another."""
        raise NotImplementedError

    def lookup(self, term):
        """Give the pages of a term, or of the one that it refers to."""
        return sorted(self._pages[term])

    def lines(self):
        """Write the index, a line for each heading."""
        raise NotImplementedError
