"""Claims that something is not there."""

from goalkeeper.core.claims import ClaimClass, find_claims
from tests.tables import for_each


def found(text: str) -> list[str]:
    return [claim.matched for claim in find_claims(text) if claim.kind is ClaimClass.ABSENCE]


def test_T32_what_has_not_been_pushed_is_absent_and_a_pushed_button_is_not() -> None:
    assert found("It hasn't been pushed.") == ["hasn't been pushed"]
    assert found("I pushed the button.") == []


def test_T39_a_typographic_apostrophe_is_an_apostrophe() -> None:
    text = "The export isn’t built."

    (claim,) = find_claims(text)

    assert (claim.kind, claim.matched) == (ClaimClass.ABSENCE, "isn’t built")
    assert text[claim.start : claim.end] == claim.matched


@for_each(
    "text",
    [
        "It isn't built.",
        "There's no way to cancel it.",
        "There is no existing implementation.",
        "It cannot be done.",
        "We'd need to build our own.",
        "It is not possible.",
        "It doesn't exist.",
        "The library doesn't support it.",
        "The library does not have it.",
        "It isn't available.",
        "No such entry.",
        "We don't have it.",
        "It is absent from git.",
        "It is not yet in git.",
        "It was never committed.",
        "It hasn't been committed.",
        "It was not pushed to origin.",
        "It is not in the repository.",
        "It is missing from the repo.",
        "It is not tracked by git.",
        "No tests cover it.",
        "I couldn't find a caller.",
        "The client lacks an option for it.",
        "The CLI has no such flag.",
        "It is **not** built.",
    ],
)
def test_an_absence_is_claimed(text: str) -> None:
    assert found(text)


@for_each(
    "text",
    [
        "There is no need for it.",
        "There were no errors.",
        "No regressions were found.",
        "It does not fail.",
        "It has no effect.",
        "Nothing changed.",
        "The exporter supports it.",
        "It does not have to exist at first glance.",
        "Do not push to main.",
        "Does it exist?",
        "If it doesn't exist, it is made.",
        "I checked whether it is not built.",
        "We will see that it doesn't exist.",
        '"It does not exist" was printed.',
    ],
)
def test_no_absence_is_claimed(text: str) -> None:
    assert found(text) == []


def test_what_a_named_file_does_not_hold_is_the_state_of_the_file() -> None:
    kinds = [claim.kind for claim in find_claims("a.yaml does not have a port.")]

    assert kinds == [ClaimClass.FILE_STATE]


def test_a_named_file_that_does_not_exist_is_both() -> None:
    kinds = {claim.kind for claim in find_claims("a.yaml does not exist.")}

    assert kinds == {ClaimClass.FILE_STATE, ClaimClass.ABSENCE}
