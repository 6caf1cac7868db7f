"""Finds out whether a user's own words ask for ultrawork, or for its end.

Only prose counts: not code, quotes, pasted transcripts, paths, or anything that we said
ourselves. A mention is no request either: negated, or in a question, it asks for nothing.
"""

from __future__ import annotations

import re
from functools import partial

from goalkeeper.wire.hold import SENTINEL

ON_COMMAND = "/goalkeeper:ulw"
OFF_COMMAND = "/goalkeeper:stop-continuation"

ON, OFF, NEITHER = "on", "off", ""
_compile = partial(re.compile, flags=re.IGNORECASE)

# The word must stand alone: a sign beside it may end a sentence, but not make a name of it.
_KEYWORD = re.compile(
    r"(?<![\w\-./\\@#:$%&=+~])(?:ulw|ultrawork)(?![\w\-/\\@#$%&=+~]|[.:]\w)",
    re.IGNORECASE | re.ASCII,
)

_FENCE = re.compile(r"^[ \t]{0,3}(```+|~~~+)", re.MULTILINE)
_INLINE = re.compile(r"(`+)[^`]+?\1(?!`)")
_TAGGED = re.compile(
    r"<(system|human|assistant|user|tool_use|tool_result|system-reminder|task-notification|"
    r"hook_context|command-message|local-command-stdout|bash-input|bash-stdout|bash-stderr)"
    r"\b[^>]*>.*?(?:</\1>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_PROSE = re.compile(r"^[ \t]*(?:>|\$ |% |[+-](?=\S)|@@ |diff --git ).*$", re.MULTILINE)
_OURS = re.compile(rf"^{re.escape(SENTINEL)}.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]*'(?!\w)")
_USES = _compile(
    r"\b(?:run|use|using|start|enable|activate|enter|go|do|try|with|in)\s+(?:the\s+)?\Z"
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|\Z)|\n")
_OFF = _compile(
    r"\b(?:stop|disable|cancel|end|exit|quit|leave|deactivate|kill|abort|pause|finish|halt|"
    r"turn\s+off|switch\s+off|no\s+more|out\s+of)"
    r"\s+(?:the\s+|this\s+|using\s+|with\s+|all\s+|ulw\s+and\s+)?\Z"
)
_OFF_AFTER = _compile(
    r"\s*[:,]?\s+(?:mode\s+|is\s+(?:done|over)\s*[,;]?\s*)?"
    r"(?:off|stop|abort|cancel|end|quit|pause)\b(?![\w-]|\s+\w)"
)
# About a later time, or about what something says, the word is no request for now.
_LATER = _compile(r"\s+(?:when|once|after|if|as\s+soon\s+as|unless|until)\b")
_IF_SO = _compile(
    r"\b(?:if|when|once|after|unless|until|says?|should\s+say|write|writes|print|prints)\b"
)
# Here the word names something: the docs, a file, a word to look for.
_MENTIONED = _compile(
    r"\b(?:the|an?|for|of|about|rename|grep|named|called|keyword|where|that|whether|"
    r"(?:the|an?|this|every)\s+(?:\w+\s+)?(?:function|method|class|variable|constant|module|"
    r"package|file|folder|branch|test|flag|option|column|table|field|key|tag|label|script|string|"
    r"word|token|parameter|argument|alias))\s+\Z"
)
# It is what an edit is about: "remove ulw from the list", "replace foo by ulw".
_EDITED = _compile(
    r"\b(?:rename|replace|delete|remove|add|change|move|import|call|find|mention|translate)\s+"
    r"(?:(?!(?:to|with|by|into|as|and|then)\b)\w+\s+){0,3}\Z"
)
_EDITED_WHERE = _compile(r"\s+(?:to|with|from|into|in|by|as|everywhere)\b")
_EDITED_TO = _compile(r"\b(?:rename|replace|change)\b[^,;:]*\s(?:to|with|by|into|as)\s+\Z")
_NEGATED = _compile(
    r"\b(?:don['’]?t|do\s+not|does\s+not|doesn['’]?t|never|no|not|without|avoid|skip|nor|"
    r"won['’]?t|shouldn['’]?t|needn['’]?t|rather\s+than|instead\s+of)\b(?:\s+\w+){0,4}\s*\Z"
)
_ASKED = _compile(
    r"\s*(?:and\s+|but\s+|so\s+)?(?:what|how|why|which|who|explain|describe|define)\b"
)
# At the start of a sentence the word asks for work, even if that is put as a question.
_ABOUT_IT = _compile(r"\s*\?|\s+(?:is|was|are|does|did|has|had|means?|works?|triggers?|mode)\b")
_POLITE = _compile(r"\s*(?:can|could|will|would)\s+(?:you|we)\b")


def find_intent(prompt: str) -> str:
    """Return ON, OFF or NEITHER. The last request in the text counts."""
    command = prompt.strip().split(None, 1)[:1]
    if command and command[0].startswith("/"):
        return {ON_COMMAND: ON, OFF_COMMAND: OFF}.get(command[0], NEITHER)
    text = keep_prose(prompt)
    wanted = NEITHER
    for found in _KEYWORD.finditer(text):
        start, end = found.span()
        around = text[max(0, start - 1) : start], text[end : end + 1]
        if not any(each.isalnum() for each in around):  # it matches letters of any alphabet
            wanted = _read_request(text, start, end) or wanted
    return wanted


def keep_prose(prompt: str) -> str:
    """Keep the user's own words. What is cut out leaves a gap that joins nothing."""
    text = _OURS.sub(" . ", prompt)
    text = _cut_fences(text)
    for pattern in (_COMMENT, _TAGGED, _INLINE, _NOT_PROSE):
        text = pattern.sub(" . ", text)
    return _QUOTED.sub(_unquote, text)


def _cut_fences(text: str) -> str:
    """Cut out fences. A fence that is not closed runs to the end."""
    kept, place = [], 0
    while begin := _FENCE.search(text, place):
        kept.append(text[place : begin.start()])
        mark = begin[1][:3]
        end = re.compile(rf"^[ \t]{{0,3}}{re.escape(mark)}+[ \t]*$", re.MULTILINE)
        closed = end.search(text, begin.end())
        if closed is None:
            return " . ".join(kept)
        place = closed.end()
    return " . ".join([*kept, text[place:]])


def _unquote(found: re.Match[str]) -> str:
    """Cut out a quote, which others said; but the bare word in quotes may be a request."""
    inside = found[0][1:-1]
    if _KEYWORD.fullmatch(inside.strip()) and _USES.search(found.string[: found.start()]):
        return inside
    return " . "


def _read_request(text: str, start: int, end: int) -> str:
    begin = max((m.end() for m in _SENTENCE_END.finditer(text, max(0, start - 400), start)),
                default=max(0, start - 400))  # fmt: skip
    before = text[begin:start]
    closing = _SENTENCE_END.search(text, end)
    asked = bool(closing and closing[0] == "?") and not _POLITE.match(before)
    is_question = asked and (bool(before.strip()) or bool(_ABOUT_IT.match(text, end)))
    if _OFF.search(text, max(0, start - 40), start) or _OFF_AFTER.match(text, end):
        later = _LATER.match(text, end) or _IF_SO.search(before)
        negated = _NEGATED.search(_OFF.sub("", before)) or _ASKED.match(before)
        return NEITHER if later or negated else OFF
    if is_question or _ASKED.match(before):
        return NEITHER
    mentioned = _MENTIONED.search(before) and not _USES.search(before)
    edited = _EDITED.search(before) and _EDITED_WHERE.match(text, end)
    is_object = mentioned or edited or _EDITED_TO.search(before)
    return NEITHER if is_object or _NEGATED.search(before) else ON
