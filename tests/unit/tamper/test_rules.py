"""Every rule: what it says of itself, and that it fires on its own example."""

import re

import pytest

from goalkeeper.core.contract.findings import Level
from goalkeeper.tamper.rule import ALLOWABLE, Rule
from goalkeeper.tamper.rules import RULES
from tests.unit.tamper.diffs import Diff, findings

READABLE = [rule for rule in RULES.values() if rule.id not in {"file-too-large", "file-too-deep"}]


def named(rule: Rule) -> str:
    return rule.id


@pytest.mark.parametrize("rule", READABLE, ids=named)
def test_a_rule_fires_on_its_example(rule: Rule) -> None:
    found = {(each.rule, each.level) for each in findings(rule.example)}

    assert (rule.id, rule.level) in found


@pytest.mark.parametrize("rule", READABLE, ids=named)
def test_an_example_shows_its_rule_and_no_other_that_blocks(rule: Rule) -> None:
    blocking = {each.rule for each in findings(rule.example) if each.level is Level.BLOCKING}

    assert blocking <= {rule.id, "process-exit"}  # which an exit hook may well call


@pytest.mark.parametrize("rule", READABLE, ids=named)
def test_what_the_contract_allows_is_only_shown(rule: Rule) -> None:
    levels = {
        each.level for each in findings(rule.example, may_change=True) if each.rule == rule.id
    }

    assert levels == ({Level.ADVISORY} if rule.family in ALLOWABLE else {rule.level})


@pytest.mark.parametrize("rule", RULES.values(), ids=named)
def test_a_rule_explains_itself(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.id)
    assert all(text.endswith(".") for text in (rule.summary, rule.why, rule.mend))
    assert Diff(rule.example).changes


@pytest.mark.parametrize("rule", RULES.values(), ids=named)
def test_a_change_taken_back_is_no_finding_twice(rule: Rule) -> None:
    assert len(findings(rule.example)) == len(set(findings(rule.example)))


def test_the_table_names_each_rule_by_its_id() -> None:
    assert all(name == rule.id for name, rule in RULES.items())
    assert len(RULES) > 60
