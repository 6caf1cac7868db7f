"""Reads opening hours."""

from hours.reading import HoursError, parse
from hours.spans import DAY, Span, minutes
from hours.text import show

__all__ = ["DAY", "HoursError", "Span", "minutes", "parse", "show"]
