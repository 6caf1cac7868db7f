"""What the fields of a plan say: prose, choices, paths, numbers, messages and manifests.

The forms are those that people and agents use. What cannot be understood is a problem with its
line; it is never guessed away.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeVar

from goalkeeper.core.campaign.labelled_fields import WrittenField, report_line
from goalkeeper.core.campaign.markdown import (
    Fence,
    TextLine,
    cut_bullet,
    dedent_text,
    find_code,
    mask_code,
    read_code,
)
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.problems import find_nearest
from goalkeeper.core.schema import Node, Notes, RepositoryPath
from goalkeeper.wire.pattern import late_pattern

AnyChoice = TypeVar("AnyChoice", bound=StrEnum)

_NOTHING = late_pattern(r"(?:none|n/a|[-–—])\.?", re.IGNORECASE)
_NONE = late_pattern(
    r"[\"'(]*(?:none|nothing|n/a|not known|unknown)[\"')]*(?:[.,;]?|\s*[-–—(,;:].*)|[-–—]",
    re.IGNORECASE | re.DOTALL,
)
_PLACEHOLDER = late_pattern(r"[\"'`]*\{[^{}]*[A-Za-z][^{}]*\}[\"'`]*", re.DOTALL)
_PLACEHOLDER_ITEM = late_pattern(r"\s*(?:-|\w+:)\s+[\"']?\{[A-Za-z][\w ]*\}[\"']?\s*(?:#.*)?")
_POLICY = late_pattern(r"[*_`]*(\w+)[*_`]*\s*(?:—|–|--?|[:;,.])?\s*(.*)", re.DOTALL)
_WHY = late_pattern(r"\s+[-–—]{1,2}\s+|:\s+")
_REMARK = late_pattern(r"[ \t]+(?:[-–—]{1,2}[ \t]|\()")
_DASH = late_pattern(r"[ \t][-–—]{1,2}[ \t]")
_LIST_REMARK = late_pattern(r"(`[^`]*`|[^\s`]+?)[ \t]*(?::|[ \t][-–—]{1,2})[ \t].*")
_EVERYTHING_ELSE = late_pattern(
    r"(?:everything|anything|all)\b.*\b(?:else|others?)\b.*", re.IGNORECASE
)
_BETWEEN_COMMAS = late_pattern(r"(?:\([^()]*\)|\{[^{}]*\}|[^,])+")
_PARENTHESES = late_pattern(r"\([^()]*\)")
_LAST_WORDS = late_pattern(r"[ \t][-–—]{1,2}[ \t][^0-9]*$")
_BETWEEN = late_pattern(r"[,;&+]|\band\b", re.IGNORECASE)
_REFERENCE = late_pattern(
    r"[\"'`*]*(?:sessions?|steps?|S)?[ \t]*#?([0-9]{1,6})"
    r"(?:[ \t]*(?:-|–|—|to|through|\.\.)[ \t]*(?:sessions?|steps?|S)?[ \t]*([0-9]{1,6}))?"
    r"[\"'`*.]*(?:[ \t:][^0-9]*)?",
    re.IGNORECASE,
)
_COMMIT = late_pattern(r"(?:^|&&|;|\n)\s*git\s(?:[^&;\n]*\s)?commit(?:\s|$)")
_REPOSITORY_PATH = RepositoryPath()
_RANGE_LIMIT = 2000


def flatten_words(text: str) -> str:
    return " ".join(text.split())


def says_none(text: str) -> bool:
    """Return whether somebody said that there is nothing, perhaps with a reason."""
    return not text.strip() or bool(_NONE.fullmatch(text.strip()))


def report_placeholder(text: str, line: int, name: str, notes: Notes) -> bool:
    """Report what is left from a template; return whether there was something."""
    if not text.lstrip("\"'` \n").startswith("{") or not _PLACEHOLDER.fullmatch(text.strip()):
        return False
    report_line(notes, line, f"{name} is still the template's {flatten_words(text)[:60]}")
    return True


def read_prose(field: WrittenField | None, name: str, notes: Notes) -> str:
    text = field.text if field else ""
    if field:
        report_placeholder(text, field.line, name, notes)
    return "" if _NOTHING.fullmatch(text) else text


def read_choice(word: str, default: AnyChoice, name: str, line: int, notes: Notes) -> AnyChoice:
    choices = type(default)
    try:
        return choices(word.lower())
    except ValueError:
        known = [str(choice) for choice in choices]
        near = find_nearest(word.lower(), known)
        meant = f" (did you mean {near}?)" if near else ""
        report_line(notes, line, f"{name}: '{word[:60]}' is none of {', '.join(known)}{meant}")
        return default


def read_on_failure(field: WrittenField | None, notes: Notes) -> tuple[OnFailure, str]:
    """Read the policy, and what is to be done in words; without a field it is tried again."""
    if field is None:
        return OnFailure.RETRY, ""
    text = field.text
    if text.startswith("{"):
        report_line(notes, field.line, "on failure is still the template's choice")
        return OnFailure.RETRY, ""
    match = _POLICY.match(text)
    word, rest = (match[1], match[2].strip()) if match else (text, "")
    report_placeholder(rest, field.line, "what is to be done on failure", notes)
    policy = read_choice(word, OnFailure.RETRY, "on failure", field.line, notes)
    return policy, rest


def read_model(field: WrittenField | None, notes: Notes) -> tuple[str, str]:
    """Read which model is recommended, and why."""
    if field is None:
        return "", ""
    text = field.text
    if text.startswith("{"):
        report_line(notes, field.line, "the model is still the template's choice")
        return "", ""
    model, *why = _WHY.split(text, maxsplit=1)
    model = model.strip(" `*")
    return "" if says_none(model) else model, why[0].strip() if why else ""


def list_lines(field: WrittenField) -> Iterator[TextLine]:
    """Yield the lines of a list that are not blank, fenced or not."""
    if field.first:
        yield TextLine(field.line, field.first)
    for piece in field.pieces:
        if isinstance(piece, Fence):
            lines = enumerate(piece.content.split("\n"), piece.number + 1)
            yield from (TextLine(number, text) for number, text in lines if text.strip())
        elif piece.text.strip():
            yield piece


def read_paths(
    field: WrittenField | None, name: str, notes: Notes, *, skip_outside: bool = False
) -> tuple[str, ...]:
    """Read paths between commas or in a list. Outside are those that nobody may touch anyway."""
    found: dict[str, None] = {}
    for line in list_lines(field) if field else ():
        for path in _split_paths(line, name, notes):
            told = Notes() if skip_outside else notes
            clean = _REPOSITORY_PATH.read_node(Node(path, line.number), name, told)
            if not skip_outside or not told.problems:
                found[clean] = None
    return tuple(found)


def _split_paths(line: TextLine, name: str, notes: Notes) -> Iterator[str]:
    bare, is_listed = cut_bullet(line.text)
    if says_none(bare) or _EVERYTHING_ELSE.fullmatch(bare):
        return
    if report_placeholder(bare, line.number, name, notes):
        return
    remark = _LIST_REMARK.fullmatch(bare) if is_listed else None
    for written in _split_commas(remark[1] if remark else bare):
        part = written.strip().removeprefix("and ").lstrip()
        codes = find_code(part)
        if codes and codes[0].start() == 0:
            yield from _take_code(part, codes)
            continue
        end = _REMARK.search(part)
        path = part[: end.start()] if end else part
        if report_placeholder(path, line.number, name, notes) or not path:
            continue
        if " " in path or "`" in path:
            report_line(notes, line.number, f"{name}: '{path[:60]}' is no path; back-ticks help")
            continue
        yield path


def _take_code(part: str, codes: list[re.Match[str]]) -> Iterator[str]:
    """Yield the paths between back-ticks; what a remark has between them is none."""
    masked = mask_code(part)
    remarks = [remark.span() for remark in _PARENTHESES.finditer(masked)]
    dash = _DASH.search(masked)
    remarks += [(dash.start(), len(part))] if dash else []
    for code in codes:
        if not any(start < code.start() < end for start, end in remarks):
            yield read_code(code)


def _split_commas(text: str) -> list[str]:
    masked = mask_code(text)
    return [text[part.start() : part.end()] for part in _BETWEEN_COMMAS.finditer(masked)]


def read_references(
    field: WrittenField | None, kind: str, name: str, notes: Notes
) -> dict[int, int]:
    """Read numbers of sessions or steps, each with its line."""
    found: dict[int, int] = {}
    for line in list_lines(field) if field else ():
        bare, _ = cut_bullet(line.text)
        if says_none(bare) or report_placeholder(bare, line.number, name, notes):
            continue
        words = _LAST_WORDS.sub("", _PARENTHESES.sub("", bare))
        for part in filter(None, (part.strip() for part in _BETWEEN.split(words))):
            match = _REFERENCE.fullmatch(part)
            if match is None:
                message = (
                    f"{name}: '{part[:60]}' is no {kind}; write {kind.capitalize()} 1, or none"
                )
                report_line(notes, line.number, message)
                continue
            first, last = int(match[1]), int(match[2] or match[1])
            for number in range(first, min(last, first + _RANGE_LIMIT) + 1):
                found.setdefault(number, line.number)
    return found


def read_checkpoint(field: WrittenField | None, notes: Notes) -> str:
    """Read the message of a commit, from the command that makes it or as it stands alone."""
    if field is None or says_none(field.text):
        return ""
    text = next((p.content for p in field.pieces if isinstance(p, Fence)), field.text)
    codes = find_code(text)
    if codes and codes[0].start() == 0:
        text = read_code(codes[0])
    if report_placeholder(text, field.line, "checkpoint", notes):
        return ""
    if not text.startswith("git ") and not _COMMIT.search(text):
        return text.strip().strip("\"'")
    try:
        words = shlex.split(text)
    except ValueError:
        report_line(notes, field.line, "checkpoint: a quote is never closed")
        return ""
    message = "\n\n".join(_find_messages(words))
    if not message.strip():
        report_line(notes, field.line, "checkpoint: the commit has no message (-m)")
    report_placeholder(message, field.line, "the message of the checkpoint", notes)
    return message


def _find_messages(words: list[str]) -> Iterator[str]:
    rest = iter(words[words.index("commit") + 1 :] if "commit" in words else ())
    for word in rest:
        if word in {"&&", ";", "||"}:
            return
        if word.startswith("--message="):
            yield word.removeprefix("--message=")
        elif word == "--message" or re.fullmatch(r"-[a-z]*m", word):
            yield next(rest, "")
        elif word.startswith("-m"):
            yield word[2:]


def read_manifest(field: WrittenField | None, notes: Notes) -> tuple[str, int]:
    """Read a manifest word for word, and its first line; it may be fenced or only indented."""
    if field is None or (says_none(field.first) and not field.pieces):
        return "", 0
    fences = [piece for piece in field.pieces if isinstance(piece, Fence)]
    for second in fences[1:]:
        report_line(notes, second.number, "a step takes one manifest, this is the second")
    text, first = field.first, field.line
    if fences:
        text, first = fences[0].content, fences[0].number + 1
    elif not text:
        text, first = _read_indented([p for p in field.pieces if isinstance(p, TextLine)])
    for number, line in enumerate(text.split("\n"), first):
        if "{" in line and _PLACEHOLDER_ITEM.fullmatch(line):
            report_line(notes, number, f"the manifest has the template's {line.strip()}")
    return text, first


def _read_indented(lines: list[TextLine]) -> tuple[str, int]:
    """Take lines while they are indented as the first one is, or deeper."""
    width = len(lines[0].text) - len(lines[0].text.lstrip())
    kept: list[str] = []
    for line in lines:
        if line.text.strip() and len(line.text) - len(line.text.lstrip()) < width:
            break
        kept.append(line.text)
    while not kept[-1].strip():
        kept.pop()
    return dedent_text(kept), lines[0].number
