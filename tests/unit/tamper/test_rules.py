"""The catalogue of rules: what each entry says of itself, and its examples, which are its tests."""

import re

from goalkeeper.core.contract.findings import Level
from goalkeeper.core.plan.gate import TOOL_MOVED
from goalkeeper.tamper.catalog import ALLOWABLE, Rule, review_rules
from goalkeeper.witness.rules import all_rules
from tests.unit.tamper.diffs import Diff, findings

RULES = review_rules()
# Their examples are sketches: the real thing would be a megabyte, or a thousand brackets.
SKETCHED = {"file-too-large", "file-too-deep"}
EXAMPLES = {
    f"{rule.id} {number}": (rule, diff)
    for rule in RULES.values()
    for number, diff in enumerate((rule.example, *rule.bad))
    if rule.id not in SKETCHED
}


def most(rule: Rule) -> set[Level]:
    """Return how strong a rule may be: what blocks is a question in a file that is put back."""
    return {rule.level} if rule.level is not Level.BLOCKING else {Level.BLOCKING, Level.ASKING}


def test_a_rule_fires_on_each_bad_example_and_on_no_good_one() -> None:
    silent = [
        name
        for name, (rule, diff) in EXAMPLES.items()
        if not {each.level for each in findings(diff) if each.rule == rule.id} & most(rule)
    ]
    wrong = [
        rule.id
        for rule in RULES.values()
        for diff in rule.good
        if rule.id in {each.rule for each in findings(diff)}
    ]

    assert (silent, wrong) == ([], [])


def test_every_rule_has_a_good_example() -> None:
    assert [rule.id for rule in RULES.values() if not rule.good] == []


def test_an_example_shows_its_rule_and_no_other_that_blocks() -> None:
    others = {
        name: sorted(blocking - {rule.id})
        for name, (rule, diff) in EXAMPLES.items()
        if (blocking := {each.rule for each in findings(diff) if each.level is not Level.ADVISORY})
    }

    assert {name: rules for name, rules in others.items() if rules} == {}


def test_what_the_contract_allows_is_only_shown() -> None:
    for name, (rule, diff) in EXAMPLES.items():
        found = findings(diff, may_change=True)
        levels = {each.level for each in found if each.rule == rule.id}
        # Nobody asks for tests that cannot fail.
        shown = {Level.ADVISORY} if rule.level is not Level.BLOCKING else {Level.ASKING}

        assert levels <= (shown if rule.family in ALLOWABLE else most(rule)), name
        assert levels, name


def test_a_rule_explains_itself() -> None:
    for rule in RULES.values():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.id)
        assert all(text.endswith(".") for text in (rule.summary, rule.why, rule.mend)), rule.id
        assert all(Diff(diff).changes for diff in (rule.example, *rule.bad, *rule.good)), rule.id


def test_a_finding_is_told_once() -> None:
    for name, (_, diff) in EXAMPLES.items():
        assert len(findings(diff)) == len(set(findings(diff))), name


def test_the_table_names_each_rule_by_its_id() -> None:
    assert all(name == rule.id for name, rule in all_rules().items())
    assert len(RULES) > 40
    assert TOOL_MOVED in all_rules()
