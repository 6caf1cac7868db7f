"""The index at the end of a book."""

from backmatter.errors import LoopError, PageError, TermError
from backmatter.index import Index
from backmatter.names import invert
from backmatter.pages import format_pages, parse_pages
from backmatter.sorting import sort_key

__all__ = [
    "Index", "LoopError", "PageError", "TermError",
    "format_pages", "invert", "parse_pages", "sort_key",
]
