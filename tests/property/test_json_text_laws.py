"""Settings of other people in any layout: we add, we take away, and not a byte else moves."""

import copy
import json
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goalkeeper.clients.install.json_text import (
    NotJsonText,
    add_member,
    append_item,
    cut_ours,
    parse,
)

words = st.sampled_from(["a", "b", "né", "𝄞", '"\\/', "\n\t", "// no", "/* no */", "]},", ""])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
    | st.text(max_size=6)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
EVENTS = ("SessionStart", "Stop")
hooks = st.dictionaries(st.sampled_from(EVENTS), st.lists(values, max_size=2), max_size=2)
documents = st.tuples(st.dictionaries(words, values, max_size=3), st.none() | hooks).map(
    lambda both: both[0] if both[1] is None else {**both[0], "hooks": both[1]}
)
OURS = {"type": "command", "command": "ours — né", "timeout": 30}
STOP = ("hooks", "Stop")
paths = st.sampled_from([STOP, ("hooks", "SessionStart"), ("new",), ("deep", "er")])

# What may stand between two tokens. Comments hold all that could lead a reader astray.
BLANKS = ["", " ", "\n", "\t", "\r\n", "\n    ", "\r\n\t\t"]
COMMENTS = ["/* c */", "// c\n", " // ] } \" ' \r\n  ", '/* "a": [\n { */ ']
WITH_COMMAS = ["/* a, b */", " // a, b\n"]


class Layout:
    """How tokens are set: what stands between them, and whether a comma ends a list."""

    def __init__(self, gaps: list[str], *, is_ascii: bool, has_last_comma: bool) -> None:
        self._gaps = cycle(gaps)
        self._is_ascii = is_ascii
        self._comma = "," if has_last_comma else ""

    def text(self, value: object) -> str:
        return self.gap + self._text(value) + self.gap

    @property
    def gap(self) -> str:
        return next(self._gaps)

    def _text(self, value: object) -> str:
        if isinstance(value, dict):
            return self._filled("{}", [f"{self._text(k)}{self.gap}:{self.gap}{self._text(v)}"
                                       for k, v in value.items()])  # fmt: skip
        if isinstance(value, list):
            return self._filled("[]", [self._text(item) for item in value])
        return json.dumps(value, ensure_ascii=self._is_ascii)

    def _filled(self, brackets: str, inside: list[str]) -> str:
        between = f"{self.gap},{self.gap}".join(inside)
        comma = f"{self.gap}{self._comma}" if inside else ""
        return f"{brackets[0]}{self.gap}{between}{comma}{self.gap}{brackets[1]}"


def layouts(gaps: list[str], *, has_last_comma: bool) -> st.SearchStrategy[Layout]:
    return st.builds(
        Layout,
        st.lists(st.sampled_from(gaps), min_size=1, max_size=9),
        is_ascii=st.booleans(),
        has_last_comma=st.just(value=has_last_comma),
    )


dumped = st.builds(
    lambda indent, separators, is_ascii, ends: (
        lambda value: (
            json.dumps(value, indent=indent, separators=separators, ensure_ascii=is_ascii) + ends
        ).replace("\n", "\r\n" if ends.startswith("\r") else "\n")
    ),
    st.sampled_from([None, 0, 2, 4, "\t"]),
    st.sampled_from([None, (",", ":"), (", ", ": "), (" , ", " : ")]),
    st.booleans(),
    st.sampled_from(["", "\n", "\r\n"]),
)
Write = Callable[[object], str]
strict: st.SearchStrategy[Write] = dumped | layouts(BLANKS, has_last_comma=False).map(
    lambda layout: layout.text
)
commented: st.SearchStrategy[Write] = layouts(
    BLANKS + COMMENTS + WITH_COMMAS, has_last_comma=False
).map(lambda layout: layout.text)
loose: st.SearchStrategy[Write] = layouts(BLANKS + COMMENTS + WITH_COMMAS, has_last_comma=True).map(
    lambda layout: layout.text
)
any_layout = st.one_of(strict, commented, loose)


def is_ours(value: object) -> bool:
    return value == OURS


