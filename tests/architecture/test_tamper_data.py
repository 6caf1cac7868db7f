"""The data of the reviewer: every word in it is known to a reader, and none is left over."""

import re
import tomllib
from pathlib import Path

from goalkeeper.tamper.catalog import review_rules
from goalkeeper.tamper.words import read_pattern

TAMPER = Path(__file__).parents[2] / "src" / "goalkeeper" / "tamper"
CODE = "\n".join(path.read_text() for path in sorted(TAMPER.rglob("*.py")))
DATA = "\n".join(path.read_text() for path in sorted(TAMPER.rglob("*.toml")))
WORDS = tomllib.loads((TAMPER / "words.toml").read_text())


def test_every_named_pattern_is_there_and_is_used() -> None:
    known = {*WORDS["words"], *WORDS["patterns"]}
    named = set(re.findall(r'\bread_(?:words|pattern)\("([a-z-]+)"\)', CODE))
    named |= set(re.findall(r"\{([a-z]+(?:-[a-z]+)+)\}", DATA))

    assert named - known == set()
    assert {name for name in known - named if f'"{name}"' not in CODE} == set()


def test_a_pattern_has_no_key_that_nobody_reads() -> None:
    known = {"language", "kind", "where", "files", "name", "message", "level"}
    known |= {"text", "arguments", "first", "owner", "calls"}
    entries = [
        entry
        for path in (TAMPER / "rules").glob("*.toml")
        for rule in tomllib.loads(path.read_text())["rule"]
        for entry in (*rule.get("lines", ()), *rule.get("files", ()), *rule.get("code", ()))
    ]

    assert len(entries) > 50
    assert [entry for entry in entries if not entry.keys() <= known] == []


def test_a_pattern_asks_for_what_readers_give() -> None:
    patterns = [each for rule in review_rules().values() for each in rule.code]
    asked = {word for each in patterns for word in (*each.kinds, *each.where, *each.languages)}
    asked |= {aspect for each in patterns for aspect, _ in each.texts}

    assert {word for word in asked if f'"{word}"' not in CODE} == set()


def test_every_pattern_can_be_compiled() -> None:
    """They are compiled at their first use, so a mistake would show only there."""
    patterns = [read_pattern(name) for name in WORDS["patterns"]]
    for each in (code for rule in review_rules().values() for code in rule.code):
        patterns += [each.files, each.name, *(pattern for _, pattern in each.texts)]

    assert all(pattern.pattern for pattern in patterns)
