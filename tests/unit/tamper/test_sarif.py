"""Findings as SARIF 2.1.0, held against what its schema asks for."""

import json
from typing import Any

from goalkeeper.core.contract.findings import Finding, Level
from goalkeeper.tamper.catalog import review_rules
from goalkeeper.tamper.sarif import write_sarif

FINDINGS = (
    Finding("skip-added", Level.BLOCKING, "tests/test a.py", 3, "test_a is now under skip"),
    Finding("mode-changed", Level.ADVISORY, "check.sh", 0, "the mode went to 100644"),
    Finding("out-of-scope", Level.BLOCKING, "x.py", 0, "not ours to touch"),
)


def document(*findings: Finding) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(write_sarif(findings, "1.2.3")))
    return found


def test_the_document_has_what_the_schema_requires() -> None:
    found = document(*FINDINGS)

    assert found["version"] == "2.1.0"
    assert found["$schema"].startswith("https://")
    assert set(found) == {"$schema", "version", "runs"}
    (run,) = found["runs"]
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("goalkeeper", "1.2.3")


def test_what_asks_is_a_warning_and_what_was_let_stand_is_suppressed() -> None:
    asks = Finding("test-vanished", Level.ASKING, "a.py", 0, "C1: a is gone")
    stands = asks.replace(stands="it is another", stands_by="agent")

    first, second = document(asks, stands)["runs"][0]["results"]

    assert (first["level"], "suppressions" in first) == ("warning", False)
    said = "let stand by agent: it is another"
    assert second["suppressions"] == [{"kind": "external", "justification": said}]


def test_every_rule_is_described_once() -> None:
    rules = document()["runs"][0]["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == list(review_rules())
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
        assert len(rule["properties"]["tags"]) == len(set(rule["properties"]["tags"]))


def test_a_result_names_its_rule_its_level_and_its_place() -> None:
    found = document(*FINDINGS)["runs"][0]
    first, second, third = found["results"]

    assert first["level"] == "error"
    assert second["level"] == "note"
    assert first["message"] == {"text": "test_a is now under skip"}
    rules = found["tool"]["driver"]["rules"]
    assert rules[first["ruleIndex"]]["id"] == first["ruleId"] == "skip-added"
    place = first["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "tests/test%20a.py"},
        "region": {"startLine": 3},
    }
    assert "ruleIndex" not in third


def test_a_finding_about_a_whole_file_has_no_region() -> None:
    (result,) = document(FINDINGS[1])["runs"][0]["results"]

    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "check.sh"}}}]


def test_no_findings_are_still_a_run() -> None:
    assert document()["runs"][0]["results"] == []
