"""All tamper rules in one table."""

from __future__ import annotations

from collections.abc import Mapping

from goalkeeper.tamper.catalog.code import CODE
from goalkeeper.tamper.catalog.harness import HARNESS
from goalkeeper.tamper.catalog.process import PROCESS
from goalkeeper.tamper.catalog.records import READING, RECORD, TREE
from goalkeeper.tamper.catalog.removed import REMOVED, SKIPPED
from goalkeeper.tamper.catalog.weakened import WEAKENED
from goalkeeper.tamper.rule import Rule

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
