"""An index: terms with their pages, and references from one term to another."""

from backmatter.errors import LoopError, TermError
from backmatter.pages import format_pages, parse_pages
from backmatter.sorting import sort_key


class Index:
    def __init__(self, limit=None):
        self.limit = limit
        self._pages = {}
        self._see = {}

    def add(self, term, text):
        """Add pages to a term, or to the one that it refers to."""
        self._pages.setdefault(self._follow(term), set()).update(parse_pages(text))

    def terms(self):
        return sorted(self._pages, key=sort_key)

    def see(self, old, new):
        """Refer from one term to another, which gets the pages."""
        target = self._follow(new)
        if target == old:
            raise LoopError(f"{old} leads back to itself")
        self._see[old] = new
        if old in self._pages:
            self._pages.setdefault(target, set()).update(self._pages.pop(old))

    def lookup(self, term):
        """Give the pages of a term, or of the one that it refers to."""
        target = self._follow(term)
        if target not in self._pages:
            raise TermError(f"no such term: {term}")
        return sorted(self._pages[target])

    def lines(self):
        """Write the index, a line for each heading."""
        return [self._write(each) for each in sorted({*self._pages, *self._see}, key=sort_key)]

    def _follow(self, term):
        while term in self._see:
            term = self._see[term]
        return term

    def _write(self, term):
        if term in self._see:
            return f"{term}, see {self._see[term]}"
        text = format_pages(self._pages[term])
        if self.limit is not None and text.count(",") + 1 > self.limit:
            text = "passim"
        return f"{term}, {text}"
