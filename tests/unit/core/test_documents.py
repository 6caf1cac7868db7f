"""JSON of somebody else's: it means one thing and can be written again, or it is not read."""

import pytest

from goalkeeper.core.documents import document


@pytest.mark.parametrize(
    ("text", "value"),
    [("{}", {}), (b'{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}), ('"\\ud83d\\ude00"', "😀")],
)
def test_plain_json_is_read(text: str | bytes, value: object) -> None:
    assert document(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        b"\xff\xfe\x00",
        "NaN",
        "[-Infinity]",
        "[1e999]",
        '{"a": 1, "a": 2}',
        '"\\ud800"',
        "[" * 65 + "]" * 65,
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 5000,
    ],
    ids=["nothing", "cut", "no text", "not a number", "without end", "too big", "twice",
         "half a letter", "deep", "deeper", "deep objects", "digits"],
)  # fmt: skip
def test_what_is_not_is_told(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        document(text)
