"""Contracts for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from goalkeeper.cli.reply import Page, Table

_SHOWN_PATHS = 3


def check_page(shown: Mapping[str, Any]) -> Page:
    rows = tuple(
        (c["id"], c["look"], "ok" if c["fit"] else "refused", " ".join(c["reason"].split()))
        for c in shown["criteria"]
    )
    tree, isolation = shown["base"]["tree"][:12], shown["isolation"]
    return (
        f"{shown['goal_id']} on base tree {tree}, isolation {isolation}:",
        Table(("criterion", "on base", "", "seen"), rows),
        *_protected_part(shown),
        *(f"note: {note}" for note in shown["notes"]),
    )


def _protected_part(shown: Mapping[str, Any]) -> Page:
    """By reason, a few of each: a suite may have thousands of files."""
    by_reason: dict[str, list[str]] = {}
    for path, why in shown["protected"].items():
        by_reason.setdefault(why, []).append(path)
    if not by_reason:
        return ("Nothing is protected: no tests, harness or CI files were found.",)
    rows = tuple(
        (
            why,
            str(len(paths)),
            ", ".join(paths[:_SHOWN_PATHS] + ["..."][: len(paths) > _SHOWN_PATHS]),
        )
        for why, paths in sorted(by_reason.items())
    )
    free = ", ".join(shown["may_change"])
    freed = (f"may change: {free}",) if free else ()
    return ("Protected, as they are in base:", Table(("why", "files", "such as"), rows), *freed)


def contract_page(shown: Mapping[str, Any]) -> Page:
    state = f"frozen by {shown['author']}" if shown["frozen"] else "not frozen yet"
    return (
        f"{shown['goal_id']}: contract {shown['digest'][:12]}, {state}",
        json.dumps(shown["contract"], indent=2, ensure_ascii=False),
    )
