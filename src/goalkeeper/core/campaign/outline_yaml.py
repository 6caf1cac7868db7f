"""The outline of a plan that is YAML as a whole; its names are those of the Markdown form.

Every value becomes a field as Markdown would have it, so that both are read by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from goalkeeper.core.campaign.labelled_fields import WrittenField, report_line
from goalkeeper.core.campaign.markdown import (
    DEPENDENCY_LABELS,
    FENCE_LABELS,
    HEADER_LABELS,
    METADATA_LABELS,
    PLAN_LABELS,
    STEP_LABELS,
    Fence,
    Piece,
    TextLine,
    dedent_text,
    find_heading,
    normalise_name,
    write_code,
)
from goalkeeper.core.campaign.outline import WrittenPart, WrittenPlan, WrittenStep
from goalkeeper.core.problems import find_nearest
from goalkeeper.core.schema import Node, Notes
from goalkeeper.wire.pattern import late_pattern

_ROOT = late_pattern(r"(?:sessions|steps)[ \t]*:[ \t]*(?:#.*|\[.*)?$")
_NUMBER = late_pattern(r"(?:session|step|S)?[ \t]*0*([0-9]{1,6})(?:[ \t]*[:–—-].*)?", re.IGNORECASE)
_GROUPS = {
    "dependencies": DEPENDENCY_LABELS,
    "scope fence": FENCE_LABELS,
    "metadata": METADATA_LABELS,
}
_IGNORED = dict.fromkeys(("failure handling", "security constraints", "recovery metadata"), "")
_NUMBERS = dict.fromkeys(("session", "step", "number", "id"), "number")
_SESSION_NAMES = {
    **HEADER_LABELS,
    **_IGNORED,
    **_NUMBERS,
    **{name: name for name in _GROUPS},
    "title": "title",
    "total": "total",
    "steps": "steps",
    "session manifest": "session manifest",
}
_STEP_NAMES = {**STEP_LABELS, **_NUMBERS, "title": "title", "description": "title"}
_PLAN_NAMES = {**PLAN_LABELS, **{name: name for name in ("steps", "sessions", "master plan")}}
_BREAKS = late_pattern("[\x85\u2028\u2029]")
_PATHS = ("files", "touch", "never touch", "shared files")
_COMMANDS = ("verify", "exit condition", "entry condition")


def looks_like_yaml(lines: list[str]) -> bool:
    """Return whether a text is YAML as a whole, and not Markdown with some inside."""
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("{") and not first.endswith("}"):
        return True
    if not first.startswith("{") and not any(map(_ROOT.match, lines)):
        return False
    headings = (find_heading(TextLine(1, line)) for line in lines)
    return not any(each and each.kind in {"session", "step"} for each in headings)


def outline_yaml(lines: list[str], notes: Notes) -> WrittenPlan:
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  YAML, for those who bring some

    lines = [each for line in lines for each in _BREAKS.split(line)]  # as YAML counts them
    plan = WrittenPlan(notes)
    root = yaml_nodes.compose_nodes("\n".join(lines), 1)
    if not isinstance(root, Node):
        for problem in root:
            report_line(notes, int(problem.where.removeprefix("line ")), problem.message)
        return plan
    reader = _YamlReader(lines, notes)
    names = {normalise_name(name) for name in root.value} if isinstance(root.value, dict) else set()
    if names & {"session", "scope fence", "session manifest"}:
        plan.sessions.append(reader.read_session(root))
    else:
        reader.read_plan(root, plan)
    return plan


class _YamlReader:
    def __init__(self, lines: list[str], notes: Notes) -> None:
        self.lines, self.notes = lines, notes

    def read_plan(self, root: Node, plan: WrittenPlan) -> None:
        fields = self._take_names(root, _PLAN_NAMES)
        plan.steps = [self.read_step(node) for node in _list_nodes(fields.pop("steps", None))]
        plan.sessions = [self.read_session(n) for n in _list_nodes(fields.pop("sessions", None))]
        self._fill(plan, fields)

    def read_session(self, node: Node) -> WrittenPart:
        fields = self._take_names(node, _SESSION_NAMES)
        title = _text_of(fields.pop("title", None))
        part = WrittenPart(self._take_number(fields, node), title, node.line, self.notes)
        total = fields.pop("total", None)
        part.total = total.value if total and isinstance(total.value, int) else 0
        steps = _list_nodes(fields.pop("steps", None))
        if steps and not any(isinstance(step.value, Mapping) for step in steps):
            fields["step numbers"] = Node(steps, steps[0].line)
        else:
            part.steps = [step for step in map(self.read_step, steps) if step.number]
        for group, names in _GROUPS.items():
            if group in fields:
                fields |= self._take_names(fields.pop(group), names)
        self._fill(part, fields)
        return part

    def read_step(self, node: Node) -> WrittenStep:
        fields = self._take_names(node, _STEP_NAMES)
        title = _text_of(fields.pop("title", None))
        step = WrittenStep(self._take_number(fields, node), title, node.line)
        contract = fields.pop("contract", None)
        if contract:
            step.contract = self._slice_words(contract, "contract")
        step.fields = {name: self._make_field(name, value) for name, value in fields.items()}
        return step

    def _fill(self, part: WrittenPart, fields: Mapping[str, Node]) -> None:
        part.fields = {name: self._make_field(name, node) for name, node in fields.items()}
        part.version = _text_of(fields.get("plan version"))

    def _take_names(self, node: Node, known: Mapping[str, str]) -> dict[str, Node]:
        if not isinstance(node.value, Mapping):
            report_line(self.notes, node.line, "expected names and values")
            return {}
        found: dict[str, Node] = {}
        for written, value in node.value.items():
            name = normalise_name(written)
            if name not in known:
                near = find_nearest(name, known).replace(" ", "_")
                meant = f"; did you mean {near}?" if near else ""
                report_line(self.notes, value.line, f"unknown field '{written}'{meant}")
            elif known[name] in found:
                report_line(self.notes, value.line, f"{written} is given twice")
            elif known[name]:
                found[known[name]] = value
        return found

    def _take_number(self, fields: dict[str, Node], node: Node) -> int:
        given = fields.pop("number", None)
        match = _NUMBER.fullmatch(_text_of(given).strip())
        if match:
            return int(match[1])
        report_line(self.notes, (given or node).line, "a session or a step needs a whole number")
        return 0

    def _make_field(self, name: str, node: Node) -> WrittenField:
        if name in {"manifest", "session manifest"} and node.value:
            text = self._slice_words(node, name.replace(" ", "_"))
            return WrittenField(node.line, "", (_make_fence(node.line, text),))
        if isinstance(node.value, tuple):
            pieces: list[Piece] = []
            for item in node.value:
                pieces += self._make_item(name, item)
            return WrittenField(node.line, "", tuple(pieces))
        if name in _COMMANDS and isinstance(node.value, Mapping):
            return WrittenField(node.line, "", tuple(self._make_item(name, node)))
        if isinstance(node.value, Mapping):
            report_line(self.notes, node.line, f"{name}: expected text or a list of texts")
        text = _text_of(node)
        if name == "verify" and "\n" in text.strip():
            return WrittenField(node.line, "", (_make_fence(node.line, text.strip("\n")),))
        first, *more = text.split("\n")
        rest = tuple(TextLine(node.line + n, line) for n, line in enumerate(more, 1))
        return WrittenField(node.line, first, rest)

    def _make_item(self, name: str, item: Node) -> list[Piece]:
        """Make an item of a list as Markdown has it."""
        if isinstance(item.value, tuple):
            report_line(self.notes, item.line, f"{name}: expected text, not a list in a list")
            return []
        if isinstance(item.value, Mapping):
            fields = self._take_names(item, {"command": "command", "expected": "expected"})
            command, expected = (_text_of(fields.get(each)) for each in ("command", "expected"))
            behind = TextLine(item.line, f"→ expected: {' '.join(expected.split())}")
            return [_make_fence(item.line - 1, command.strip("\n")), behind]
        text = _text_of(item)
        if name in _PATHS and text and "`" not in text:
            text = write_code(text)
        if name in _COMMANDS and "\n" in text.strip():
            return [_make_fence(item.line, text.strip("\n"))]
        return [TextLine(item.line, f"- {' '.join(text.split())}")]

    def _slice_words(self, node: Node, name: str) -> str:
        """Return what stands behind a name, word for word as it was written."""
        if isinstance(node.value, str):
            return dedent_text(node.value.rstrip("\n").split("\n"))
        line = self.lines[node.line - 1]
        match = re.match(rf"([ \t]*(?:-[ \t]+)*){name}[ \t]*:[ \t]*(#.*|\{{.*|)$", line)
        if match is None or match[2].startswith("{"):
            return _write_again(node)
        kept: list[str] = []
        for following in self.lines[node.line :]:
            width = len(following) - len(following.lstrip())
            if following.strip() and width <= len(match[1]):
                break
            kept.append(following)
        while kept and not kept[-1].strip():
            kept.pop()
        return dedent_text(kept)


def _make_fence(line: int, text: str) -> Fence:
    return Fence(line, "", ("", *text.split("\n"), ""))


def _list_nodes(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.value if isinstance(node.value, tuple) else (node,)


def _text_of(node: Node | None) -> str:
    value = node.value if node else None
    return "" if value is None or isinstance(value, Mapping | tuple) else str(value)


def _write_again(node: Node) -> str:
    from goalkeeper.core import yaml_nodes  # noqa: PLC0415  as above

    return yaml_nodes.write_yaml(_to_plain(node)).rstrip("\n")


def _to_plain(node: Node) -> Any:  # noqa: ANN401  what JSON can say
    if isinstance(node.value, Mapping):
        return {name: _to_plain(item) for name, item in node.value.items()}
    return [_to_plain(item) for item in node.value] if isinstance(node.value, tuple) else node.value
