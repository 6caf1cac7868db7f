"""Problems of something that somebody wrote."""

from __future__ import annotations

from goalkeeper.wire.value import Value


class Problem(Value):
    """One thing wrong with something somebody wrote, and where."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def is_blank(text: str) -> bool:
    """Return whether it says nothing, because no letter and no digit is in it."""
    return not any(character.isalnum() for character in text)
