"""Numbers of pages, read and written."""

from backmatter.errors import PageError


def parse_pages(text):
    """Read numbers between commas; they come sorted, each once."""
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise PageError(f"no pages: {text!r}") from None


def format_pages(pages):
    """Write numbers between commas."""
    return ", ".join(map(str, sorted(set(pages))))
