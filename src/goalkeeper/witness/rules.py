"""Every rule that a finding can name: some read the change, others belong to the proof."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from goalkeeper.tamper.catalog import Rule, read_rules, review_rules

_OF_THE_PROOF = Path(__file__).with_name("rules.toml")


@cache
def all_rules() -> Mapping[str, Rule]:
    return {**review_rules(), **{rule.id: rule for rule in read_rules(_OF_THE_PROOF)}}
