"""Writes findings as SARIF 2.1.0, which code hosts and editors can show."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.tamper.catalog import Rule, review_rules

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Level.BLOCKING: "error", Level.ASKING: "warning", Level.ADVISORY: "note"}


def write_sarif(findings: Iterable[Finding], version: str) -> dict[str, object]:
    rules = review_rules()
    order = {rule_id: index for index, rule_id in enumerate(rules)}
    driver = {
        "name": "goalkeeper",
        "version": version,
        "rules": [_describe_rule(rule) for rule in rules.values()],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_describe_finding(finding, order) for finding in findings],
            }
        ],
    }


def _describe_rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.mend},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
        "properties": {"tags": [rule.family.value]},
    }


def _describe_finding(finding: Finding, order: dict[str, int]) -> dict[str, object]:
    place: dict[str, object] = {
        "artifactLocation": {"uri": quote(finding.path, errors="surrogateescape")}
    }
    if finding.line > 0:
        place["region"] = {"startLine": finding.line}
    result: dict[str, object] = {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.level],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }
    if finding.stands:
        said = f"let stand by {finding.stands_by}: {finding.stands}"
        result["suppressions"] = [{"kind": "external", "justification": said}]
    # A finding of another part of the witness has no rule in this list.
    if finding.rule in order:
        result["ruleIndex"] = order[finding.rule]
    return result
