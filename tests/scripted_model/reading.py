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
    Many,
    Node,
    Notes,
    Number,
    Pattern,
    Record,
    Shape,
    Text,
    Whole,
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
        fields = _SCRIPT.read(Node.of(plain), "", notes)
    except RecursionError as exc:
        raise ScriptInvalid(["nested too deep"]) from exc
    if notes.problems:
        raise ScriptInvalid([problem.message for problem in notes.problems])
    return Script(**fields)


class _Text(Value):
    """Any text, empty too: a model may say nothing."""

    def read(self, node: Node, where: str, notes: Notes) -> str:
        if not isinstance(node.value, str):
            notes.wrong(node, where, "expected text")
        return str(node.value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


class _Object(Value):
    def read(self, node: Node, where: str, notes: Notes) -> Any:  # noqa: ANN401
        if not isinstance(node.value, Mapping):
            notes.wrong(node, where, "expected an object")
        return AnyJson().read(node, where, notes)

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}


class _Headers(Value):
    def read(self, node: Node, where: str, notes: Notes) -> dict[str, str]:
        if not isinstance(node.value, Mapping):
            notes.wrong(node, where, "expected names and texts")
            return {}
        for name, item in node.value.items():
            line = f"{name}: {item.value}" if isinstance(item.value, str) else ""
            if not re.fullmatch(r"[\w-]+: [\x20-\x7e]*", line, re.ASCII):
                notes.wrong(item, f"{where}.{name}", "expected a header, in plain ASCII")
        return {name: str(item.value) for name, item in node.value.items()}

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": {"type": "string"}}


class _Seconds(Value):
    def read(self, node: Node, where: str, notes: Notes) -> float:
        seconds = Number().read(node, where, notes)
        if seconds < 0:
            notes.wrong(node, where, "expected seconds, not less than 0")
        return seconds

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0}


class _Made(Value):
    """A record that becomes a value."""

    record: Record
    value: type[Value]

    def read(self, node: Node, where: str, notes: Notes) -> Value:
        return self.value(**self.record.read(node, where, notes))

    def schema(self) -> dict[str, Any]:
        return self.record.schema()


class _CallShape(Value):
    def read(self, node: Node, where: str, notes: Notes) -> Call | FreeformCall:
        fields = Record(_CALL).read(node, where, notes)
        given = _names(node)
        for problem in _clashes(given):
            notes.wrong(node, where, problem)
        if given.isdisjoint({"tool", "custom_tool"}):
            notes.wrong(node, where, "tool or custom_tool is missing")
        return _call(fields)

    def schema(self) -> dict[str, Any]:
        return Record(_CALL).schema()


class _TurnShape(Value):
    def read(self, node: Node, where: str, notes: Notes) -> Turn:
        fields = Record(_TURN).read(node, where, notes)
        given = _names(node)
        for problem in _clashes(given):
            notes.wrong(node, where, problem)
        if "status" in given:
            return _failure(fields, node, where, notes)
        alone = (_call(fields),) if given & {"tool", "custom_tool"} else ()
        said = {name: fields[name] for name in _SAID}
        return Reply(calls=fields["tools"] or alone, **said)

    def schema(self) -> dict[str, Any]:
        return Record(_TURN).schema()


def _failure(fields: Mapping[str, Any], node: Node, where: str, notes: Notes) -> Failure:
    if rest := sorted(_names(node) & _TURN.keys() - _FAILED):
        notes.wrong(node, where, f"an answer with a status has no {', no '.join(rest)}")
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
_TOKENS = Whole(0)
_TOOL = Text("the name of a tool")
_USAGE = Record(
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
    "tools": Field(Many(_CallShape(), least=1), ()),
    "text": Field(_Text(), ""),
    "thinking": Field(_Text(), ""),
    "usage": Field(_Made(_USAGE, Usage), Usage()),
    "stop": Field(_Text(), ""),
    "model": Field(_Text(), ""),
    "delay": Field(_Seconds(), 0),
    "cut": Field(Flag(), default=False),
    "status": Field(Whole(400, 599)),
    "headers": Field(_Headers(), {}),
    "body": Field(AnyJson()),
}
_SAID = ("text", "thinking", "usage", "stop", "model", "delay", "cut")
_FAILED = ("status", "headers", "body", "delay")
_TURNS: Shape = Many(_TurnShape(), least=1)
_WHEN = Record(
    {
        "api": Field(Choice(APIS), ""),
        "model": Field(Pattern(), ""),
        "system": Field(Pattern(), ""),
        "last": Field(Pattern(), ""),
        "all": Field(Pattern(), ""),
        "tool": Field(_TOOL, ""),
        "notools": Field(Flag(), default=False),
    }
)
_RULE = Record(
    {
        "when": Field(_Made(_WHEN, When), When(), required=True),
        "turns": Field(_TURNS, (), required=True),
        "times": Field(Whole(1)),
    }
)
_SCRIPT = Record(
    {
        "turns": Field(_TURNS, Script().turns),
        "rules": Field(Many(_Made(_RULE, Rule)), ()),
        "side": Field(_TurnShape()),
    }
)
