"""Receipts for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.cli.reply import Page, Reply, Table


def receipts_page(receipts: Sequence[Mapping[str, Any]]) -> Page:
    if not receipts:
        return ("No receipt was issued yet.",)
    rows = tuple(
        (r["kind"], r["goal_id"], r["digest"][:12], r["tree"][:12], _describe_state(r))
        for r in receipts
    )
    return (Table(("KIND", "GOAL", "RECEIPT", "TREE", "STATE"), rows),)


def _describe_state(receipt: Mapping[str, Any]) -> str:
    """Say whether it speaks of the plan as it is, and of the files as they are."""
    changed = "; your files have changed since" if receipt["files_changed"] else ""
    return (receipt["stale"] or "fresh") + changed


def verification_reply(answer: dict[str, Any]) -> Reply:
    """Make a reply of what the verifier says of a receipt."""
    lines = [f"{reason['code']}: {reason['message']}" for reason in answer["reasons"]]
    said = "It holds." if answer["ok"] else "It does not hold."
    left = (f"open for the user: {each}" for each in answer["left_to_user"])
    stands = (f"let stand: {each}" for each in answer["let_stand"])
    return Reply(answer, (*lines, said, *left, *stands))
