"""The ledger for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from goalkeeper.app.queries.ledger import find_goal_ids
from goalkeeper.cli.reply import visible
from goalkeeper.wire.canonical import compact

_ABOUT_WIDTH = 70
_WIDTHS = tuple(map(len, ("1000000", "2026-11-15T09:30:12", "engine", "review_blockers_recorded")))


def write_entries(entries: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Write a table line by line: its columns have the same widths however many lines there are."""
    yield _write_row(("seq", "at", "actor", "kind", "about"))
    for e in entries:
        row = (str(e["seq"]), e["at"][:19], e["actor"]["kind"], e["kind"], _describe(e["data"]))
        yield visible(_write_row(row))


def _write_row(cells: tuple[str, ...]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=False))
    return "  ".join((*padded, cells[-1])).rstrip() + "\n"


def write_entries_as_json(run_id: str, entries: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Write one JSON document piece by piece."""
    yield compact({"ok": True, "run_id": run_id, "entries": []}).removesuffix("]}").encode()
    for number, entry in enumerate(entries):
        yield f"{',' if number else ''}{compact(entry)}".encode(errors="backslashreplace")
    yield b"]}\n"


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
