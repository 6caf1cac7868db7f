"""A script as people write it, in JSON, becomes a Script; or every problem is named at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from goalkeeper.core.schema import (
    AnyJson,
    Choice,
    Field,
    Flag,
    ListOf,
    Node,
    Notes,
    Number,
    RecordShape,
    RegexPattern,
    Shape,
    Text,
    WholeNumber,
)
from goalkeeper.wire.value import Value
from tests.scripted_model.script import (
    APIS,
    Call,
    Failure,
    FreeformCall,
    Reply,
    Rule,
    Script,
    Turn,
    Usage,
    When,
)


class ScriptInvalid(ValueError):
    """What is wrong with a script, each with its place: `turns[0].text: expected text`."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def read_script(plain: object) -> Script:
    notes = Notes()
    try:
        fields = _SCRIPT.read_node(Node.from_plain(plain), "", notes)
    except RecursionError as exc:
        raise ScriptInvalid(["nested too deep"]) from exc
    if notes.problems:
        raise ScriptInvalid([problem.message for problem in notes.problems])
    return Script(**fields)


class _Text(Value):
    """Any text, empty too: a model may say nothing."""

    def read_node(self, node: Node, where: str, notes: Notes) -> str:
        if not isinstance(node.value, str):
            notes.add_problem(node, where, "expected text")
        return str(node.value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


class _Object(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> Any:  # noqa: ANN401
        if not isinstance(node.value, Mapping):
            notes.add_problem(node, where, "expected an object")
        return AnyJson().read_node(node, where, notes)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "object"}


class _Headers(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> dict[str, str]:
        if not isinstance(node.value, Mapping):
            notes.add_problem(node, where, "expected names and texts")
            return {}
        for name, item in node.value.items():
            line = f"{name}: {item.value}" if isinstance(item.value, str) else ""
            if not re.fullmatch(r"[\w-]+: [\x20-\x7e]*", line, re.ASCII):
                notes.add_problem(item, f"{where}.{name}", "expected a header, in plain ASCII")
        return {name: str(item.value) for name, item in node.value.items()}

    def json_schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "string"}}


class _Seconds(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> float:
        seconds = Number().read_node(node, where, notes)
        if seconds < 0:
            notes.add_problem(node, where, "expected seconds, not less than 0")
        return seconds

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0}


class _Made(Value):
    """A record that becomes a value."""

    record: RecordShape
    value: type[Value]

    def read_node(self, node: Node, where: str, notes: Notes) -> Value:
        return self.value(**self.record.read_node(node, where, notes))

    def json_schema(self) -> dict[str, Any]:
        return self.record.json_schema()


class _CallShape(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> Call | FreeformCall:
        fields = RecordShape(_CALL).read_node(node, where, notes)
        given = _names(node)
        for problem in _clashes(given):
            notes.add_problem(node, where, problem)
        if given.isdisjoint({"tool", "custom_tool"}):
            notes.add_problem(node, where, "tool or custom_tool is missing")
        return _call(fields)

    def json_schema(self) -> dict[str, Any]:
        return RecordShape(_CALL).json_schema()


class _TurnShape(Value):
    def read_node(self, node: Node, where: str, notes: Notes) -> Turn:
        fields = RecordShape(_TURN).read_node(node, where, notes)
        given = _names(node)
        for problem in _clashes(given):
            notes.add_problem(node, where, problem)
        if "status" in given:
            return _failure(fields, node, where, notes)
        alone = (_call(fields),) if given & {"tool", "custom_tool"} else ()
        said = {name: fields[name] for name in _SAID}
        return Reply(calls=fields["tools"] or alone, **said)

    def json_schema(self) -> dict[str, Any]:
        return RecordShape(_TURN).json_schema()


def _failure(fields: Mapping[str, Any], node: Node, where: str, notes: Notes) -> Failure:
    if rest := sorted(_names(node) & _TURN.keys() - _FAILED):
        notes.add_problem(node, where, f"an answer with a status has no {', no '.join(rest)}")
    return Failure(**{name: fields[name] for name in _FAILED})


def _call(fields: Mapping[str, Any]) -> Call | FreeformCall:
    if fields["custom_tool"]:
        return FreeformCall(fields["custom_tool"], fields["raw"])
    return Call(fields["tool"], fields["input"], fields["namespace"])


def _names(node: Node) -> AbstractSet[str]:
    return node.value.keys() if isinstance(node.value, Mapping) else frozenset()


def _clashes(given: AbstractSet[str]) -> Iterator[str]:
    for name, needed in _NEEDS.items():
        if name in given and needed not in given:
            yield f"{name} goes with {needed}, which is missing"
    for one, other in _NEVER_BOTH:
        if {one, other} <= given:
            yield f"{one} and {other} do not go together"


_NEEDS = {
    "input": "tool", "namespace": "tool", "custom_tool": "raw", "raw": "custom_tool",
    "body": "status", "headers": "status",
}  # fmt: skip
_NEVER_BOTH = (("tool", "custom_tool"), ("tool", "tools"), ("custom_tool", "tools"))
_TOKENS = WholeNumber(0)
_TOOL = Text("the name of a tool")
_USAGE = RecordShape(
    {
        "input": Field(_TOKENS),
        "output": Field(_TOKENS, Usage().output),
        "cache_read": Field(_TOKENS, 0),
    }
)
_CALL = {
    "tool": Field(_TOOL, ""),
    "input": Field(_Object(), {}),
    "namespace": Field(_Text(), ""),
    "custom_tool": Field(_TOOL, ""),
    "raw": Field(_Text(), ""),
}
_TURN: Mapping[str, Field] = {
    **_CALL,
    "tools": Field(ListOf(_CallShape(), least=1), ()),
    "text": Field(_Text(), ""),
    "thinking": Field(_Text(), ""),
    "usage": Field(_Made(_USAGE, Usage), Usage()),
    "stop": Field(_Text(), ""),
    "model": Field(_Text(), ""),
    "delay": Field(_Seconds(), 0),
    "cut": Field(Flag(), default=False),
    "status": Field(WholeNumber(400, 599)),
    "headers": Field(_Headers(), {}),
    "body": Field(AnyJson()),
}
_SAID = ("text", "thinking", "usage", "stop", "model", "delay", "cut")
_FAILED = ("status", "headers", "body", "delay")
_TURNS: Shape = ListOf(_TurnShape(), least=1)
_WHEN = RecordShape(
    {
        "api": Field(Choice(APIS), ""),
        "model": Field(RegexPattern(), ""),
        "system": Field(RegexPattern(), ""),
        "last": Field(RegexPattern(), ""),
        "all": Field(RegexPattern(), ""),
        "tool": Field(_TOOL, ""),
        "notools": Field(Flag(), default=False),
    }
)
_RULE = RecordShape(
    {
        "when": Field(_Made(_WHEN, When), When(), required=True),
        "turns": Field(_TURNS, (), required=True),
        "times": Field(WholeNumber(1)),
    }
)
_SCRIPT = RecordShape(
    {
        "turns": Field(_TURNS, Script().turns),
        "rules": Field(ListOf(_Made(_RULE, Rule)), ()),
        "side": Field(_TurnShape()),
    }
)
