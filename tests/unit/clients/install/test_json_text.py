"""Other people's JSON, changed in place: what is put in, what is taken out, what is refused."""

import json

import pytest

from goalkeeper.clients.install.json_text import (
    NotJsonText,
    add_member,
    append_item,
    cut_ours,
    parse,
)
from tests.tables import for_each

OURS = {"command": "ours"}
STOP = ("hooks", "Stop")


def is_ours(value: object) -> bool:
    return value == OURS


@for_each(
    ("before", "after"),
    [
        ("{}", '{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}'),
        ('{"a": 1}', '{"a": 1, "hooks": {"Stop": [1]}}'),
        ('{"hooks": {"Stop": [0]}}', '{"hooks": {"Stop": [0, 1]}}'),
        ('{"hooks": {"Start": [0]}}', '{"hooks": {"Start": [0], "Stop": [1]}}'),
        (
            '{\n    "a": 1\n}\n',
            '{\n    "a": 1,\n    "hooks": {\n      "Stop": [\n        1\n      ]\n    }\n}\n',
        ),
        (
            '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t0\n\t\t]\n\t}\n}',
            '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t0,\n\t\t\t1\n\t\t]\n\t}\n}',
        ),
        (
            '{\n  "hooks": {\n    "Stop": [0]\n  } // mine\n}',
            '{\n  "hooks": {\n    "Stop": [0, 1]\n  } // mine\n}',
        ),
    ],
    ids=["empty", "compact", "item", "member", "indented", "tabs", "comment"],
)
def test_an_item_is_put_in_in_the_manner_of_its_neighbours(before: str, after: str) -> None:
    assert append_item(before, STOP, 1) == after


def test_a_member_is_put_in_where_there_is_none_of_its_name() -> None:
    assert add_member('{"a": 1}', ("b", "c"), 2) == '{"a": 1, "b": {"c": 2}}'
    assert add_member('{"b": {"c": null}}', ("b", "c"), 2) == '{"b": {"c": null}}'


def test_text_that_is_not_ascii_stays_readable() -> None:
    text = append_item('{"größe": "𝄞"}', ("hooks",), {"naïve": "\u2028"})

    assert text.startswith('{"größe": "𝄞", "hooks": [{"naïve": "')
    assert json.loads(text) == {"größe": "𝄞", "hooks": [{"naïve": "\u2028"}]}


@for_each(
    ("before", "after"),
    [
        ('{"a": [{"command": "ours"}, 1]}', '{"a": [1]}'),
        ('{"a": [0, {"command": "ours"}, 1]}', '{"a": [0, 1]}'),
        ('{"a": [0, {"command": "ours"}]}', '{"a": [0]}'),
        ('{"a": [{"command": "ours"}], "b": 1}', '{"b": 1}'),
        ('{"b": 1, "a": {"c": [{"command": "ours"}]}}', '{"b": 1}'),
        ('{"a": {"c": [{"command": "ours"}]}}', "{}"),
        ('{"a": [{"command": "ours"}, {"command": "ours"}]}', "{}"),
        ('{"line": {"command": "ours"}, "b": 1}', '{"b": 1}'),
        ('{"a": [{"more": 1, "command": "ours"}]}', '{"a": [{"more": 1, "command": "ours"}]}'),
    ],
)
def test_ours_is_taken_out_with_what_is_empty_without_it(before: str, after: str) -> None:
    assert cut_ours(before, is_ours) == after


def test_what_was_empty_before_us_and_holds_nothing_of_ours_stays() -> None:
    text = '{"a": [], "b": {}, "c": [{}]}'

    assert cut_ours(text, is_ours) == text


