"""The receipts that a run has, and whether they still speak of the plan as it is."""

from __future__ import annotations

from typing import Any

from goalkeeper.core.plan.model import Issued, Plan
from goalkeeper.core.plan.receipts import FINAL, GOAL, why_outdated


def list_receipts(plan: Plan, tree: str) -> dict[str, Any]:
    """List receipts; `tree` is what the files are now."""
    found = [
        {
            **issued.as_dict(),
            "stale": why_outdated(plan, issued) or None,
            "files_changed": issued.tree != tree,
        }
        for issued in plan.receipts
    ]
    return {"ok": True, "run_id": plan.run_id, "receipts": found}


def find_receipt(plan: Plan, goal_id: str) -> Issued | None:
    """Find the goal's last receipt; if no goal is named, the final one, else the last of all."""
    own = [i for i in plan.receipts if i.kind == GOAL and i.goal_id == goal_id]
    final = [i for i in plan.receipts if i.kind == FINAL]
    found = own if goal_id else final or list(plan.receipts)
    return found[-1] if found else None


def find_fresh_receipts(plan: Plan, tree: str) -> list[Issued]:
    """Find the last receipt of each goal and of the whole that still holds for the tree."""
    latest = {(issued.kind, issued.goal_id): issued for issued in plan.receipts}
    return [i for i in latest.values() if i.tree == tree and not why_outdated(plan, i)]
