"""JSON that is read by one of several readers only is read by none."""

from typing import Any

import pytest

from goalkeeper.core.strict_json import DEEPEST, parse
from tests.tables import for_each


@for_each(
    ("text", "value"),
    [
        ('{"a": [1, 1.5, true, null, "é"]}', {"a": [1, 1.5, True, None, "é"]}),
        (b'"\xc3\xa9"', "é"),
        ('"\\ud83d\\ude00"', "😀"),
        (" [] ", []),
        ("[" * DEEPEST + "]" * DEEPEST, None),
    ],
)
def test_plain_json_is_read(text: str | bytes, value: Any) -> None:  # noqa: ANN401
    read = parse(text)

    assert read == value or value is None


@for_each(
    ("text", "said"),
    [
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("[] []", "Extra data"),
        ("[1,]", "Expecting value|Illegal trailing comma"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("[1e999]", "not JSON compliant"),
        ("9" * 5000, "Exceeds the limit"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "'c' is given twice"),
        ('{"a": 1, "\\u0061": 2}', "'a' is given twice"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"nested deeper than {DEEPEST}"),
        ('{"a":' * 100_000, f"nested deeper than {DEEPEST}"),
        ('"\\ud800"', "surrogates not allowed"),
        ('{"\\udc00": 1}', "surrogates not allowed"),
        (b"\xff\xfe[\x00]\x00", "invalid start byte"),
        (b"\xef\xbb\xbf{}", "BOM"),
    ],
)
def test_all_else_is_refused_with_a_reason(text: str | bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse(text)


def test_a_name_given_twice_among_very_many_is_found_at_once() -> None:
    names = ",".join(f'"{number}":0' for number in range(200_000))

    with pytest.raises(ValueError, match="'199999' is given twice"):
        parse(f'{{{names},"199999":0}}')
