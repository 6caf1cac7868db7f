"""The tables of `make bench-history`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bench.history.steps import FREED, SMALL, Step
from goalkeeper.core.contract.findings import Level

_LEVELS = tuple(Level)
_SLOWEST = 5


def describe(step: Step) -> dict[str, Any]:
    return {
        "project": step.project,
        "step": step.name,
        "files": step.files,
        "cpu_seconds": round(step.seconds, 2),
        "findings": {
            contract: [
                {"rule": f.rule, "level": f.level, "path": f.path, "line": f.line,
                 "message": f.message}
                for f in found
            ]
            for contract, found in step.findings.items()
        },
    }  # fmt: skip


def report(steps: Sequence[Step], *, explain: bool) -> str:
    if not steps:
        return "No step was read."
    small = [step for step in steps if step.files <= SMALL]
    parts = [
        "\n".join(_write_rates(steps, small)),
        "\n".join(_write_rules(steps)),
        "\n".join(_write_slowest(steps)),
    ]
    if explain:
        parts.append("\n".join(_write_findings(steps)))
    return "\n\n".join(parts)


def _write_rates(steps: Sequence[Step], small: Sequence[Step]) -> Iterator[str]:
    projects = len({step.project for step in steps})
    yield f"{len(steps)} steps of {projects} projects; {len(small)} change {SMALL} files or fewer."
    yield ""
    names = [f"{level} ({size})" for level in _LEVELS for size in ("all", "small")]
    yield f"| contract | {' | '.join(names)} |"
    yield f"| --- |{' --: |' * len(names)}"
    for contract in FREED:
        cells = [
            _write_share(contract, level, group) for level in _LEVELS for group in (steps, small)
        ]
        yield f"| {contract} | {' | '.join(cells)} |"


def _write_share(contract: str, level: Level, steps: Sequence[Step]) -> str:
    count = sum(1 for step in steps if step.has(contract, level))
    return f"{count} ({count / max(len(steps), 1):.1%})"


def _write_rules(steps: Sequence[Step]) -> Iterator[str]:
    """Count the steps in which a rule was named, by contract and level."""
    counts: dict[str, dict[tuple[str, Level], int]] = {}
    for step in steps:
        for contract, found in step.findings.items():
            for rule, level in {(each.rule, each.level) for each in found}:
                row = counts.setdefault(rule, {})
                row[contract, level] = row.get((contract, level), 0) + 1
    columns = [(contract, level) for contract in FREED for level in _LEVELS]
    yield f"| rule | {' | '.join(f'{contract}: {level}' for contract, level in columns)} |"
    yield f"| --- |{' --: |' * len(columns)}"
    order = sorted(counts, key=lambda rule: [-counts[rule].get(each, 0) for each in columns])
    for rule in order:
        cells = (str(counts[rule].get(each, "")) for each in columns)
        yield f"| {rule} | {' | '.join(cells)} |"


def _write_slowest(steps: Sequence[Step]) -> Iterator[str]:
    slow = sorted(steps, key=lambda step: -step.seconds)[:_SLOWEST]
    yield "The slowest readings, in seconds of CPU:"
    for step in slow:
        yield f"- {step.seconds:.1f} {step.project} {step.name} ({step.files} files)"


def _write_findings(steps: Sequence[Step]) -> Iterator[str]:
    for step in steps:
        found = [
            (contract, each)
            for contract, findings in step.findings.items()
            for each in findings
            if each.level is not Level.ADVISORY
        ]
        levels: dict[str, list[str]] = {}
        for contract, each in found:
            levels.setdefault(str(each), []).append(f"{each.level} ({contract})")
        if levels:
            yield f"\n{step.project} {step.name} ({step.files} files)"
        for said, under in levels.items():
            yield f"  {said[:600]}\n    {', '.join(under)}"
