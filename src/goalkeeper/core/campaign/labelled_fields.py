"""Fields of a step or a section: what stands behind each label, with its lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from goalkeeper.core.campaign.markdown import (
    PLAN_LABELS,
    Fence,
    Label,
    Piece,
    TextLine,
    cut_bullet,
    cut_indent,
    find_label,
    unescape_line,
)
from goalkeeper.core.schema import Node, Notes
from goalkeeper.wire.value import Value

NEAR = 0.8  # names so alike are typing errors


class WrittenField(Value):
    """What stands behind a label, or in a section, with its lines."""

    line: int
    first: str = ""  # what stands on the line of the label itself
    pieces: tuple[Piece, ...] = ()
    indent: int = 0

    @property
    def text(self) -> str:
        """Return it as prose."""
        return f"{self.first}\n{self._write_body()}".strip()

    def _write_body(self) -> str:
        lines: list[str] = []
        for piece in self.pieces:
            if isinstance(piece, Fence):
                lines += [cut_indent(line, self.indent) for line in piece.lines]
            else:
                lines.append(unescape_line(cut_indent(piece.text, self.indent)).rstrip())
        return "\n".join(lines)


def report_line(notes: Notes, line: int, message: str) -> None:
    notes.add_problem(Node("", line), "", message)


def split_fields(
    pieces: Iterable[Piece], known: Mapping[str, str], notes: Notes
) -> tuple[dict[str, WrittenField], list[Piece]]:
    """Find the fields by their labels, and what belongs to none of them."""
    split = _Split(known, notes)
    for piece in pieces:
        split.take_piece(piece)
    found = {
        name: WrittenField(each.line, each.first, tuple(split.bodies[name]), each.indent)
        for name, each in split.found.items()
    }
    return found, split.loose


class _Split:
    """Goes through the lines of a step or a section, and knows which field is open."""

    def __init__(self, known: Mapping[str, str], notes: Notes) -> None:
        self.known, self.notes = known, notes
        self.found: dict[str, WrittenField] = {}
        self.bodies: dict[str, list[Piece]] = {}
        self.loose: list[Piece] = []
        self.body = self.loose
        self.label: Label | None = None  # of the field that is open
        self.after_blank = False

    def take_piece(self, piece: Piece) -> None:
        if isinstance(piece, Fence):
            self.body.append(piece)
            self.after_blank = False
            return
        label = find_label(piece.text, even_unknown=True)
        if label and self._is_key_of_manifest(label):
            self.body.append(piece)
            return
        if label and label.name in self.known:
            self._open_field(piece, label)
            return
        is_blank = not piece.text.strip()
        if label and (self.label is None or label.stands_beside(self.label)):
            self._report_near(piece, label.name)
            self.body, self.label = self.loose, None
        elif self.after_blank and not is_blank and self._ends_field(piece.text):
            self.body, self.label = self.loose, None
        if self.body or not is_blank:
            self.body.append(piece)
        self.after_blank = is_blank

    def _is_key_of_manifest(self, label: Label) -> bool:
        """Return whether a name stands in a manifest that is not fenced."""
        if self.label is None or self.label.name != "manifest" or self.label.rest:
            return False
        is_first = not self.body and label.name == "manifest" and not label.rest
        is_fenced = any(isinstance(piece, Fence) for piece in self.body)
        return is_first or (label.start > self.label.start and not is_fenced)

    def _open_field(self, piece: TextLine, label: Label) -> None:
        name = self.known[label.name]
        field = WrittenField(piece.number, label.rest, (), label.content)
        self.body, self.label = [], label
        self.after_blank = False
        if name in self.found:
            message = f"{label.name} is given twice, first on line {self.found[name].line}"
            report_line(self.notes, piece.number, message)
        else:
            self.found[name], self.bodies[name] = field, self.body

    def _ends_field(self, text: str) -> bool:
        """Return whether a line behind a blank one begins a paragraph of its own."""
        width = len(text) - len(text.lstrip())
        indent = self.label.content if self.label else 0
        return width < max(indent, 1) and not cut_bullet(text)[1]

    def _report_near(self, piece: TextLine, name: str) -> None:
        near = get_close_matches(name, self.known, n=1, cutoff=NEAR)
        if near and name not in self.known and self.known is not PLAN_LABELS:
            message = f"there is no field '{name}'; did you mean {near[0]}?"
            report_line(self.notes, piece.number, message)
