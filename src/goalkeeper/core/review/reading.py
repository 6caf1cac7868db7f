"""A quality gate is clean when every section that is needed is there and without a problem.

It is commentary. It can close a gate, and it names artifacts that are then proved by doing. No word
in it opens one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.matrix import Matrix
from goalkeeper.core.review.shape import SECTIONS, SHAPE
from goalkeeper.core.review.words import (
    APPROVE,
    CLEAR,
    MENDS,
    SETTLE,
    About,
    Artifact,
    GateReading,
    Remarks,
    Row,
)
from goalkeeper.core.schema import Node


def read_gate(raw: object, about: About) -> GateReading:
    """Read a gate. Every section that our lanes have not given must be there, and be clean."""
    notes = Remarks()
    fields = SHAPE.read_node(Node.from_plain(raw), "", notes)
    given = raw if isinstance(raw, Mapping) else {}
    for name in SECTIONS:
        if name not in given and name not in about.reported:
            said = f"{name} is missing, and no lane that goalkeeper ran has given it"
            notes.add_remark(name, "missing-section", said, MENDS["missing"])
    artifacts: tuple[Artifact, ...] = ()
    if "architectReview" in given:
        _check_architect(fields["architectReview"], "architectReview", notes)
    if "executorQa" in given:
        row = fields["executorQa"]
        _check_statuses(row, ("status", "e2eStatus", "redTeamStatus"), "executorQa", notes)
        notes.add_blockers("executorQa", row["blockers"])
        matrix = Matrix(row, "executorQa", about, notes)
        matrix.check_rows()
        artifacts = tuple(matrix.list_artifacts())
    if "iteration" in given:
        _check_iteration(fields["iteration"], "iteration", notes)
    return GateReading(tuple(notes.found), artifacts)


def read_section(name: str, raw: object, about: About) -> GateReading:
    """Read one section by itself, as a lane answers it."""
    asked = about.replace(reported=frozenset(SECTIONS) - {name})
    return read_gate({name: raw}, asked)


_FOUND_NOTHING = frozenset({"nothing", "no", "0", "zero", "none", "no-op", "passed", "clean"})


def _is_clean_report(sentence: str) -> bool:
    words = re.findall(r"[\w-]+", sentence)
    return any(word.startswith("clean") for word in words) and not _FOUND_NOTHING.isdisjoint(words)


def find_missing_cleaner(given: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Find a gate that says nothing of the cleaner, which looks before all others."""
    section = given.get("iteration")
    said = section.get("evidence") if isinstance(section, Mapping) else None
    if not isinstance(said, str) or any(
        map(_is_clean_report, re.split(r"[.;\n]", said.casefold()))
    ):
        return ()
    run = "goalkeeper lanes run --goal-id <id> --role cleaner --agent <client>"
    mend = f"{run}; or add what the cleaner reported to this text"
    told = "it does not say that the cleaner found nothing that blocks"
    return (Diagnostic("iteration.evidence", "cleaner-missing", told, mend),)


def _check_architect(row: Row, at: str, notes: Remarks) -> None:
    for name in ("architectureStatus", "productStatus", "codeStatus"):
        if row[name] in {"WATCH", "BLOCK"}:
            said = f"it is {row[name]}, and only {CLEAR} opens the gate"
            notes.add_remark(f"{at}.{name}", "architect-not-clear", said, SETTLE)
    if row["recommendation"] in {"COMMENT", "REQUEST CHANGES"}:
        said = f"it is {row['recommendation']}, and only {APPROVE} opens the gate"
        notes.add_remark(f"{at}.recommendation", "architect-not-clear", said, SETTLE)
    notes.add_blockers(at, row["blockers"])


def _check_statuses(row: Row, names: Sequence[str], at: str, notes: Remarks) -> None:
    for name in names:
        if row[name] == "failed":
            notes.add_remark(f"{at}.{name}", "not-passed", "it is failed", SETTLE)


def _check_iteration(row: Row, at: str, notes: Remarks) -> None:
    _check_statuses(row, ("status",), at, notes)
    if not row["fullRerun"]:
        said = "the whole verification was not run again after the last change"
        mend = "run all of it again, then say true"
        notes.add_remark(f"{at}.fullRerun", "no-full-rerun", said, mend)
    notes.add_blockers(at, row["blockers"])
