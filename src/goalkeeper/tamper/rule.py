"""What a tamper rule is."""

from __future__ import annotations

from enum import StrEnum

from goalkeeper.core.contract.findings import Level
from goalkeeper.wire.value import Value


class Family(StrEnum):
    REMOVED = "tests removed"
    WEAKENED = "assertions weakened"
    SKIPPED = "skips and focus"
    HARNESS = "harness edits"
    PROCESS = "process tricks"
    CODE = "code tricks"
    RECORD = "contract and evidence"
    TREE = "what the tree hides"
    READING = "what could not be read"
    SCOPE = "scope"
    MANIFEST = "manifest"
    PROOF = "both sides"


# The contract may allow these changes; it cannot allow tricks.
ALLOWABLE = frozenset({Family.REMOVED, Family.WEAKENED, Family.SKIPPED, Family.HARNESS})


class Rule(Value):
    """One rule. `level` is the most it says; an honest reading may lower a single finding.

    `example` is a diff of whole files on which the rule fires.
    """

    id: str
    family: Family
    level: Level
    summary: str
    why: str
    example: str
    mend: str
