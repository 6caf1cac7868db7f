"""JSON becomes values again: each field goes by its name, and its annotation says what it must be.

`plain` writes a value as an object and leaves empty texts, empty tuples and None out. `decode`
is its inverse: a field that is not there is None, an empty tuple or an empty text where its
annotation allows that, else the default of its class, else the object is malformed. An object is
always written, so it has no default here. Fields that the class does not have are ignored.

Annotations are text here (`from __future__ import annotations`), and few forms of them occur. So
they are read by hand, once for each class and not before its first value is met. `HOME_OF` says
where the classes are that they name: a class that few plans hold is imported when the first value
of it is read, since what agents call all day starts without it (docs/decisions/0003-start-up.md).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from importlib import import_module
from types import UnionType
from typing import Any, TypeVar

from goalkeeper.wire.value import Value

_NAMES = {
    "campaign.plan": "Complexity MasterPlan PlannedCommand PlannedSession PlannedStep",
    "campaign.state": "Allowance CampaignReason CampaignTerms Handoff MissingStep PushTarget",
    "contract.criteria": "CriterionState CriterionStatus Decision Verdict",
    "contract.findings": "Finding FindingAnswer Level",
    "contract.judgement": "Judged Judgement",
    "contract.on_failure": "OnFailure",
    "contract.timing": "Timing",
    "draft.model": "Draft DraftedTest Examiner Opinion Standing",
    "drive.artifacts": "ArtifactCheck ArtifactGate ArtifactState PhaseTrace",
    "drive.phases": "Depth Ending Phase Record Spend",
    "drive.state": "Budget Drive ExitKind LineOfWork Reason Running Worktree",
    "plan.commands": "Change CheckpointStatus",
    "plan.model": (
        "Actor ActorKind Answered Base Blocker Classification Frozen Goal GoalMode GoalStatus "
        "Issued NewGoal SteeringKey StepPassed Streak ToolGoal ToolStatus"
    ),
    "review.assessed": "Diagnostic Quality Voice",
    "review.lane": "Lane LaneRole LaneWord",
}
HOME_OF = {name: home for home, names in _NAMES.items() for name in names.split()}

V = TypeVar("V", bound=Value)
Reader = Callable[[Any], Any]


class Malformed(ValueError):
    """A field is missing or not what it must be; the message names it."""

    def __init__(self, problem: str, where: str = "") -> None:
        super().__init__(f"{where or 'it'} {problem}")
        self.problem = problem
        self.where = where

    def below(self, name: str) -> Malformed:
        """Return the same problem, told of an object that is the field `name` of another one."""
        inner = self.where if not self.where or self.where[0] == "[" else f".{self.where}"
        return Malformed(self.problem, name + inner)


def decode(shape: type[V], raw: object, where: str = "") -> V:
    """Read a value of this class; raise Malformed, with `where` before the field's name."""
    try:
        return _read_object(shape, raw)
    except Malformed as exc:
        raise (exc.below(where) if where else exc) from None


class _ClassFields(Value):
    """What a class expects, in a form that is quick to use."""

    expected: dict[str, tuple[type, Reader]]
    absent: dict[str, Any]
    required: dict[str, str]  # the problem to report when one is missing
    size: int


_FIELDS_OF: dict[type[Value], _ClassFields] = {}
_READER_OF: dict[str, Reader] = {}


def _read_object(shape: type[V], raw: object) -> V:
    if not isinstance(raw, dict):
        raise Malformed("is not an object")
    fields = _FIELDS_OF.get(shape) or _learn_fields(shape)
    expected = fields.expected
    found = fields.absent.copy()
    name = ""
    try:
        for name, value in raw.items():
            if name in expected:
                as_it_is, read = expected[name]
                found[name] = value if type(value) is as_it_is else read(value)
    except Malformed as exc:
        raise exc.below(name) from None
    if len(found) != fields.size:
        name = next(name for name in fields.required if name not in found)
        raise Malformed(fields.required[name], name)
    return shape.from_fields(found)


def _learn_fields(shape: type[Value]) -> _ClassFields:
    learned = _ClassFields({}, {}, {}, len(shape.__annotations__))
    for name, annotation in shape.__annotations__.items():
        as_it_is, read, problem, absent = _expect(annotation, getattr(shape, name, ...))
        learned.expected[name] = as_it_is, read
        if absent is ...:
            learned.required[name] = problem
        else:
            learned.absent[name] = absent
    return _FIELDS_OF.setdefault(shape, learned)


