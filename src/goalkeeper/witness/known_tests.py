"""Results of checks without secrets, and the tests that evidence knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.app.trials import Trial
from goalkeeper.core.contract.test_cases import Outcome, TestCase
from goalkeeper.system.redaction import Redactor
from goalkeeper.witness.check_context import CheckResult
from goalkeeper.witness.evidence import EvidenceStore


def clean_result(seen: CheckResult, redactor: Redactor) -> CheckResult:
    """Return what a check came to without secrets, before anybody compares or keeps it.

    If the name of a file is a secret, it is not told which files were opened: then every change
    may concern the check.
    """
    paths = (*seen.reads.files, *seen.reads.folders) if seen.reads else ()
    is_told = all(redactor.clean_text(path) == path for path in paths)
    return seen.replace(
        reason=redactor.clean_text(seen.reason),
        cases=clean_cases(seen.cases, redactor),
        reads=seen.reads if is_told else None,
    )


def clean_cases(cases: Sequence[TestCase], redactor: Redactor) -> tuple[TestCase, ...]:
    """Return tests without secrets in their ids; ids that become the same are numbered."""
    counts: Counter[str] = Counter()
    cleaned = []
    for case in cases:
        name = redactor.clean_text(case.id)
        if name != case.id:
            counts[name] += 1
            name += f"#{counts[name]}" if counts[name] > 1 else ""
        cleaned.append(case.replace(id=name, message=redactor.clean_text(case.message)))
    return tuple(cleaned)


def read_known_tests(
    trial: Trial, evidence: EvidenceStore, redactor: Redactor
) -> dict[str, tuple[TestCase, ...]]:
    """Return the tests of the base from stored evidence; old versions kept secrets in ids."""
    found = ((name, evidence.get(wanted)) for name, wanted in trial.base_evidence)
    return {n: clean_cases(read_cases(seen), redactor) for n, seen in found if seen}


def read_opened(trial: Trial, evidence: EvidenceStore) -> dict[str, list[str]]:
    """Return the files of the base that each check was seen to open, from stored evidence."""
    opened: dict[str, list[str]] = {}
    for name, wanted in trial.base_evidence:
        kept: Mapping[str, Any] = evidence.get(wanted) or {}
        runs = kept.get("runs") or [{"facts": {}}]
        opened[name] = runs[0]["facts"].get("reads", {}).get("files", [])
    return opened


def read_cases(document: Mapping[str, Any]) -> tuple[TestCase, ...]:
    """Return the tests that an evidence document lists for its first run."""
    runs = document.get("runs") or [{"facts": {}}]
    tests = runs[0]["facts"].get("tests", [])
    return tuple(TestCase(name, Outcome(outcome)) for name, outcome in tests)