def with_item(document: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    after = copy.deepcopy(document)
    place = after
    for key in path[:-1]:
        place = place.setdefault(key, {})
    place.setdefault(path[-1], []).append(OURS)
    return after


def was_empty(document: dict[str, Any], path: tuple[str, ...]) -> bool:
    """Whether something on the way was there and had nothing in it."""
    place: Any = document
    for key in path:
        if not place:
            return True
        if key not in place:
            return False
        place = place[key]
    return not place


def is_inserted(before: str, after: str) -> bool:
    """Whether all of `before` is in `after`, with one piece put in."""
    return any(
        len(after) >= len(before) and after.startswith(before[:i]) and after.endswith(before[i:])
        for i in range(len(before) + 1)
    )


def as_is(text: str) -> Write:
    return lambda _: text


# A comma inside a comment before the last comma; a comment where there is nothing else.
COMMA_IN_COMMENT: tuple[dict[str, Any], Write] = (
    {"hooks": {"Stop": [1]}},
    as_is('{"hooks": {"Stop": [1 /* a, b */ , ]}}'),
)
ONLY_A_COMMENT: tuple[dict[str, Any], Write] = (
    {"hooks": {"Stop": []}},
    as_is('{"hooks": {"Stop": [\n  // none\n]}}'),
)


@given(document=values, write=any_layout)
def test_every_layout_is_read(document: object, write: Write) -> None:
    assert parse(write(document)).value == document


@given(document=documents, write=strict, path=paths)
def test_strict_json_stays_so_and_gains_the_item(
    document: dict[str, Any], write: Write, path: tuple[str, ...]
) -> None:
    after = append_item(write(document), path, OURS)

    assert json.loads(after) == with_item(document, path)


@example(*COMMA_IN_COMMENT, STOP)
@example(*ONLY_A_COMMENT, STOP)
@given(document=documents, write=any_layout, path=paths)
def test_an_item_more_is_all_that_changes_in_the_value(
    document: dict[str, Any], write: Write, path: tuple[str, ...]
) -> None:
    after = append_item(write(document), path, OURS)

    assert parse(after).value == with_item(document, path)


@example(*COMMA_IN_COMMENT, STOP)
@example(*ONLY_A_COMMENT, STOP)
@given(document=documents, write=any_layout, path=paths)
def test_every_other_byte_stays_in_its_order(
    document: dict[str, Any], write: Write, path: tuple[str, ...]
) -> None:
    text = write(document)

    assert all_in_order(text, append_item(text, path, OURS))


def all_in_order(before: str, after: str) -> bool:
    """White space in what was empty may go: there was nothing that it kept apart."""
    if is_inserted(before, after):
        return True
    rest = iter(after)
    return all(mark in rest for mark in before if not mark.isspace())


@example(*COMMA_IN_COMMENT, STOP)
@example(*ONLY_A_COMMENT, STOP)
@given(document=documents, write=any_layout, path=paths)
def test_taking_out_what_was_put_in_gives_the_bytes_back(
    document: dict[str, Any], write: Write, path: tuple[str, ...]
) -> None:
    text = write(document)

    back = cut_ours(append_item(text, path, OURS), is_ours)

    assert back == text or was_empty(document, path)


@given(document=documents, write=any_layout, chosen=st.lists(paths, min_size=1, max_size=4))
def test_many_items_go_in_and_all_come_out(
    document: dict[str, Any], write: Write, chosen: list[tuple[str, ...]]
) -> None:
    text = after = write(document)
    for path in chosen:
        after = append_item(after, path, OURS)

    back = cut_ours(after, is_ours)

    assert back == text or any(was_empty(document, path) for path in chosen)
    assert parse(cut_ours(text, is_ours)).value == document


@given(document=documents, write=any_layout, path=paths)
def test_a_member_is_put_in_once(
    document: dict[str, Any], write: Write, path: tuple[str, ...]
) -> None:
    text = write(document)
    once = add_member(text, path, OURS)

    assert add_member(once, path, OURS) == once
    assert all_in_order(text, once)
    assert cut_ours(once, is_ours) == text or was_empty(document, path) or once == text


@given(document=values, write=any_layout, path=paths)
def test_any_document_takes_an_item_or_is_refused(
    document: object, write: Write, path: tuple[str, ...]
) -> None:
    text = write(document)
    try:
        after = append_item(text, path, OURS)
    except NotJsonText:
        return

    assert parse(after).value != document


@given(document=values, write=any_layout, data=st.data())
def test_a_text_with_any_mark_changed_is_read_or_named_not_json(
    document: object, write: Write, data: st.DataObject
) -> None:
    text = write(document)
    place = data.draw(st.integers(min_value=0, max_value=len(text)))
    mark = data.draw(st.sampled_from([*'{}[],:"\\/*x1.-\n\0', "", "\ufeff"]))
    changed = text[:place] + mark + text[place + data.draw(st.integers(0, 1)) :]
    try:
        read = parse(changed).value
    except NotJsonText:
        with pytest.raises(json.JSONDecodeError):
            json.loads(changed)
        return

    assert isinstance(read, dict | list | str | int | float | bool | None)