def _expect(annotation: str, default: object) -> tuple[type, Reader, str, object]:
    """Return a type, a reader, a problem and a value, which say what one field must be.

    A value of exactly the type needs no reading. The problem is told of a field that is missing,
    unless it may be missing: then it has the value, which is an ellipsis otherwise.
    """
    if annotation.endswith(" | None"):
        as_it_is, read, _, _ = _expect(annotation.removesuffix(" | None"), ...)
        return as_it_is, lambda value: None if value is None else read(value), "", None
    if annotation.startswith("tuple["):
        return Value, _list_reader(annotation[len("tuple[") : -len(", ...]")]), "", ()
    if annotation == "MaybeEmpty":
        return str, _read_text, "", ""
    if annotation in _PLAIN:
        return *_PLAIN[annotation], default
    absent = ... if isinstance(default, Value) else default
    return Value, _named_reader(annotation), "is not an object", absent


def _read_text(value: object) -> str:
    if isinstance(value, str):  # a member of an enumeration is a str, too
        return value
    raise Malformed("is not text")


def _refuse(problem: str) -> Reader:
    def read(_: object) -> object:
        raise Malformed(problem)

    return read


_PLAIN: dict[str, tuple[type, Reader, str]] = {
    "str": (str, _read_text, "is not text"),
    "int": (int, _refuse("is not a whole number"), "is not a whole number"),
    "bool": (bool, _refuse("is not true or false"), "is not true or false"),
    "Mapping[str, object]": (dict, _refuse("is not an object"), "is not an object"),
}


def _list_reader(item: str) -> Reader:
    if item == "str":
        return _read_texts
    read = _plain_reader(item) if item in _PLAIN else _named_reader(item)

    def read_list(value: object) -> object:
        if not isinstance(value, list):
            raise Malformed("is not a list")
        found: list[object] = []
        try:
            for each in value:
                found.append(read(each))  # noqa: PERF401  its length says which one is malformed
        except Malformed as exc:
            raise exc.below(f"[{len(found)}]") from None
        return tuple(found)

    return read_list


def _plain_reader(name: str) -> Reader:
    as_it_is, read, _ = _PLAIN[name]
    return lambda value: value if type(value) is as_it_is else read(value)


def _read_texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise Malformed("is not a list of texts")


def _named_reader(name: str) -> Reader:
    """Return a reader of what the name stands for; it looks the name up when something is read."""

    def read(value: object) -> object:
        return (_READER_OF.get(name) or _learn_reader(name))(value)

    return read


def find_class(name: str) -> Any:  # noqa: ANN401  a class, or a union of classes
    """Find what an annotation names; raise LookupError for a name that stands in no home."""
    return getattr(import_module(f"goalkeeper.core.{HOME_OF[name]}"), name)


def _learn_reader(name: str) -> Reader:
    named = find_class(name)
    if isinstance(named, UnionType):  # each of its objects names its kind
        read = _union_reader({each.kind: each for each in named.__args__})
    elif issubclass(named, StrEnum):
        read = _choice_reader(named)
    else:
        read = partial(_read_object, named)
    return _READER_OF.setdefault(name, read)


def _choice_reader(choices: type[StrEnum]) -> Reader:
    members = {str(member): member for member in choices}
    problem = "is not one of " + ", ".join(choices)

    def read(value: object) -> object:
        if not isinstance(value, str):
            raise Malformed("is not text")
        if value not in members:
            raise Malformed(problem)
        return members[value]

    return read


def _union_reader(shapes: dict[str, type[Value]]) -> Reader:
    def read(value: object) -> object:
        if not isinstance(value, dict):
            raise Malformed("is not an object")
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in shapes:
            raise Malformed("is not one of " + ", ".join(shapes), "kind")
        return _read_object(shapes[kind], value)

    return read


_EMPTY = ("", (), None)


def plain(value: Any) -> Any:  # noqa: ANN401  the border between values and JSON
    """Write values as objects without their empty fields, and tuples as lists."""
    if isinstance(value, Value):
        return {
            name: item if isinstance(item, str) else plain(item)
            for name, item in value.as_dict().items()
            if item not in _EMPTY
        }
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
