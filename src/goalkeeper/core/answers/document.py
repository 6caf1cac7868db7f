"""Answers to what no program settles: typed, read all problems at once, published as a schema.

What is said here is commentary until the engine has borne it out; see `protocol`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from goalkeeper.core.answers.abbreviation import CONDITIONS
from goalkeeper.core.contract.check_kinds import Check, CheckShape
from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import (
    Choice,
    Field,
    Many,
    Node,
    Notes,
    Path,
    Record,
    Shape,
    Text,
    Whole,
    Word,
    nearest,
    published,
)
from goalkeeper.wire.value import Value

FEWEST_ITEMS, MOST_ITEMS = 5, 10
DIMENSIONS = ("presence", "correctness", "integration", "breakage")
TIERS = ("tree", "codebase", "adjacent", "web")
_MOST_LISTED = 100


class Outcome(StrEnum):
    PASS = "pass"  # noqa: S105  a result, not a word to get in by
    FAIL = "fail"
    NA = "na"


class Claimed(Value):
    """Something that is to show that the goal is met, and what is said of it."""

    artifact: str
    claim: str


class Item(Value):
    question: str
    result: Outcome
    covered: bool  # by the goal's own criteria
    dimension: str


class Negative(Value):
    """How it could look met and not be, and the check that would tell."""

    failure_mode: str
    check: Check
    finding: str


class Scope(Value):
    scope: str
    claim: str


class Leg(Value):
    outcome: str
    artifact: str
    claim: str


class Given(Value):
    """A piece of evidence: its kind, and what is said of it."""

    kind: str
    fields: Mapping[str, Any]


class Overriding(Value):
    claim: str
    reason: str


class Abbreviated(Value):
    step: str
    condition: str


class Answers(Value):
    plain: Mapping[str, Any]  # as they were given
    q1: Claimed | None = None
    q1_5: tuple[Item, ...] | None = None
    q2: Negative | None = None
    q3: Scope | None = None
    agent_leg: tuple[Leg, ...] = ()
    evidence: tuple[Given, ...] = ()
    overrides: tuple[Overriding, ...] = ()
    result: str = ""
    summary: str = ""
    abbreviated: Abbreviated | None = None


def _needed(shape: Shape, help: str = "") -> Field:  # noqa: A002  as the field names it
    return Field(shape, "", required=True, help=help)


_ARTIFACT = _needed(Text(), "a file that the work made or changed, or commit:ID")
_CLAIM = _needed(Text(), "in the form: X is Y because Z; Z names what shows it")
_Q1 = Record({"artifact": _ARTIFACT, "claim": _CLAIM})
_ITEM = Record(
    {
        "question": _needed(Text(), "a property that the result must have, as a question"),
        "result": _needed(Choice(tuple(Outcome))),
        "coverage": _needed(Choice(("covered", "uncovered")), "whether a criterion covers it"),
        "dimension": _needed(Choice(DIMENSIONS)),
    }
)
_Q1_5 = Record(
    {"items": Field(Many(_ITEM, least=FEWEST_ITEMS, most=MOST_ITEMS), (), required=True)}
)
_Q2 = Record(
    {
        "failure_mode": _needed(Text(), "how it could look met and not be"),
        "check": Field(CheckShape(), required=True, help="what tells; goalkeeper runs it"),
        "finding": _CLAIM,
    }
)
_Q3 = Record({"scope": _needed(Choice(("unit", "integration"))), "claim": _CLAIM})
_LEG = Record(
    {
        "outcome": _needed(Text(), "an entry of outcomes_agent_leg, word for word"),
        "artifact": _ARTIFACT,
        "claim": _CLAIM,
    }
)
_COMMAND = Text("a command line")
_EXIT = Whole(0, 255)
EVIDENCE: Mapping[str, Record] = {
    "search": Record(
        {
            "tier": _needed(Choice(TIERS), "goalkeeper itself searches tree and codebase"),
            "query": _needed(Text()),
            "found": Field(Whole(0), 0),
        }
    ),
    "signal": Record(
        {
            "tool": _needed(Text()),
            "endpoint": _needed(Text()),
            "type": _needed(Text(), "such as http, process, log"),
            "command": Field(Word(), ""),
            "output": Field(Word(), ""),
            "exit_code": Field(_EXIT),
        }
    ),
    "health": Record({"command": _needed(_COMMAND), "exit_code": Field(_EXIT, 0, required=True)}),
    "probe": Record(
        {
            "path": _needed(Path(), "a JSON or JSON Lines file of the tree"),
            "field": _needed(Text(), "a path such as a.b"),
        }
    ),
}


class EvidenceShape(Value):
    """A mapping with exactly one kind of evidence in it."""

    def read(self, node: Node, where: str, notes: Notes) -> Given:
        given = node.value if isinstance(node.value, Mapping) else {}
        if len(given) != 1 or not given.keys() <= EVIDENCE.keys():
            near = [near for name in given if (near := nearest(name, EVIDENCE))]
            meant = f" (did you mean {near[0]}?)" if near and len(given) == 1 else ""
            notes.wrong(node, where, f"expected one of {', '.join(EVIDENCE)}{meant}")
            return Given("", {})
        ((kind, inner),) = given.items()
        return Given(kind, EVIDENCE[kind].read(inner, f"{where}.{kind}", notes))

    def schema(self) -> dict[str, Any]:
        kinds = ({kind: Field(record, required=True)} for kind, record in EVIDENCE.items())
        return {"oneOf": [Record(fields).schema() for fields in kinds]}


_OVERRIDE = Record(
    {
        "claim": _needed(Text(), "the sentence, word for word"),
        "reason": _needed(Text(), "why it stands without the evidence; it is recorded"),
    }
)
_ABBREVIATED = Record(
    {"step": _needed(Choice(("q1_5",))), "condition": _needed(Choice(CONDITIONS))}
)
SHAPE = Record(
    {
        "q1": Field(_Q1, None, help="what concrete artifact shows that the goal is met?"),
        "q1_5": Field(_Q1_5, None, help="a checklist over four dimensions"),
        "q2": Field(_Q2, None, help="how could it look met and not be, and what tells?"),
        "q3": Field(_Q3, None, help="was it verified alone, or from caller to side effect?"),
        "agent_leg": Field(
            Many(_LEG, most=_MOST_LISTED), (), help="of a goal that a user takes part in"
        ),
        "evidence": Field(Many(EvidenceShape(), most=_MOST_LISTED), ()),
        "overrides": Field(Many(_OVERRIDE, most=_MOST_LISTED), ()),
        "result": Field(Text(), "", help="what was done and seen, in words"),
        "summary": Field(Text(), "", help="what was produced, in one line"),
        "abbreviated": Field(_ABBREVIATED, None, help="audited against the record"),
    }
)


def read(plain: object) -> Answers | tuple[Problem, ...]:
    """From decoded JSON."""
    notes = Notes("answers")
    fields = SHAPE.read(Node.of(plain), "", notes)
    if notes.problems:
        return tuple(notes.problems)
    return Answers(
        plain if isinstance(plain, Mapping) else {},
        Claimed(**fields["q1"]) if fields["q1"] else None,
        tuple(_item(item) for item in fields["q1_5"]["items"]) if fields["q1_5"] else None,
        Negative(**fields["q2"]) if fields["q2"] else None,
        Scope(**fields["q3"]) if fields["q3"] else None,
        tuple(Leg(**leg) for leg in fields["agent_leg"]),
        fields["evidence"],
        tuple(Overriding(**each) for each in fields["overrides"]),
        fields["result"],
        fields["summary"],
        Abbreviated(**fields["abbreviated"]) if fields["abbreviated"] else None,
    )


def _item(raw: Mapping[str, str]) -> Item:
    covered = raw["coverage"] == "covered"
    return Item(raw["question"], Outcome(raw["result"]), covered, raw["dimension"])


def schema() -> dict[str, Any]:
    return published("goalkeeper answers", SHAPE.schema())
