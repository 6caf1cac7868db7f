"""All tamper rules in one table."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.witness.tamper.catalog.code import CODE
from goalkeeper.witness.tamper.catalog.harness import HARNESS
from goalkeeper.witness.tamper.catalog.process import PROCESS
from goalkeeper.witness.tamper.catalog.records import READING, RECORD, TREE
from goalkeeper.witness.tamper.catalog.removed import REMOVED, SKIPPED
from goalkeeper.witness.tamper.catalog.weakened import WEAKENED
from goalkeeper.witness.tamper.rule import Rule

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for family in (
        REMOVED,
        WEAKENED,
        SKIPPED,
        HARNESS,
        PROCESS,
        CODE,
        RECORD,
        TREE,
        READING,
    )
    for rule in family
}
