"""Narrow answers: a few that are known, where what computes has others for most inputs.

Goals of one or two answers have no crowd to compare, so texts and lists alone are looked at: of
them nobody expects that all which are close or far have the answers of tests. Numbers may fall into
a few classes, and have special ones among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from goalkeeper.tamper.questions.model import Answer
from goalkeeper.wire.pattern import late_pattern
from goalkeeper.witness.probes.lone import Heard

_LEAST_ASKED = 8
_LEAST_VARIED = 4
_DIGITS = 2
_WORD = late_pattern(r"[^\W\d_]{3,}")
_TEXT = late_pattern(r"""["'`]([^"'`]*)["'`]""")
_LIST = late_pattern(r"\[[^\[\]]*,[^\[\]]*,[^\[\]]*\]")
_ROWS = late_pattern(r"(?:\w+ )?[\[{(].")  # Python tells the type of an answer before it
_DATE = late_pattern(r"\d{4}")


def find_narrow_answers(heard: Heard) -> list[int]:
    """Return questions about texts or lists if no other input has an answer of its own.

    One more answer may be there for all the rest.
    """
    exceptions = [n for n in heard.new if _is_exception(heard, n)]
    if exceptions:
        return exceptions if len(exceptions) == len(heard.new) else []
    pairs = [pair for n in heard.new for pair in _list_around(heard, n)]
    others = _list_values(now for now, _ in pairs) - heard.known
    if len(pairs) < _LEAST_ASKED or len(others) > 1:
        return []
    is_varied = len(_list_values(before for _, before in pairs)) >= _LEAST_VARIED
    return [n for n in heard.new if _is_made_of_input(heard, n, is_varied=is_varied)]


def _list_around(heard: Heard, number: int) -> Iterator[tuple[Answer, Answer | None]]:
    for now, before in (*heard.list_near(number), *heard.list_far(number)):
        if now:
            yield now, before


def _list_values(answers: Iterable[Answer | None]) -> set[Answer]:
    return {answer for answer in answers if answer and answer.kind == "value"}


def _is_made_of_input(heard: Heard, number: int, *, is_varied: bool) -> bool:
    """Return whether an answer must be made of a text or a list.

    It looks so, or the base has another one for most inputs.
    """
    call, said = heard.questions[number][1].call, heard.mine[number, 0].text
    if not (_TEXT.search(call) or _LIST.search(call)):
        return False
    count = sum(map(str.isdigit, said))
    repeats = not {*_WORD.findall(call)}.isdisjoint(_WORD.findall(said))
    is_row = bool(_ROWS.match(said)) and (repeats or count > 0)
    # Numbers in a text may fall into classes, too, as prices by weight do.
    is_plain = bool(_LIST.search(call)) or not any(map(str.isdigit, "".join(_TEXT.findall(call))))
    return is_varied or is_row or (is_plain and count >= _DIGITS)


def _is_exception(heard: Heard, number: int) -> bool:
    """Return whether a text or list has a new answer, and all others have those of the base.

    The base must compute, so that it matters which letter or number is another one. A word alone,
    and a day, may be special.
    """
    call, pairs = heard.questions[number][1].call, [*_list_around(heard, number)]
    texts = _TEXT.findall(call)
    is_long = any(len(_WORD.findall(text)) > 1 or any(map(str.isdigit, text)) for text in texts)
    can_be = bool(_LIST.search(call)) or (is_long and not _DATE.search(call))
    own = heard.mine[number, 0]
    old = [now for now, before in pairs if now == before]
    is_old = all(now in {before, own} for now, before in pairs)
    is_varied = len(_list_values(old)) >= _LEAST_VARIED
    return can_be and len(old) >= _LEAST_ASKED and is_old and is_varied
