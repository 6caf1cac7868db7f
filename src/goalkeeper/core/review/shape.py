"""The shape of a quality gate. Every problem is told at once, and JSON Schema says the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalkeeper.core.review.words import (
    APPROVE,
    ARTIFACT_KINDS,
    CLEAR,
    DONE,
    NOT_APPLICABLE,
    REASON_CODES,
    RECEIPTS,
    SURFACES,
)
from goalkeeper.core.schema import (
    AnyJson,
    Choice,
    Field,
    Flag,
    ListOf,
    RecordShape,
    RepositoryPath,
    Text,
    publish_schema,
)

_ID = Text("an id", r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_SAID = Field(Text("what shows it"), "", required=True)
_BLOCKERS = Field(ListOf(AnyJson()), (), required=True, help="what is in the way; must be empty")
_COMMANDS = Field(ListOf(Text("a command"), least=1), (), required=True)
_VERDICT = Choice(("passed", "failed"))
_STATUS = Field(_VERDICT, "", required=True)
_OUTCOME = Choice((*DONE, "failed", "todo", NOT_APPLICABLE))
_REFS = Field(ListOf(_ID), ())
_LANE = Field(Choice((CLEAR, "WATCH", "BLOCK")), "", required=True)
_RECOMMENDED = Choice((APPROVE, "COMMENT", "REQUEST CHANGES"))
_EXEMPT = RecordShape(
    {
        "reasonCode": Field(Choice(REASON_CODES), "", required=True),
        "reason": Field(Text("why it cannot be run again"), "", required=True),
        "approvedBy": Field(Text("who verified that"), "", required=True),
        "fallbackArtifactRefs": Field(ListOf(_ID, least=1), (), required=True),
    }
)
_RECEIPT_SHAPE = RecordShape(
    {
        "type": Field(Choice(RECEIPTS), "", required=True),
        "id": Field(Text(), "", required=True, help="of a criterion, or a receipt's digest"),
        "status": Field(Choice(("verified", "passed")), "", required=True),
    }
)
_ARTIFACT = RecordShape(
    {
        "id": Field(_ID, "", required=True),
        "kind": Field(Choice(ARTIFACT_KINDS), "", required=True),
        "description": Field(Text(), "", required=True),
        "path": Field(RepositoryPath(), "", help="a file of the repository"),
        "replay": Field(AnyJson(), help="a replay record, in place of a path"),
        "replayExempt": Field(_EXEMPT),
        "receipt": Field(_RECEIPT_SHAPE),
        "inlineEvidence": Field(Text(), "", help="for readers; proves nothing"),
    }
)
_ROW = {"id": Field(_ID, "", required=True), "contractRef": Field(Text(), "", required=True)}
_COVERAGE = RecordShape(
    {
        **_ROW,
        "obligation": Field(Text(), ""),
        "description": Field(Text(), ""),
        "status": Field(_OUTCOME, "", required=True),
        "reason": Field(Text(), ""),
        "surfaceEvidenceRefs": _REFS,
        "adversarialCaseRefs": _REFS,
        "artifactRefs": _REFS,
    }
)
_TRIED = {
    "status": Field(_OUTCOME, ""),
    "verdict": Field(_OUTCOME, ""),
    "result": Field(_OUTCOME, ""),
    "reason": Field(Text(), ""),
    "artifactRefs": _REFS,
}
_SURFACE = RecordShape(
    {
        **_ROW,
        "surface": Field(Choice(SURFACES), "", required=True),
        "invocation": Field(Text(), ""),
        **_TRIED,
    }
)
_CASE = RecordShape(
    {
        **_ROW,
        "scenario": Field(Text(), "", required=True),
        "expectedBehavior": Field(Text(), "", required=True),
        **_TRIED,
    }
)
ARCHITECT = RecordShape(
    {
        "architectureStatus": _LANE,
        "productStatus": _LANE,
        "codeStatus": _LANE,
        "recommendation": Field(_RECOMMENDED, "", required=True),
        "evidence": _SAID,
        "commands": _COMMANDS,
        "blockers": _BLOCKERS,
    }
)
QA = RecordShape(
    {
        "status": _STATUS,
        "e2eStatus": _STATUS,
        "redTeamStatus": _STATUS,
        "evidence": _SAID,
        "e2eCommands": _COMMANDS,
        "redTeamCommands": _COMMANDS,
        "artifactRefs": Field(ListOf(_ARTIFACT, least=1), (), required=True),
        "contractCoverage": Field(ListOf(_COVERAGE, least=1), (), required=True),
        "surfaceEvidence": Field(ListOf(_SURFACE, least=1), (), required=True),
        "adversarialCases": Field(ListOf(_CASE, least=1), (), required=True),
        "blockers": _BLOCKERS,
    }
)
ITERATION = RecordShape(
    {
        "status": _STATUS,
        "evidence": _SAID,
        "fullRerun": Field(Flag(), default=False, required=True),
        "rerunCommands": _COMMANDS,
        "blockers": _BLOCKERS,
    }
)
SECTIONS: Mapping[str, RecordShape] = {
    "architectReview": ARCHITECT,
    "executorQa": QA,
    "iteration": ITERATION,
}
SHAPE = RecordShape({name: Field(shape) for name, shape in SECTIONS.items()})


def json_schema() -> dict[str, Any]:
    return publish_schema("goalkeeper quality gate", SHAPE.json_schema())
