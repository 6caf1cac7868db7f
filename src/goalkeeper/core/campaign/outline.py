"""The outline of a plan in Markdown: which lines belong to which session, section, step and field.

Levels of headings tell only where a heading ends that we do not know. What a field says is read
in `core.campaign.written_fields`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from goalkeeper.core.campaign.labelled_fields import (
    NEAR,
    WrittenField,
    report_line,
    split_fields,
)
from goalkeeper.core.campaign.markdown import (
    DEPENDENCY_LABELS,
    FENCE_LABELS,
    HEADER_LABELS,
    METADATA_LABELS,
    PLAN_LABELS,
    SECTIONS,
    STEP_LABELS,
    Fence,
    Piece,
    PlanHeading,
    TextLine,
    cut_bullet,
    find_heading,
    find_label,
    normalise_name,
    split_pieces,
)
from goalkeeper.core.schema import Notes
from goalkeeper.wire.pattern import late_pattern

_LEVELS = {"session": 1, "section": 2, "goal": 2, "step": 3}  # of headings that show none
_OF_SESSIONS = ("scope fence", "session manifest", "exit condition", "handoff state")
_TOTAL = late_pattern(r"\bSession[ \t]+[0-9]+[ \t]+of[ \t]+([0-9]{1,6})\b\.?")
_VERSION = late_pattern(r"(?i:\bplan[ _-]version)[*_`\"']*[ \t]*:[ \t*_`\"']*v?([0-9][\w.]*)")
_RELIED_ON = late_pattern(
    r"^(?!(?:none|n/a|nothing)\b)"
    r"(?:[^\s–—-]\S*$|.*`|[^\W\d][\w -]*:|.*\b(?:session[ \t]+|S)[0-9])",
    re.IGNORECASE,
)


class WrittenStep:
    """A step as it stands in the text."""

    def __init__(self, number: int, title: str, line: int, goal: str = "") -> None:
        self.number, self.title, self.line, self.goal = number, title, line, goal
        self.pieces: list[Piece] = []
        self.fields: dict[str, WrittenField] = {}
        self.contract = ""


class WrittenPart:
    """A session as it stands in the text, or the plan with what belongs to no session."""

    def __init__(self, number: int, title: str, line: int, notes: Notes) -> None:
        self.number, self.title, self.line, self.notes = number, title, line, notes
        self.total = 0
        self.version = ""
        self.header: list[Piece] = []
        self.sections: dict[str, tuple[int, list[Piece]]] = {}  # their lines, and what they say
        self.stray: list[Piece] = []  # what stands below headings that mean nothing to us
        self.fields: dict[str, WrittenField] = {}
        self.steps: list[WrittenStep] = []

    def report(self, line: int, message: str) -> None:
        report_line(self.notes, line, message)


class WrittenPlan(WrittenPart):
    def __init__(self, notes: Notes) -> None:
        super().__init__(0, "", 1, notes)
        self.sessions: list[WrittenPart] = []
        self.goals: list[str] = []


def outline_markdown(lines: list[str], notes: Notes) -> WrittenPlan:
    walk = _Walk(notes)
    for piece in split_pieces(lines):
        walk.take_piece(piece)
    plan = walk.plan
    for part in (plan, *plan.sessions):
        _read_header(part)
        _read_sections(part)
        for step in part.steps:
            _read_step(step, part)
    return plan


class _Walk:
    """Goes through the lines, and knows to what the next one belongs."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.plan = WrittenPlan(notes)
        self.part: WrittenPart = self.plan
        self.body: list[Piece] = self.plan.header
        self.levels = {"session": 0, "section": 0, "step": 0}  # 0: none is open
        self.goal = ""

    def take_piece(self, piece: Piece) -> None:
        if isinstance(piece, Fence):
            if not piece.is_closed:
                report_line(self.notes, piece.number, "this block is never closed")
            self.body.append(piece)
            return
        heading = find_heading(piece)
        if heading is None:
            self._check_version(piece)
            self.body.append(piece)
        else:
            self._open(heading, piece)

    def _check_version(self, piece: TextLine) -> None:
        """Report a version that stands where nobody looks for it: it decides how strict we are."""
        manifest = self.part.sections.get("session manifest", (0, None))[1]
        if self.body is self.part.header or self.body is manifest:
            return
        label = find_label(piece.text) if ":" in piece.text else None
        if label and label.name == "plan version":
            message = "the plan version is not read here; put it before the first section"
            report_line(self.notes, piece.number, message)

    def _open(self, heading: PlanHeading, piece: TextLine) -> None:
        match heading.kind:
            case "session":
                self._open_session(heading)
            case "step":
                self._open_step(heading)
            case "section":
                self._open_section(heading, piece)
            case "goal" if self.part is self.plan and not self._is_below_step(heading):
                self.goal = heading.name
                self.plan.goals.append(heading.name)
                self._leave(section=0, step=0)
            case "unnumbered":
                example = "Session 1: title" if heading.name == "session" else "Step 1: title"
                message = f"a {heading.name} needs a whole number, as in `{example}`"
                report_line(self.notes, heading.line, message)
                self._leave(section=0, step=0)
            case _:
                self._open_other(heading, piece)

    def _leave(self, **levels: int) -> None:
        """What follows belongs to nothing, until something is opened."""
        self.levels |= levels
        self.body = self.part.stray

    def _is_below_step(self, heading: PlanHeading) -> bool:
        return 0 < self.levels["step"] < heading.level

    def _open_session(self, heading: PlanHeading) -> None:
        self.part = WrittenPart(heading.number, heading.name, heading.line, self.notes)
        self.plan.sessions.append(self.part)
        self.levels = {"session": heading.level or _LEVELS["session"], "section": 0, "step": 0}
        self.body = self.part.header

    def _open_step(self, heading: PlanHeading) -> None:
        goal = self.goal if self.part is self.plan else ""
        step = WrittenStep(heading.number, heading.name, heading.line, goal)
        self.levels["step"] = heading.level or _LEVELS["step"]
        self.body = step.pieces
        if step.number:  # Step 0 is made by us, whatever somebody wrote there
            self.part.steps.append(step)

    def _open_section(self, heading: PlanHeading, piece: TextLine) -> None:
        if heading.name == "goals" and self._is_below_step(heading):
            self.body.append(piece)  # it is the goal of this step
            return
        self.levels |= {"section": heading.level or _LEVELS["section"], "step": 0}
        self.body = []
        if heading.name in self.part.sections:
            first, _ = self.part.sections[heading.name]
            message = f"the section {heading.name} stands here again; it began on line {first}"
            report_line(self.notes, heading.line, message)
            return
        if self.part is self.plan and heading.name in _OF_SESSIONS:
            message = f"the section {heading.name} belongs to a session, and none has begun"
            report_line(self.notes, heading.line, message)
        self.part.sections[heading.name] = heading.line, self.body

    def _open_other(self, heading: PlanHeading, piece: TextLine) -> None:
        name = normalise_name(heading.name.rstrip(":"))
        step, section, session = (self.levels[kind] for kind in ("step", "section", "session"))
        is_field = 0 < step <= heading.level and STEP_LABELS.get(name) == name
        if is_field or 0 < (step or section) < heading.level:
            self.body.append(piece)
        elif self.part is self.plan and not self.plan.title and heading.level == 1:
            self.plan.title, self.plan.line = heading.name, heading.line
        else:
            self._leave_for(heading, name, session)

    def _leave_for(self, heading: PlanHeading, name: str, session: int) -> None:
        near = get_close_matches(name, SECTIONS, n=1, cutoff=NEAR)
        if self.part is not self.plan and near:
            message = f"there is no section '{heading.name}'; did you mean {near[0]}?"
            report_line(self.notes, heading.line, message)
        if heading.level <= session:
            self.part = self.plan
            self.levels["session"] = 0
        self._leave(section=0, step=0)


