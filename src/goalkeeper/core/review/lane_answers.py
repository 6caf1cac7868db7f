"""The answers of lanes are read here: a lane is clear, objects, or is unusable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.lane import LaneRole, LaneWord
from goalkeeper.core.review.reading import read_section
from goalkeeper.core.review.shape import SECTIONS
from goalkeeper.core.review.words import SETTLE, About, Artifact, Remarks, Row
from goalkeeper.core.schema import (
    AnyJson,
    Choice,
    Field,
    ListOf,
    Node,
    RecordShape,
    Text,
    WholeNumber,
    publish_schema,
)
from goalkeeper.wire.value import Value

SECTION_OF = {LaneRole.ARCHITECT: "architectReview", LaneRole.QA: "executorQa"}
# A cleaner looks for these. A fallback that is grounded in a requirement is no fault.
TAXONOMY = (
    "masking-fallback", "grounded-fallback", "duplication", "dead-code", "needless-abstraction",
    "boundary-violation", "design-slop", "missing-tests",
)  # fmt: skip
_FINDING = RecordShape(
    {
        "category": Field(Choice(TAXONOMY), "", required=True),
        "level": Field(Choice(("blocking", "advisory")), "", required=True),
        "path": Field(Text("a path"), "", required=True),
        "line": Field(WholeNumber(0), 0),
        "message": Field(Text(), "", required=True),
    }
)
CLEANER = RecordShape(
    {
        "findings": Field(ListOf(_FINDING), (), required=True),
        "evidence": Field(Text("what was read"), "", required=True),
    }
)
CRITIC = RecordShape(
    {
        "verdict": Field(Choice(("OKAY", "REJECT")), "", required=True),
        "evidence": Field(Text("what was read"), "", required=True),
        "blockers": Field(ListOf(AnyJson()), (), required=True),
    }
)
ANSWERS: Mapping[LaneRole, RecordShape] = {
    LaneRole.CLEANER: CLEANER,
    LaneRole.ARCHITECT: SECTIONS["architectReview"],
    LaneRole.QA: SECTIONS["executorQa"],
    LaneRole.CRITIC: CRITIC,
}
# These codes are about the work. All other codes are about the answer itself.
_OBJECTIONS = frozenset(
    {"architect-not-clear", "blockers-stand", "not-passed", "row-not-passed", "finding-blocks"}
)


class LaneAnswer(Value):
    """The answer of a lane: it could be read or not, and it may object to the work."""

    word: LaneWord
    diagnostics: tuple[Diagnostic, ...]
    artifacts: tuple[Artifact, ...] = ()

    @property
    def objections(self) -> tuple[str, ...]:
        return tuple(str(found)[:_LONGEST] for found in self.diagnostics[:_MOST])


_MOST, _LONGEST = 20, 400


def read_answer(role: LaneRole, raw: object, about: About) -> LaneAnswer:
    artifacts: tuple[Artifact, ...] = ()
    if role in SECTION_OF:
        read = read_section(SECTION_OF[role], raw, about)
        found, artifacts = read.diagnostics, read.artifacts
    else:
        notes = Remarks()
        _SPOKEN[role](ANSWERS[role].read_node(Node.from_plain(raw), role.value, notes), notes)
        found = tuple(notes.found)
    if any(each.code not in _OBJECTIONS for each in found):
        return LaneAnswer(LaneWord.UNUSABLE, found, artifacts)
    return LaneAnswer(LaneWord.OBJECTS if found else LaneWord.CLEAR, found, artifacts)


def _check_cleaner(fields: Row, notes: Remarks) -> None:
    for number, row in enumerate(fields["findings"]):
        at = f"cleaner.findings[{number}]"
        if row["level"] == "blocking" and row["category"] == "grounded-fallback":
            said = "a grounded fallback blocks nothing"
            notes.add_remark(at, "wrong-value", said, "call it advisory, or masking-fallback")
        elif row["level"] == "blocking":
            notes.add_remark(at, "finding-blocks", _word_finding(row), SETTLE)


def _check_critic(fields: Row, notes: Remarks) -> None:
    if fields["verdict"] == "REJECT":
        notes.add_remark("critic.verdict", "not-passed", "it is REJECT", SETTLE)
    notes.add_blockers("critic", fields["blockers"])


_SPOKEN = {
    LaneRole.CLEANER: _check_cleaner,
    LaneRole.CRITIC: _check_critic,
}  # the answer of these roles is no section


def _word_finding(finding: Row) -> str:
    return f"{finding['category']} in {finding['path']}:{finding['line']}: {finding['message']}"


def list_advisory_findings(role: LaneRole, raw: Row) -> tuple[str, ...]:
    """Return findings that block nothing, for the report of the gate."""
    if role is not LaneRole.CLEANER:
        return ()
    rows = CLEANER.read_node(Node.from_plain(raw), role.value, Remarks())["findings"]
    return tuple(_word_finding(row) for row in rows if row["level"] == "advisory")


def json_schema(role: LaneRole) -> dict[str, Any]:
    return publish_schema(f"answer of the {role} lane", ANSWERS[role].json_schema())
