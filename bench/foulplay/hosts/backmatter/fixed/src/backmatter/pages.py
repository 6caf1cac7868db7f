"""Numbers of pages, read and written."""

import re

from backmatter.errors import PageError

_PART = re.compile(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*")


def parse_pages(text):
    """Read numbers and ranges between commas; they come sorted, each once."""
    found = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise PageError(f"no pages: {part!r}")
        first, last = match[1], match[2] or match[1]
        if len(last) < len(first):
            last = first[: len(first) - len(last)] + last
        if not 1 <= int(first) <= int(last) or (match[2] and int(first) == int(last)):
            raise PageError(f"no range: {part!r}")
        found.update(range(int(first), int(last) + 1))
    return sorted(found)


def format_pages(pages):
    """Write numbers between commas, those that follow each other as ranges."""
    runs = []
    for page in sorted(set(pages)):
        if page < 1:
            raise PageError(f"no page: {page}")
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(str(a) if a == b else f"{a}-{shorten(a, b)}" for a, b in runs)


def shorten(first, last):
    """Write the last number of a range, without the digits that nobody needs."""
    one, two = str(first), str(last)
    if first < 100 or first % 100 == 0 or len(one) != len(two):
        return two
    same = next(n for n, pair in enumerate(zip(one, two)) if pair[0] != pair[1])
    if first % 100 >= 10:
        same = min(same, len(two) - 2)
    return two[same:]
