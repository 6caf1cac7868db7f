"""What lanes answer, and what their word comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goalkeeper.core.drive.lane import Role, Word
from goalkeeper.core.review.assessed import Diagnostic
from goalkeeper.core.review.reading import read_section
from goalkeeper.core.review.shape import SECTIONS
from goalkeeper.core.review.words import (
    SETTLE,
    About,
    Artifact,
    Remarks,
    Row,
)
from goalkeeper.core.schema import (
    AnyJson,
    Choice,
    Field,
    Many,
    Node,
    Record,
    Text,
    Whole,
    published,
)
from goalkeeper.wire.value import Value

SECTION_OF = {Role.ARCHITECT: "architectReview", Role.QA: "executorQa"}
# What a cleaner looks for. A fallback that is grounded in a requirement is no fault.
TAXONOMY = (
    "masking-fallback", "grounded-fallback", "duplication", "dead-code", "needless-abstraction",
    "boundary-violation", "design-slop", "missing-tests",
)  # fmt: skip
_FINDING = Record(
    {
        "category": Field(Choice(TAXONOMY), "", required=True),
        "level": Field(Choice(("blocking", "advisory")), "", required=True),
        "path": Field(Text("a path"), "", required=True),
        "line": Field(Whole(0), 0),
        "message": Field(Text(), "", required=True),
    }
)
CLEANER = Record(
    {
        "findings": Field(Many(_FINDING), (), required=True),
        "evidence": Field(Text("what was read"), "", required=True),
    }
)
CRITIC = Record(
    {
        "verdict": Field(Choice(("OKAY", "REJECT")), "", required=True),
        "evidence": Field(Text("what was read"), "", required=True),
        "blockers": Field(Many(AnyJson()), (), required=True),
    }
)
ANSWERS: Mapping[Role, Record] = {
    Role.CLEANER: CLEANER,
    Role.ARCHITECT: SECTIONS["architectReview"],
    Role.QA: SECTIONS["executorQa"],
    Role.CRITIC: CRITIC,
}
# What a reviewer says of the work. All else is wrong with the answer itself.
_OBJECTIONS = frozenset(
    {"architect-not-clear", "blockers-stand", "not-passed", "row-not-passed", "finding-blocks"}
)


class Answer(Value):
    """What a lane answered: is there a way to read it, and what speaks against the work."""

    word: Word
    diagnostics: tuple[Diagnostic, ...]
    artifacts: tuple[Artifact, ...] = ()

    @property
    def objections(self) -> tuple[str, ...]:
        return tuple(str(found)[:_LONGEST] for found in self.diagnostics[:_MOST])


_MOST, _LONGEST = 20, 400


def read_answer(role: Role, raw: object, about: About) -> Answer:
    artifacts: tuple[Artifact, ...] = ()
    if role in SECTION_OF:
        read = read_section(SECTION_OF[role], raw, about)
        found, artifacts = read.diagnostics, read.artifacts
    else:
        notes = Remarks()
        _SPOKEN[role](ANSWERS[role].read(Node.of(raw), role.value, notes), notes)
        found = tuple(notes.found)
    if any(each.code not in _OBJECTIONS for each in found):
        return Answer(Word.UNUSABLE, found, artifacts)
    return Answer(Word.OBJECTS if found else Word.CLEAR, found, artifacts)


def _cleaner(fields: Row, notes: Remarks) -> None:
    for number, row in enumerate(fields["findings"]):
        at = f"cleaner.findings[{number}]"
        if row["level"] == "blocking" and row["category"] == "grounded-fallback":
            said = "a grounded fallback blocks nothing"
            notes.say(at, "wrong-value", said, "call it advisory, or masking-fallback")
        elif row["level"] == "blocking":
            notes.say(at, "finding-blocks", _told(row), SETTLE)


def _critic(fields: Row, notes: Remarks) -> None:
    if fields["verdict"] == "REJECT":
        notes.say("critic.verdict", "not-passed", "it is REJECT", SETTLE)
    notes.blockers("critic", fields["blockers"])


_SPOKEN = {Role.CLEANER: _cleaner, Role.CRITIC: _critic}  # those whose answer is no section


def _told(finding: Row) -> str:
    return f"{finding['category']} in {finding['path']}:{finding['line']}: {finding['message']}"


def advisory(role: Role, raw: Row) -> tuple[str, ...]:
    """Findings that block nothing; for the report of the gate."""
    if role is not Role.CLEANER:
        return ()
    rows = CLEANER.read(Node.of(raw), role.value, Remarks())["findings"]
    return tuple(_told(row) for row in rows if row["level"] == "advisory")


def schema(role: Role) -> dict[str, Any]:
    return published(f"answer of the {role} lane", ANSWERS[role].schema())
