"""Judgements, criteria and findings in words; shared by the commands that show them."""

from __future__ import annotations

from typing import Any

from goalkeeper.core.contract import advice
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus, Verdict
from goalkeeper.core.contract.document import Contract
from goalkeeper.core.contract.findings import Finding
from goalkeeper.core.contract.judgement import Judged, Judgement
from goalkeeper.core.plan.model import Goal


def remaining(goal: Goal, contract: Contract, changed: dict[str, list[str] | None]) -> list[Any]:
    """What is not met yet, as the loop hands it on. `changed` is by criterion, since it passed."""
    found = []
    for state in goal.criteria:
        criterion = contract.criterion(state.id)
        if criterion is None or state.is_met:
            continue
        regressed = state.status is CriterionStatus.REGRESSED
        told: dict[str, Any] = {
            "id": state.id,
            "reason": state.reason,
            "suggested_action": advice.suggested(criterion, state),
            "fail_count": state.fail_count,
            "regression": regressed,
        }
        if regressed:
            told["previous_pass_iteration"] = state.passed_at
            told["files_changed_since"] = changed.get(state.id)
        found.append(told)
    return found


def markdown(goal: Goal, judgement: Judgement, left: list[Any], *, met: bool) -> str:
    """The judge's result in the form that agents know."""
    states = {state.id: state for state in goal.criteria}
    rows = [
        f"| {c.id} | {states[c.id].status} | {_cell(_evidence(c, states[c.id]))} |"
        for c in judgement.criteria
    ]
    lines = [
        f"## JUDGE Result — Iteration {goal.iteration}",
        "",
        "| Criterion | Status | Evidence |",
        "| --- | --- | --- |",
        *rows,
        "",
        *_findings(judgement.findings),
        f"verdict: {'PASS' if met else 'FAIL'}",
    ]
    return "\n".join(lines + (_remaining(left) if left else []))


def _evidence(judged: Judged, state: CriterionState) -> str:
    before = ""
    if state.status is CriterionStatus.REGRESSED:
        before = f"passed at iteration {state.passed_at}, now: "
    if state.status is CriterionStatus.BLOCKED:
        before = "failed three times in a row: "
    unknown = "could not be checked: " if judged.verdict is Verdict.UNKNOWN else ""
    cached = " (from the cache)" if judged.cached else ""
    return f"{unknown or before}{judged.reason}{cached}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _findings(findings: tuple[Finding, ...]) -> list[str]:
    if not findings:
        return []
    return ["findings:", *(f"  - {told(finding)}" for finding in findings), ""]


def told(finding: Finding) -> str:
    return f"{finding.level} {finding}"


def _remaining(left: list[Any]) -> list[str]:
    lines = ["", "remaining:"]
    for item in left:
        first, *rest = item.items()
        lines.append(f"  - {first[0]}: {first[1]}")
        lines += [f"    {name}: {_scalar(value)}" for name, value in rest if value is not None]
    return lines


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value) if isinstance(value, int) else '"' + str(value).replace('"', "'") + '"'
