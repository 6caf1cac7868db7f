"""Lines of Markdown as people and agents write them: fences, headings, labels and code.

What is written here is read here: prose that looks like structure is escaped with a backslash,
and code gets as many back-ticks as it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

SECTIONS = {
    "context": "context",
    "dependencies": "dependencies",
    "scope fence": "scope fence",
    "session manifest": "session manifest",
    "steps": "steps",
    "exit condition": "exit condition",
    "exit conditions": "exit condition",
    "failure handling": "failure handling",
    "security constraints": "security constraints",
    "handoff state": "handoff state",
    "handoff": "handoff state",
    "metadata": "metadata",
    "recovery metadata": "recovery metadata",
    "goals": "goals",
    "goal": "goals",
    "shared files": "shared files",
}
STEP_LABELS = {
    "files": "files",
    "file": "files",
    "changes": "changes",
    "change": "changes",
    "reuses": "reuses",
    "reuse": "reuses",
    "test first": "test first",
    "verify": "verify",
    "verification": "verify",
    "on failure": "on failure",
    "checkpoint": "checkpoint",
    "commit": "checkpoint",
    "manifest": "manifest",
    "depends on": "depends on",
    "goal": "goal",
    "contract": "contract",
}
DEPENDENCY_LABELS = {name: name for name in ("depends on", "blocks", "entry condition")}
FENCE_LABELS = {"touch": "touch", "never touch": "never touch"}
METADATA_LABELS = {
    "master plan": "master plan",
    "steps from plan": "steps from plan",
    "estimated complexity": "complexity",
    "complexity": "complexity",
    "model recommendation": "model",
    "model": "model",
}
HEADER_LABELS = {
    **DEPENDENCY_LABELS,
    **FENCE_LABELS,
    **METADATA_LABELS,
    "from master plan": "origin",
    "plan version": "plan version",
    "steps": "step numbers",
    "context": "context",
    "handoff state": "handoff state",
    "exit condition": "exit condition",
}
PLAN_LABELS = {
    "plan version": "plan version",
    "title": "title",
    "context": "context",
    "goals": "goals",
    "goal": "goals",
    "shared files": "shared files",
}
ARROW = r"(?:→|⇒|➜|-{1,2}>|={1,2}>)"
BULLET = r"(?:[-*•+]|[0-9]{1,4}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?"

_FENCE = late_pattern(rf"([ \t]*(?:{BULLET})?)(`{{3,}}|~{{3,}})[ \t]*([^`]*)$")
_HEADING = late_pattern(r" {0,3}(#{1,6})[ \t]+(.*)")
_BOLD = late_pattern(r"(\*\*|__)(.+)\1:?")
_SEPARATED = r"(?:[ \t]*(?::|(?:[.)]|[-–—]{1,2})(?=[ \t]|$))[ \t]*(.*)|[ \t]*$)"
_SESSION = late_pattern(
    rf"session[ \t]+([0-9]{{1,6}})(?:[ \t]+of[ \t]+[0-9]+)?{_SEPARATED}", re.IGNORECASE
)
_SESSION_ID = late_pattern(r"S([0-9]{1,6})[ \t]*(?::|[-–—]{1,2}(?=[ \t]))[ \t]*(.*)")
_STEP = late_pattern(rf"step[ \t]+([0-9]{{1,6}}){_SEPARATED}", re.IGNORECASE)
_NO_NUMBER = late_pattern(r"(session|step)[ \t]*(?:[ \t][\w.]+)?[ \t]*(?:[:–—]|$)", re.IGNORECASE)
_GOAL = late_pattern(r"goal(?:[ \t]+[\w.]+)?[ \t]*[:–—][ \t]*(.+)", re.IGNORECASE)
_LABEL = late_pattern(
    rf"([ \t]*)((?:{BULLET})?)(?:#{{1,6}}[ \t]+)?(?P<bold>\*\*|__|\*|_)?"
    r"(?P<name>[A-Za-z][A-Za-z _-]{1,40}?)(?:[ \t]*\([^()]*\))?"
    r"(?:(?(bold)(?::(?P=bold)|(?P=bold)[ \t]*:)|[ \t]*:)(?:[ \t]+|(?=`)|$)(?P<rest>.*)|$)"
)
_STRUCTURE = late_pattern(
    rf"(?:{BULLET})*(?:#{{1,6}}[ \t]|#{{1,6}}$|`{{3}}|~{{3}}|[*_]*(?:session|step)[ \t]+[0-9])"
    "|<!--",
    re.IGNORECASE,
)
_ESCAPED = late_pattern(r"([ \t]*)(\\*)(.*)", re.DOTALL)
_CODE = late_pattern(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_NUMBERING = late_pattern(r"[0-9]{1,3}[.)][ \t]+")
_REMARK = late_pattern(r"[ \t]*\([^()]*\)$")
_CLOSING = "-->"  # it ends a comment
_NO_HEADING = {"", " ", "\t", "-", "•", "+", ">", "`"}  # what a line of its own begins with
_KNOWN_NAMES = {*SECTIONS, *STEP_LABELS, *HEADER_LABELS, *PLAN_LABELS}


class TextLine(NamedTuple):
    """A line and its number; a tuple, because a plan has more than a hundred thousand."""

    number: int
    text: str


class Fence(Value):
    """A fenced block with the lines that open and close it."""

    number: int
    info: str
    lines: tuple[str, ...]
    indent: int = 0  # what stands before the fence does not belong to its lines
    is_closed: bool = True

    @property
    def content(self) -> str:
        """Return what is fenced, word for word, without its indentation."""
        inner = self.lines[1:-1] if self.is_closed else self.lines[1:]
        return dedent_text([cut_indent(line, self.indent) for line in inner])


Piece = TextLine | Fence


class PlanHeading(NamedTuple):
    """A heading, or a line of its own that means one; then its level is 0."""

    kind: str  # session, step, section, goal, unnumbered or other
    level: int
    line: int
    name: str = ""
    number: int = 0


class Label(NamedTuple):
    name: str
    rest: str
    start: int  # its column
    content: int  # the column where what belongs to it begins

    def stands_beside(self, other: Label) -> bool:
        """Return whether both are fields of the same list."""
        is_listed, was_listed = self.content > self.start, other.content > other.start
        return self.start <= other.start and is_listed == was_listed


def split_lines(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def split_pieces(lines: Sequence[str], first_line: int = 1) -> list[Piece]:
    """Tell fenced blocks from lines, and leave comments out.

    A block that is never closed goes to the end. A comment that is never closed is none.
    """
    found: list[Piece] = []
    last = max((index for index, line in enumerate(lines) if _CLOSING in line), default=-1)
    index = 0
    while index < len(lines):
        opening = _open_fence(lines[index])
        if opening is None:
            behind = _skip_comment(lines, index) if index <= last else index
            if behind == index:
                found.append(TextLine(first_line + index, lines[index]))
            index = max(behind, index + 1)
            continue
        end = _find_end(lines, index, opening[2])
        closed = end < len(lines)
        raw = tuple(lines[index : end + 1])
        indent = len(opening[1].expandtabs(4))
        found.append(Fence(first_line + index, opening[3].strip(), raw, indent, closed))
        index = end + 1
    return found


def _open_fence(line: str) -> re.Match[str] | None:
    return _FENCE.match(line) if "```" in line or "~~~" in line else None


def _find_end(lines: Sequence[str], start: int, mark: str) -> int:
    for index in range(start + 1, len(lines)):
        bare = lines[index].strip()
        if bare.startswith(mark) and not bare.strip(mark[0]):
            return index
    return len(lines)


def _skip_comment(lines: Sequence[str], start: int) -> int:
    """Return the line behind a comment that begins here; the same line if none does."""
    if not lines[start].lstrip().startswith("<!--"):
        return start
    index = next(n for n in range(start, len(lines)) if _CLOSING in lines[n])
    has_more = lines[index].partition(_CLOSING)[2].strip()
    return index if has_more else index + 1


def cut_indent(line: str, most: int) -> str:
    """Return the line without its indentation, of which at most so much is taken away."""
    column = index = 0
    while index < len(line) and column < most and line[index] in " \t":
        column = column + 1 if line[index] == " " else column // 4 * 4 + 4
        index += 1
    return line[index:]


def dedent_text(lines: Iterable[str]) -> str:
    """Return the lines without the indentation that all of them share."""
    kept = list(lines)
    written = [line for line in kept if line.strip()]
    if not written:
        return "\n".join(kept)
    low, high = min(written), max(written)
    shared = 0
    while shared < len(low) and low[shared] == high[shared] and low[shared] in " \t":
        shared += 1
    return "\n".join(line[shared:] for line in kept)


def find_heading(line: TextLine) -> PlanHeading | None:
    marked = _HEADING.match(line.text) if "#" in line.text[:4] else None
    if marked:
        return _name_heading(_strip_bold(marked[2].strip()), len(marked[1]), line.number)
    if line.text[:1] in _NO_HEADING:
        return None
    words = _strip_bold(line.text.strip())
    for kind, pattern in (("session", _SESSION), ("step", _STEP)):
        numbered = pattern.match(words)
        if numbered and numbered[2]:  # only a number is prose: "see Step 3."
            return PlanHeading(kind, 0, line.number, numbered[2].strip(), int(numbered[1]))
    name = normalise_name(words.removesuffix(":"))
    if name in SECTIONS and not words[0].islower():
        return PlanHeading("section", 0, line.number, SECTIONS[name])
    return None


def _name_heading(words: str, level: int, line: int) -> PlanHeading:
    for kind, pattern in (("session", _SESSION), ("session", _SESSION_ID), ("step", _STEP)):
        numbered = pattern.match(words)
        if numbered:
            return PlanHeading(kind, level, line, (numbered[2] or "").strip(), int(numbered[1]))
    bare = _NUMBERING.sub("", words, count=1) if words[:1].isdigit() else words
    name = normalise_name(_REMARK.sub("", bare).removesuffix(":"))
    if name in SECTIONS:
        return PlanHeading("section", level, line, SECTIONS[name])
    goal = _GOAL.match(words)
    if goal:
        return PlanHeading("goal", level, line, goal[1].strip())
    unnumbered = _NO_NUMBER.match(words)
    if unnumbered:
        return PlanHeading("unnumbered", level, line, unnumbered[1].lower())
    return PlanHeading("other", level, line, words)


def normalise_name(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())


def _strip_bold(text: str) -> str:
    bold = _BOLD.fullmatch(text)
    return bold[2].strip() if bold and bold[1] not in bold[2] else text


def find_label(text: str, *, even_unknown: bool = False) -> Label | None:
    """Find the name that a line begins with, if it is one of ours or any is asked for."""
    match = _LABEL.match(text) if ":" in text or "#" in text else None
    if match is None:
        return None
    if match["rest"] is None and "#" not in text:  # a name alone must be a heading
        return None
    name = normalise_name(match["name"])
    if name not in _KNOWN_NAMES and not even_unknown:
        return None
    start, content = (len(text.expandtabs(4)) for text in (match[1], match[1] + match[2]))
    return Label(name, (match["rest"] or "").strip(), start, content)


def cut_bullet(text: str) -> tuple[str, bool]:
    """Return the line without its bullet, and whether it had one."""
    bare = text.strip()
    match = re.match(BULLET, bare)
    return (bare[match.end() :], True) if match else (bare, False)


def find_code(text: str) -> list[re.Match[str]]:
    return list(_CODE.finditer(text)) if "`" in text else []


def mask_code(text: str) -> str:
    """Return the text with the same length, and nothing of its code."""
    return _CODE.sub(lambda code: "x" * len(code[0]), text)


def read_code(match: re.Match[str]) -> str:
    """Return what stands between back-ticks; one space on both sides belongs to them."""
    inner = match[2]
    padded = inner[:1] == inner[-1:] == " " and inner.strip()
    return inner[1:-1] if padded else inner


def write_code(text: str) -> str:
    """Put a text of one line between back-ticks, as many as it needs."""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def write_fence(text: str, info: str, indent: str) -> list[str]:
    """Put a text between fences that are longer than any it has."""
    mark = "`" * max(3, _longest_run(text) + 1)
    lines = [f"{mark}{info}", *text.split("\n"), mark]
    return [indent + line if line else line for line in lines]


def _longest_run(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


def escape_prose(text: str) -> list[str]:
    """Return the lines of a prose so that none of them is taken for structure."""
    found: list[str] = []
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        opening = _open_fence(lines[index])
        end = _find_end(lines, index, opening[2]) if opening else len(lines)
        if opening and end < len(lines) and opening[3].strip() != "contract":
            found += lines[index : end + 1]
            index = end + 1
            continue
        space, slashes, rest = _split_escape(lines[index])
        found.append(f"{space}{slashes}\\{rest}" if _looks_structural(rest) else lines[index])
        index += 1
    return found


def unescape_line(line: str) -> str:
    if "\\" not in line:
        return line
    space, slashes, rest = _split_escape(line)
    return space + slashes[1:] + rest if slashes and _looks_structural(rest) else line


def _split_escape(line: str) -> tuple[str, str, str]:
    match = _ESCAPED.match(line)
    return (match[1], match[2], match[3]) if match else ("", "", line)


def _looks_structural(text: str) -> bool:
    if _STRUCTURE.match(text) or find_label(text):
        return True
    bare, _ = cut_bullet(text)
    return normalise_name(_strip_bold(bare).removesuffix(":")) in _KNOWN_NAMES
