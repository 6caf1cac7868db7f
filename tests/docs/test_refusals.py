"""The catalogue of refusals names every one, and no other."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tests.docs.codes import ARTIFACTS, GATE, RECEIPTS, REFUSALS, Found, collected
from tests.tables import for_each

PAGE = Path(__file__).parents[2] / "docs" / "refusals.md"


@cache
def found() -> Found:
    """Read the sources once, and only when a test asks."""
    return collected()


def documented(section: str) -> set[str]:
    """What stands in code marks in the first column of the section's tables."""
    text = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    (body,) = [part for part in text if part.startswith(section + "\n")]
    cells = [row.split("|")[1] for row in body.splitlines() if row.startswith("| `")]
    return {code for cell in cells for code in re.findall(r"`([^`]+)`", cell)}


def in_source(section: str) -> set[str]:
    codes = found().codes[section]
    if section == ARTIFACTS:  # told with the kind before it
        return {f"…-{code}" for code in codes}
    return {code for code in codes if code.strip("*-")}


@for_each("section", [REFUSALS, GATE, ARTIFACTS, RECEIPTS])
def test_every_code_is_documented(section: str) -> None:
    known = documented(section)
    missing = sorted(
        code for code in in_source(section) if not any(fnmatchcase(name, code) for name in known)
    )

    rows = "\n".join(f"| `{code}` | what it means | what mends it |" for code in missing)
    assert missing == [], f"add to docs/refusals.md, under '## {section}':\n{rows}"


@for_each("section", [REFUSALS, GATE, ARTIFACTS, RECEIPTS])
def test_every_documented_code_can_be_met(section: str) -> None:
    codes = in_source(section)
    gone = sorted(
        name for name in documented(section) if not any(fnmatchcase(name, c) for c in codes)
    )

    assert gone == [], "take these rows out of docs/refusals.md, or fix their spelling"


def test_codes_are_written_where_they_can_be_read() -> None:
    said = "write the code as a text at the call, or in an assignment beside it"

    assert found().unreadable == [], said
