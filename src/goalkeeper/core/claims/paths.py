"""Some words of a text name files."""

from __future__ import annotations

import re
from functools import partial

from goalkeeper.core.claims.masking import CODE, MASKS, QUOTE, Span
from goalkeeper.core.claims.word_lists import read_pattern, read_words
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.wire.value import Value

_LONGEST = 300
_WORD = late_pattern(rf"[^\s()\[\]{{}}<>,;:!?\"'|=*#“”‘„«»{MASKS}]++")
_LEGAL = late_pattern(r"[\w./+@~%$#-]+")
_PLACE = late_pattern(r"(?:::?[\w.:-]*+|#[\w-]*+)$")  # it matches :12, :3-8, #L7, ::test_name
_WITHIN = late_pattern(r":\d{1,9}(?:[-:]\d{1,9})?|#[\w-]{1,80}")
_EXTENSION = late_pattern(r"(?<=[\w)~+-])\.([a-z][a-z0-9]{0,9})$")
_TOLD_BEFORE = late_pattern(r"\bfiles?[ ]*[\"'`]?$")
_TOLD_AFTER = late_pattern(r"[\"'`]?[ ]*file\b")

_pattern = partial(read_pattern, "files")
_words = partial(read_words, "files")


class Mention(Value):
    """A file that the text names, as the text spells it."""

    path: str
    start: int
    end: int


def find_mentions(text: str, flat: str, spans: list[Span], seen: str) -> list[Mention]:
    """Return in order the files that stand in the prose, or alone in code or quotation marks."""
    found = [mention for span in spans if (mention := _read_lone_span(text, flat, span))]
    said = (_in_prose(text, flat, word) for word in _WORD.finditer(seen))
    found += [mention for mention in said if mention]
    return sorted(found, key=lambda mention: mention.start)


def _read_lone_span(text: str, flat: str, span: Span) -> Mention | None:
    if span.mask not in (CODE, QUOTE) or span.end - span.start > _LONGEST:
        return None
    inner = text[span.start : span.end].strip("`\"'“”‘’„«» ")
    inner = inner[: len(inner) - len(m[0])] if (m := _PLACE.search(inner.lower())) else inner
    is_file = _LEGAL.fullmatch(inner) and names_file(
        inner, is_code=span.mask == CODE, is_told=_is_told(flat, span.start, span.end)
    )
    return Mention(inner, span.start, span.end) if is_file else None


def _in_prose(text: str, flat: str, word: re.Match[str]) -> Mention | None:
    start, end = word.span()
    is_plain = word[0] in _words("NAMES") or word[0].upper() in _words("SHOUTED")
    if end - start > _LONGEST or not (is_plain or "." in word[0] or "/" in word[0]):
        return None
    name = text[start:end].rstrip(".…_~")
    name = name.lstrip("_~") if not name.startswith(("~/", "__")) else name
    start = text.index(name, start) if name else start
    end = start + len(name)
    if not _LEGAL.fullmatch(name) or _is_glob(flat, start, end) or flat[end : end + 1] == "(":
        return None
    if not names_file(name, is_code=False, is_told=_is_told(flat, start, end)):
        return None
    within = _WITHIN.match(flat, end)
    return Mention(name, start, within.end() if within else end)


def _is_glob(flat: str, start: int, end: int) -> bool:
    before_star = flat[end - 1 : end + 1] in ("/*", "-*", "_*")
    return before_star or (flat[start - 1 : start] == "*" and flat[start] in "./_-")


def _is_told(flat: str, start: int, end: int) -> bool:
    """Return whether the author calls it a file; then it may have any ending."""
    before = _TOLD_BEFORE.search(flat[max(start - 12, 0) : start])
    return bool(before or _TOLD_AFTER.match(flat, end))


def names_file(word: str, *, is_code: bool, is_told: bool) -> bool:
    """Return whether a word without blanks is the name of a file, or a path to one."""
    low = word.lower()
    if low in _words("NO_FILES") or ("@" in word and "/" not in word):
        return False
    parts = low.rstrip("/").split("/")
    name = parts[-1]
    if name in _words("NAMES") or _pattern("DOTTED").fullmatch(name):
        return True
    if word.rpartition("/")[2] in _words("SHOUTED"):
        return True
    if "/" in word:
        return _is_path(low, parts, is_code=is_code)
    ending = _EXTENSION.search(name)
    if ending is None or _pattern("DOMAIN").fullmatch(name):
        return False
    stem, extension = name[: ending.start()], ending[1]
    is_known = extension in _words("EXTENSIONS")
    return (is_told and bool(stem)) or (is_known and _is_stem(stem, extension))


def _is_stem(stem: str, extension: str) -> bool:
    """Return whether this is a file's name: main.c and a.h are files; p.m and u.s are not."""
    return len(extension) > 1 or extension in "ch" or len(stem) > 1


def _is_path(low: str, parts: list[str], *, is_code: bool) -> bool:
    first, rest = parts[0], [part for part in parts if part]
    if "//" in low or not rest or all(part.isdigit() for part in rest):
        return False
    if _pattern("DOMAIN").fullmatch(first) or first in _words("NO_FOLDERS"):
        return False
    if first == "":
        return rest[0] in _words("ROOTS") or bool(_EXTENSION.search(rest[-1]))
    if first in _words("FOLDERS") or _EXTENSION.search(rest[-1]):
        return True
    return is_code and "." not in low and not any(part.isdigit() for part in rest)
