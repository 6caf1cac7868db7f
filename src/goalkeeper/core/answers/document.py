"""Answers are typed: all problems are told at once, and the schema is published.

What is said here is commentary until the engine has confirmed it; see `procedure`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from goalkeeper.core.contract.check_kinds import Check, CheckShape
from goalkeeper.core.problems import Problem, find_nearest
from goalkeeper.core.schema import (
    Choice,
    Field,
    ListOf,
    Node,
    Notes,
    ProgramWord,
    RecordShape,
    RepositoryPath,
    Shape,
    Text,
    WholeNumber,
    publish_schema,
)
from goalkeeper.wire.value import Value

FEWEST_ITEMS, MOST_ITEMS = 5, 10
DIMENSIONS = ("presence", "correctness", "integration", "breakage")
TIERS = ("tree", "codebase", "adjacent", "web")
ROUTINE = "outcome routine"  # this alone cuts a stage short
_MOST_LISTED = 100
_OPEN = "<fill in: "


class AnswerOutcome(StrEnum):
    PASS = "pass"  # noqa: S105  a result, not a word to get in by
    FAIL = "fail"
    NA = "na"


class Claimed(Value):
    """An artifact that is to show that the goal is met, and the claim that says how."""

    artifact: str
    claim: str


class Item(Value):
    question: str
    result: AnswerOutcome
    covered: bool  # whether the goal's own criteria cover it
    dimension: str


class Negative(Value):
    """A way in which the goal could look met and not be, and the check that would show it."""

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
    """Evidence of one kind that somebody gave."""

    kind: str
    fields: Mapping[str, Any]


class Overriding(Value):
    claim: str
    reason: str


class Abbreviated(Value):
    step: str
    condition: str


class Answers(Value):
    plain: Mapping[str, Any]  # the answers as they were given
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


def _required_field(shape: Shape, help: str = "") -> Field:  # noqa: A002  as the field names it
    return Field(shape, "", required=True, help=help)


_ARTIFACT = _required_field(Text(), "a file that the work made or changed, or commit:ID")
_CLAIM = _required_field(Text(), "in the form: X is Y because Z; Z names what shows it")
_Q1 = RecordShape({"artifact": _ARTIFACT, "claim": _CLAIM})
_ITEM = RecordShape(
    {
        "question": _required_field(Text(), "a property that the result must have, as a question"),
        "result": _required_field(Choice(tuple(AnswerOutcome))),
        "coverage": _required_field(
            Choice(("covered", "uncovered")), "whether a criterion covers it"
        ),
        "dimension": _required_field(Choice(DIMENSIONS)),
    }
)
_Q1_5 = RecordShape(
    {"items": Field(ListOf(_ITEM, least=FEWEST_ITEMS, most=MOST_ITEMS), (), required=True)}
)
_Q2 = RecordShape(
    {
        "failure_mode": _required_field(Text(), "how it could look met and not be"),
        "check": Field(CheckShape(), required=True, help="what tells; goalkeeper runs it"),
        "finding": _CLAIM,
    }
)
_Q3 = RecordShape({"scope": _required_field(Choice(("unit", "integration"))), "claim": _CLAIM})
_OUTCOME = _required_field(Text(), "an entry of outcomes_agent_leg, word for word")
_LEG = RecordShape({"outcome": _OUTCOME, **_Q1.fields})
_COMMAND = Text("a command line")
_EXIT = WholeNumber(0, 255)
EVIDENCE: Mapping[str, RecordShape] = {
    "search": RecordShape(
        {
            "tier": _required_field(Choice(TIERS), "goalkeeper itself searches tree and codebase"),
            "query": _required_field(Text()),
            "found": Field(WholeNumber(0), 0),
        }
    ),
    "signal": RecordShape(
        {
            "tool": _required_field(Text()),
            "endpoint": _required_field(Text()),
            "type": _required_field(Text(), "such as http, process, log"),
            "command": Field(ProgramWord(), ""),
            "output": Field(ProgramWord(), ""),
            "exit_code": Field(_EXIT),
        }
    ),
    "health": RecordShape(
        {"command": _required_field(_COMMAND), "exit_code": Field(_EXIT, 0, required=True)}
    ),
    "probe": RecordShape(
        {
            "path": _required_field(RepositoryPath(), "a JSON or JSON Lines file of the tree"),
            "field": _required_field(Text(), "a path such as a.b"),
        }
    ),
}


class EvidenceShape(Value):
    """Reads a mapping with exactly one kind of evidence in it."""

    def read_node(self, node: Node, where: str, notes: Notes) -> Given:
        given = node.value if isinstance(node.value, Mapping) else {}
        if len(given) != 1 or not given.keys() <= EVIDENCE.keys():
            near = [near for name in given if (near := find_nearest(name, EVIDENCE))]
            meant = f" (did you mean {near[0]}?)" if near and len(given) == 1 else ""
            notes.add_problem(node, where, f"expected one of {', '.join(EVIDENCE)}{meant}")
            return Given("", {})
        ((kind, inner),) = given.items()
        return Given(kind, EVIDENCE[kind].read_node(inner, f"{where}.{kind}", notes))

    def json_schema(self) -> dict[str, Any]:
        kinds = ({kind: Field(record, required=True)} for kind, record in EVIDENCE.items())
        return {"oneOf": [RecordShape(fields).json_schema() for fields in kinds]}


class AboutShape(Value):
    """Takes whatever a template tells about the goal. It is no answer, and nothing reads it."""

    def read_node(self, node: Node, where: str, notes: Notes) -> None: ...

    def json_schema(self) -> dict[str, Any]:
        return {}


_OVERRIDE = RecordShape(
    {
        "claim": _required_field(Text(), "the sentence, word for word"),
        "reason": _required_field(Text(), "why it stands without the evidence; it is recorded"),
    }
)
_ABBREVIATED = RecordShape(
    {"step": _required_field(Choice(("q1_5",))), "condition": _required_field(Text(), ROUTINE)}
)
SHAPE = RecordShape(
    {
        "q1": Field(_Q1, None, help="what concrete artifact shows that the goal is met?"),
        "q1_5": Field(_Q1_5, None, help="a checklist over four dimensions"),
        "q2": Field(_Q2, None, help="how could it look met and not be, and what tells?"),
        "q3": Field(_Q3, None, help="was it verified alone, or from caller to side effect?"),
        "agent_leg": Field(
            ListOf(_LEG, most=_MOST_LISTED), (), help="of a goal that a user takes part in"
        ),
        "evidence": Field(ListOf(EvidenceShape(), most=_MOST_LISTED), ()),
        "overrides": Field(ListOf(_OVERRIDE, most=_MOST_LISTED), ()),
        "result": Field(Text(), "", help="what was done and seen, in words"),
        "summary": Field(Text(), "", help="what was produced, in one line"),
        "abbreviated": Field(_ABBREVIATED, None, help="audited against the record"),
        "about": Field(AboutShape(), None, help="what a template tells; it is not read"),
    }
)


def read_answers(plain: object) -> Answers | tuple[Problem, ...]:
    """Read decoded JSON."""
    notes = Notes("answers")
    if isinstance(plain, Mapping):
        plain = {name: value for name, value in plain.items() if name != "about"}
    left = tuple(Problem(f"answers{at}", "it is not filled in yet") for at in _find_open(plain))
    if left:
        return left
    fields = SHAPE.read_node(Node.from_plain(plain), "", notes)
    if notes.problems:
        return tuple(notes.problems)
    return Answers(
        plain if isinstance(plain, Mapping) else {},
        Claimed(**fields["q1"]) if fields["q1"] else None,
        tuple(_read_item(item) for item in fields["q1_5"]["items"]) if fields["q1_5"] else None,
        Negative(**fields["q2"]) if fields["q2"] else None,
        Scope(**fields["q3"]) if fields["q3"] else None,
        tuple(Leg(**leg) for leg in fields["agent_leg"]),
        fields["evidence"],
        tuple(Overriding(**each) for each in fields["overrides"]),
        fields["result"],
        fields["summary"],
        Abbreviated(**fields["abbreviated"]) if fields["abbreviated"] else None,
    )


def leave_open(what: str) -> str:
    """Return the text that stands in a template where somebody has to say something."""
    return f"{_OPEN}{what}>"


def _find_open(plain: object, where: str = "") -> Iterator[str]:
    """Find the places of a template that nobody has filled in."""
    if isinstance(plain, Mapping):
        for name, value in plain.items():
            yield from _find_open(value, f"{where}.{name}")
    elif isinstance(plain, list):
        for number, value in enumerate(plain):
            yield from _find_open(value, f"{where}[{number}]")
    elif isinstance(plain, str) and plain.startswith(_OPEN):
        yield where


def _read_item(raw: Mapping[str, str]) -> Item:
    covered = raw["coverage"] == "covered"
    return Item(raw["question"], AnswerOutcome(raw["result"]), covered, raw["dimension"])


def json_schema() -> dict[str, Any]:
    return publish_schema("goalkeeper answers", SHAPE.json_schema())
