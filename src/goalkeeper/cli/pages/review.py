"""Reviews and quality gates for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.cli.reply import Page, Table

_SHOWN_OBJECTIONS = 3


def lanes_page(shown: Mapping[str, Any]) -> Page:
    lanes = shown["lanes"]
    head = ("role", "says", "about", "agent", "trust", "session", "objections")
    notes = [f"{lane['role']}, in passing: {text}" for lane in lanes for text in lane["advisory"]]
    return (Table(head, tuple(_lane_row(lane) for lane in lanes)), *notes)


def _lane_row(lane: Mapping[str, Any]) -> tuple[str, ...]:
    about = "these files" if lane["current"] else f"tree {lane['tree'][:12]}"
    objections = "; ".join(lane["objections"][:_SHOWN_OBJECTIONS])
    return (
        lane["role"], lane["word"], about, lane["agent"], lane["trust"], lane["session"],
        objections,
    )  # fmt: skip


def quality_page(diagnostics: Sequence[Mapping[str, Any]]) -> Page:
    if not diagnostics:
        return ("Nothing is in the way of the quality gate.",)
    rows = tuple((d["path"], d["code"], d["message"], d["mend"]) for d in diagnostics)
    table = Table(("where", "code", "what", "mend"), rows)
    return (table, f"{len(diagnostics)} problem(s).")


def review_page(shown: Mapping[str, Any]) -> Page:
    base, candidate = shown["base"]["commit"][:12], shown["candidate"]["tree"][:12]
    page: list[str | Table] = [f"Tree {candidate}, compared with {base}:"]
    rows = tuple(
        (c["id"], c["on_base"], c["verdict"], _line(c["reason"])) for c in shown["criteria"]
    )
    page += [Table(("criterion", "before", "now", "seen"), rows)] if rows else []
    against = tuple(
        (d["path"], d["code"], _line(d["message"]), _line(d["mend"])) for d in shown["findings"]
    )
    page += [Table(("where", "code", "what", "mend"), against)] if against else []
    page += [f"Verdict: {shown['verdict']} (contract: {shown['contract']})."]
    page += [f"Recorded as {', '.join(shown['blockers'])}."] if shown["blockers"] else []
    return tuple(page)


def _line(text: str) -> str:
    return " ".join(text.split())
