"""Patterns that are compiled late are the patterns that `re` compiles."""

from __future__ import annotations

import re

import pytest

from goalkeeper.wire.pattern import late_pattern


def test_it_does_what_a_compiled_pattern_does() -> None:
    late = late_pattern(r"(?P<word>[a-z]+)!", re.IGNORECASE)

    assert [found["word"] for found in late.finditer("No! no! go")] == ["No", "no"]
    assert late.sub(r"<\g<word>>", "Yes!") == "<Yes>"
    assert (late.pattern, late.flags & re.IGNORECASE) == (r"(?P<word>[a-z]+)!", re.IGNORECASE)
    assert late_pattern(rb"\d").search(b"a1") is not None


def test_a_mistake_in_it_shows_at_its_first_use() -> None:
    late = late_pattern("(")

    with pytest.raises(re.error, match="missing \\)"):
        late.match("")
