"""The ledger for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goalkeeper.app.queries.ledger import find_goal_ids
from goalkeeper.cli.reply import Page, Table

_ABOUT_WIDTH = 70


def entries_page(entries: Sequence[dict[str, Any]]) -> Page:
    rows = tuple(
        (str(e["seq"]), e["at"][:19], e["actor"]["kind"], e["kind"], _describe(e["data"]))
        for e in entries
    )
    return (Table(("seq", "at", "actor", "kind", "about"), rows),)


def _describe(data: dict[str, Any]) -> str:
    goals = ", ".join(sorted(filter(None, find_goal_ids(data))))
    kind = data.get("change", {}).get("kind", "")
    said = data.get("reason") or data.get("evidence") or data.get("status") or ""
    said = said or "; ".join(data.get("actions", [])) or "; ".join(data.get("problems", []))
    said = said or _describe_step(data) or _describe_phase(data)
    return " ".join(" ".join(filter(None, (goals, kind, said))).split())[:_ABOUT_WIDTH]


def _describe_step(data: dict[str, Any]) -> str:
    """Say which stage of a verification passed, and what it has shown."""
    return f"{data['step']}: {data['note']}" if {"step", "note"} <= data.keys() else ""


def _describe_phase(data: dict[str, Any]) -> str:
    """Say which phase of which iteration of a drive it was, and how it ended."""
    told = data.get("running", data)
    if "phase" not in told:
        return str(data.get("agent") or data.get("why") or "")
    ending = data.get("record", {}).get("ending", "")
    return f"{told['phase']} {told['iteration']} {ending}".strip()
