"""Verifications for people."""

from __future__ import annotations

from typing import Any

from goalkeeper.app.verifying import Verification
from goalkeeper.cli.reply import Page, Table

_SHOWN_ROWS = 50


def verification_page(seen: Verification) -> Page:
    summary, page = seen.summary, []
    checked = f"checks: {summary.passed} of {summary.total} passed"
    flags = f" ({', '.join(summary.flags)})" if summary.flags else ""
    page.append(f"{seen.goal.id} on tree {seen.judgement.tree[:12]}: {checked}{flags}")
    page += [f"  {c.id} {c.verdict}: {c.reason}" for c in seen.criteria]
    page += [f"  {finding}" for finding in seen.judgement.blocking_findings]
    if seen.steps:
        page.append("steps: " + ", ".join(f"{each.step} {each.state}" for each in seen.steps))
    for each in seen.diagnostics:
        page += [f"{each.path}: {each.code}: {each.message}", f"  mend: {each.mend}"]
    page += [f"overridden: {each}" for each in seen.overridden]
    if seen.is_verified:
        page.append("Verified on this tree, and on no other.")
    return tuple(page)


def missing_criteria_page(rows: list[dict[str, Any]]) -> Page:
    told = [
        (str(row.get("at", ""))[:16], str(row.get("goal_id", "")), str(item))
        for row in rows
        if isinstance(row.get("items"), list)
        for item in row["items"]
    ]
    if not told:
        return ("Nothing was found that contracts left out.",)
    more = len(told) - _SHOWN_ROWS
    table = Table(("at", "goal", "no criterion asked"), tuple(told[-_SHOWN_ROWS:]))
    return (table, f"and {more} more") if more > 0 else (table,)
