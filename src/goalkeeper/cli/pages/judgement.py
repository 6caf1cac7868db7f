"""A judgement, in the form that agents know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalkeeper.app.judging import Ruling
from goalkeeper.core.contract.criteria import CriterionState, CriterionStatus, Verdict
from goalkeeper.core.contract.judgement import Judged


def judgement_page(ruling: Ruling, shown: Mapping[str, Any]) -> str:
    """`shown` is the document of the same ruling."""
    states = {state.id: state for state in ruling.goal.criteria}
    rows = [
        f"| {c.id} | {states[c.id].status} | {_cell(_evidence(c, states[c.id]))} |"
        for c in ruling.judgement.criteria
    ]
    findings = [f"  - {each.level} {each}" for each in ruling.judgement.findings]
    lines = [
        f"## JUDGE Result — Iteration {ruling.goal.iteration}",
        "",
        "| Criterion | Status | Evidence |",
        "| --- | --- | --- |",
        *rows,
        "",
        *(["findings:", *findings, ""] if findings else []),
        f"verdict: {shown['verdict']}",
    ]
    left = shown["remaining"]
    return "\n".join(lines + (_remaining_lines(left) if left else []))


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


def _remaining_lines(left: list[dict[str, Any]]) -> list[str]:
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
