"""Names of persons, as headings."""

from backmatter.errors import TermError

_SUFFIXES = {"Jr.", "Sr.", "II", "III", "IV"}
_PARTICLES = {"De", "Del", "Della", "Du", "La", "Le", "Van", "Von"}


def invert(name):
    """Write a name with the surname first; a suffix comes last."""
    words = name.split()
    if not words:
        raise TermError("an empty name")
    if "," in name or len(words) == 1:
        return " ".join(words)
    suffix = words.pop() if words[-1] in _SUFFIXES else ""
    start = len(words) - 1
    while start > 1 and words[start - 1] in _PARTICLES:
        start -= 1
    parts = [" ".join(words[start:]), " ".join(words[:start]), suffix]
    return ", ".join(part for part in parts if part)