@for_each(
    "text",
    [
        "",
        " ",
        "{",
        "[",
        "{]",
        '{"a"}',
        '{"a": }',
        '{"a" 1}',
        "{a: 1}",
        "{'a': 1}",
        "[1 2]",
        "[,]",
        "{,}",
        "[1,,]",
        "{} {}",
        "{}x",
        "nul",
        "01",
        "+1",
        "1.",
        ".5",
        "NaN",
        "Infinity",
        '"\n"',
        '"\\x"',
        '"open',
        "/* open",
        "/ {}",
        "# {}",
        "\ufeff{}",
        "٣",
        "9" * 5000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 200 + "]" * 200,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_is_not_json_is_named_so(text: str) -> None:
    with pytest.raises(NotJsonText, match=r"^line 1: "):
        parse(text)


def test_the_line_is_named_on_which_it_goes_wrong() -> None:
    with pytest.raises(NotJsonText, match=r"^line 3: a comma or } is missing"):
        parse('{\n  "a": 1\n  "b": 2\n}')


def test_a_key_with_an_escape_that_json_has_not_is_named_so() -> None:
    with pytest.raises(NotJsonText):
        parse('{"\\x": 1}')


@for_each(
    ("text", "problem"),
    [
        ("[]", "no object"),
        ('"a"', "no object"),
        ('{"hooks": "a"}', "no object"),
        ('{"hooks": null}', "no object"),
        ('{"hooks": []}', "no object"),
        ('{"hooks": {"Stop": "a"}}', "not a list"),
        ('{"hooks": {"Stop": {"a": 1}}}', "not a list"),
        ('{"hooks": {"Stop": null}}', "not a list"),
        ("[1]", "no object"),
        ('{"hooks": [1]}', "no object"),
    ],
)
def test_a_path_through_something_else_is_refused(text: str, problem: str) -> None:
    with pytest.raises(NotJsonText, match=f"{problem}|is not|leads through"):
        append_item(text, STOP, 1)


def test_an_item_does_not_land_in_a_comment_with_a_comma() -> None:
    text = append_item('{"a": [0 /* one, two */, ]}', ("a",), 1)

    assert parse(text).value == {"a": [0, 1]}


def test_a_comment_in_an_empty_object_is_kept() -> None:
    text = append_item('{"hooks": { /* none yet */ }}', STOP, 1)

    assert "/* none yet */" in text
    assert parse(text).value == {"hooks": {"Stop": [1]}}


def test_a_comma_before_the_closing_bracket_is_there_again_afterwards() -> None:
    text = '{\n  "a": [\n    0,\n  ],\n}'

    assert cut_ours(append_item(text, ("a",), OURS), is_ours) == text


@for_each(
    ("before", "after"),
    [
        ('{\n  "a": 1, // because\n  "b": OURS\n}', '{\n  "a": 1 // because\n}'),
        ('{\n  "a": 1 // because\n, "b": OURS}', '{\n  "a": 1 // because\n}'),
        ('{"a": 1, // because\n "b": OURS}', '{"a": 1 // because\n}'),
        ('{"a": 1, /* b: */ "b": OURS}', '{"a": 1 /* b: */}'),
        ('{"b": OURS, // b\n "a": 1}', '{ // b\n "a": 1}'),
        ('{"b": OURS /* b */, "a": 1}', '{ /* b */ "a": 1}'),
        ('{"a": [ // none\n  OURS\n]}', '{"a": [ // none\n]}'),
        ('{"a": [ // none\n  OURS]}', '{"a": [ // none\n]}'),
        ('{"a": [OURS, // last\n]}', '{"a": [ // last\n]}'),
        ('{"a": {"b": [OURS], /* b */ }}', '{"a": { /* b */ }}'),
        ('{"a": [\n  0,\n  OURS, // last\n]}', '{"a": [\n  0, // last\n]}'),
    ],
)
def test_comments_beside_ours_stay(before: str, after: str) -> None:
    text = before.replace("OURS", json.dumps(OURS))

    assert cut_ours(text, is_ours) == after
    parse(after)


def test_comments_in_what_is_empty_are_there_again_afterwards() -> None:
    text = '{\n  "hooks": {\n    // none yet\n  }\n}\n'

    assert cut_ours(append_item(text, STOP, OURS), is_ours) == text


@for_each("text", ['{\r\n  "a": 1\r\n}\r\n', '{\r\n  "hooks": {}\r\n}\r\n'])
def test_lines_end_as_the_others_do(text: str) -> None:
    after = append_item(text, STOP, {"b": [1, 2]})

    assert after.count("\n") == after.count("\r\n") > text.count("\r\n")
    assert parse(after).value["hooks"] == {"Stop": [{"b": [1, 2]}]}