def _read_header(part: WrittenPart) -> None:
    """Read what stands before the first section: whence it comes, and perhaps fields."""
    known = PLAN_LABELS if isinstance(part, WrittenPlan) else HEADER_LABELS
    front, rest = _split_front_matter([_read_origin(part, piece) for piece in part.header])
    part.fields, _ = split_fields(front, known, part.notes)
    more, loose = split_fields(rest, known, part.notes)
    _add_fields(part, more)
    words = tuple(piece for piece in loose if not _is_labelled(piece))
    if "context" not in part.sections and any(map(_says_something, words)):
        part.fields.setdefault("context", WrittenField(part.line, "", words))


def _read_origin(part: WrittenPart, piece: Piece) -> Piece:
    """Take the number of sessions and the plan's version from a line, wherever they stand."""
    if isinstance(piece, Fence):
        return piece
    bare = piece.text.lstrip(" \t>") if piece.text.lstrip().startswith(">") else piece.text
    version = _VERSION.search(bare)
    part.version = part.version or (version[1] if version else "")
    total = _TOTAL.search(bare)
    if total:
        part.total = part.total or int(total[1])
        bare = _TOTAL.sub("", bare).rstrip()
    return TextLine(piece.number, bare)


def _split_front_matter(pieces: list[Piece]) -> tuple[list[Piece], list[Piece]]:
    rules = [index for index, piece in enumerate(pieces) if _is_rule(piece)]
    if len(rules) > 1 and not any(map(_says_something, pieces[: rules[0]])):
        return pieces[rules[0] + 1 : rules[1]], pieces[rules[1] + 1 :]
    return [], [piece for piece in pieces if not _is_rule(piece)]


