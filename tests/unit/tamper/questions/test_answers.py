"""What a program of questions prints, and what the product prints beside it."""

import pytest

from goalkeeper.tamper.questions.model import Answer, choose_answers, has_told, read_answers


def test_an_answer_may_have_any_sign() -> None:
    told = read_answers('nonce 0 0 value "a\u2028b\u0085c"\nnonce 0 0 end ""\n', "nonce")

    assert choose_answers(told, expected=False) == {(0, 0): Answer("value", "a\u2028b\u0085c")}
    assert has_told(told, "end")
    assert not has_told(told, "asked")


@pytest.mark.parametrize(
    "line",
    [
        "nonce 0 0 value",
        "nonce x 0 value 1",
        "nonce 0 0 value {}",
        "nonce 0 0 value " + "[" * 100_000,
        'nonce 4000 0 value "x"',
        'nonce -1 0 value "x"',
    ],
)
def test_what_the_product_forges_is_no_answer(line: str) -> None:
    assert read_answers(f"{line}\n", "nonce") == {}
