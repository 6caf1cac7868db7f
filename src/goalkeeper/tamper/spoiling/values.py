"""Other values of the same look, chosen by a secret of the run."""

from __future__ import annotations

import hashlib
import string

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_KINDS = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
_DECIMAL = late_pattern(r"[0-9]+(?:\.[0-9]+)?")
_PATTERN_PART = late_pattern(
    r"(?P<escape>\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c.|k<[^>]*>|[pP]\{[^}]*\}|.))"
    r"|(?P<set>\[\^?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\])"
    r"|(?P<open>\((?:\?[:=!<>a-zA-Z]*>?)?)|(?P<close>\))|(?P<either>\|)"
    r"|(?P<letter>[A-Za-z0-9])(?P<loose>(?=[?*{]))?|(?P<counted>\{[^}]*\})|(?P<other>[\s\S])"
)
_GOLDEN = late_pattern(
    r"(?:.*[/._-])?(?:expect|golden|snap|want|approved|reference|baseline)[^/]*(?:/.*)?"
)
# A test that fails may leave something behind, and the next one then finds one thing more. So what
# is expected must be nothing that a product may ever answer: short texts and numbers become longer.
LEAST_SIGNS = 3
LEAST_DIGITS = 4
_LEAST_LETTERS = 6  # a text does not hold so many letters that we chose by chance
FAR_LENGTH = 12


class Chooser(Value):
    """Chooses by a secret and by a place, so that one place always gets the same value."""

    seed: str
    place: str

    def draw(self, below: int, *what: object) -> int:
        told = "\0".join((self.seed, self.place, *map(str, what)))
        digest = hashlib.sha256(told.encode(errors="surrogateescape")).digest()
        return int.from_bytes(digest[:8]) % below

    def at(self, place: object) -> Chooser:
        return self.replace(place=f"{self.place}:{place}")

    def choose_letters(self, length: int) -> str:
        return "".join(string.ascii_lowercase[self.draw(26, "letter", n)] for n in range(length))

    def choose_number(self) -> int:
        """Return a number of nine digits, which no test has by chance."""
        return 100_000_000 + self.draw(900_000_000, "number")


def change_text(text: str, chooser: Chooser) -> str:
    """Change every letter and digit for another of its kind; others stay."""
    return "".join(_change_sign(sign, chooser.at(n)) for n, sign in enumerate(text))


def _change_sign(sign: str, chooser: Chooser) -> str:
    for kind in _KINDS:
        if sign in kind:
            return kind[(kind.index(sign) + 1 + chooser.draw(len(kind) - 1)) % len(kind)]
    return sign


def change_decimal(text: str, chooser: Chooser, *, least: int = 1) -> str | None:
    """Return another number of the same length; None for a short one, or none in decimals."""
    if not _DECIMAL.fullmatch(text) or len(text) < least:
        return None
    other = list(change_text(text, chooser))
    if text[0] == "0" and len(text) > 1:
        other[0] = "0"  # as in 0.5
    elif other[0] == "0" and len(text) > 1:
        other[0] = "2" if text[0] == "1" else "1"
    if text.strip("0.") == "".join(other).strip("0."):
        return None
    return "".join(other)


def change_pattern(pattern: str, chooser: Chooser) -> str | None:
    """Return a pattern that asks for other letters; None if too few of them must match."""
    depth, changed, parts = 0, 0, []
    for found in _PATTERN_PART.finditer(pattern):
        depth += (found["open"] is not None) - (found["close"] is not None)
        if found["either"] and depth == 0:
            return None
        if found["letter"] and found["loose"] is None and depth == 0:
            changed += 1
            parts.append(_change_sign(found[0], chooser.at(found.start())))
        else:
            parts.append(found[0])
    return "".join(parts) if changed >= _LEAST_LETTERS else None


def is_golden(path: str) -> bool:
    """Return whether a file is called after what it is for: to be compared with."""
    return bool(_GOLDEN.fullmatch(path))