def _is_rule(piece: Piece) -> bool:
    return isinstance(piece, TextLine) and piece.text.rstrip() == "---"


def _is_labelled(piece: Piece) -> bool:
    return isinstance(piece, TextLine) and find_label(piece.text, even_unknown=True) is not None


def _says_something(piece: Piece) -> bool:
    return isinstance(piece, Fence) or bool(piece.text.strip())


def _add_fields(part: WrittenPart, fields: Mapping[str, WrittenField]) -> None:
    for name, field in fields.items():
        if name in part.fields:
            first = part.fields[name].line
            part.report(field.line, f"{name} is given twice, first on line {first}")
        else:
            part.fields[name] = field


def _read_sections(part: WrittenPart) -> None:
    labels = {
        "dependencies": DEPENDENCY_LABELS,
        "scope fence": FENCE_LABELS,
        "metadata": METADATA_LABELS,
    }
    for name, (line, pieces) in part.sections.items():
        if name in labels:
            fields, loose = split_fields(pieces, labels[name], part.notes)
            _add_fields(part, {} if isinstance(part, WrittenPlan) else fields)
            if name != "metadata":  # which may have more than we read
                _report_loose(part, name, loose, labels[name])
        else:
            _add_fields(part, {name: WrittenField(line, "", tuple(pieces))})
    _, steps = part.sections.get("steps", (0, []))
    strays = [] if isinstance(part, WrittenPlan) else part.stray
    _report_stray(part, [*steps, *strays])


def _report_loose(
    part: WrittenPart, section: str, pieces: Iterable[Piece], known: Mapping[str, str]
) -> None:
    """Report a path, a session or a name in a list that no field has: somebody relies on it."""
    for piece in pieces:
        bare, is_listed = cut_bullet(piece.text) if isinstance(piece, TextLine) else ("", False)
        label = find_label(bare, even_unknown=True)
        is_near = label and get_close_matches(label.name, known, n=1, cutoff=NEAR)  # told already
        if is_listed and not is_near and _RELIED_ON.search(bare):
            message = f"'{bare[:60]}' belongs to no field of {section}: it has {', '.join(known)}"
            part.report(piece.number, message)


def _report_stray(part: WrittenPart, pieces: Iterable[Piece]) -> None:
    """Report the first field that belongs to a step where none has begun."""
    for piece in pieces:
        label = find_label(piece.text) if isinstance(piece, TextLine) else None
        if label and label.name in {"verify", "on failure", "checkpoint", "manifest"}:
            message = f"{label.name} stands in no step; a step begins with `Step 1: title`"
            report_line(part.notes, piece.number, message)
            return


def _read_step(step: WrittenStep, part: WrittenPart) -> None:
    pieces: list[Piece] = []
    for piece in step.pieces:
        if isinstance(piece, Fence) and piece.info.lower() == "contract":
            if step.contract:
                part.report(piece.number, "a step takes one contract, this is the second")
            step.contract = piece.content
        else:
            pieces.append(piece)
    step.fields, loose = split_fields(pieces, STEP_LABELS, part.notes)
    if any(map(_says_something, loose)):
        written = step.fields.get("changes")
        more = WrittenField(written.line if written else step.line, "", tuple(loose)).text
        said = f"{more}\n\n{written.text}" if written else more
        step.fields["changes"] = WrittenField(step.line, said)
