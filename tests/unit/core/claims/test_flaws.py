"""Hedges, and assertions without evidence; `test_examples` has many more sentences."""

from goalkeeper.core.claims.flaws import find_bare_assertions, find_hedges
from tests.tables import for_each


def found(text: str) -> list[str]:
    return [flaw.matched for flaw in find_hedges(text)]


def test_T40_a_hedge_on_an_outcome_is_flagged() -> None:
    text = "It ran. build.log possibly shows success."

    (flaw,) = find_hedges(text)

    assert (flaw.kind, flaw.matched) == ("hedge", "possibly")
    assert flaw.sentence == "build.log possibly shows success."
    assert text[flaw.start : flaw.end] == "possibly"
    assert "Unknown:" in flaw.message


@for_each(
    "text",
    [
        "build.log shows 42 passed because `pytest -q` exited 0",
        "Observed: 42 passed. Unknown: Windows behaviour.",
        'The log says "it might be down" in line 3.',
        "The log says 'it seems to be up'.",
        "The log says `it seems to be up`.",
        "> it is probably up\n",
        "```\nit is probably up\n```",
        "Unknown: whether it is possibly slow.",
        "Is it possibly slow?",
        "Next I might look at it.",
        "If it is slow, it is probably the disk.",
        "See https://example.org/maybe.",
    ],
)
def test_T40_quotes_code_unknowns_questions_plans_and_conditions_are_exempt(text: str) -> None:
    assert found(text) == []


def test_every_hedge_of_a_text_is_returned_in_order() -> None:
    assert found("It is maybe done. I think so, perhaps.") == ["maybe", "I think", "perhaps"]


@for_each(
    "text",
    [
        "build.log shows 42 passed because `pytest -q` exited 0",
        "Observed: 42 passed. Unknown: Windows behaviour.",
    ],
)
def test_T40_an_assertion_with_a_reason_and_evidence_is_well_formed(text: str) -> None:
    assert find_bare_assertions(text) == ()


def test_T40_an_assertion_without_a_reason_is_flagged() -> None:
    text = "It is so because `a` says so. X is Y."

    (flaw,) = find_bare_assertions(text)

    assert (flaw.kind, flaw.matched, flaw.sentence) == ("form", "X is Y.", "X is Y.")
    assert text[flaw.start : flaw.end] == "X is Y."
    assert "because" in flaw.message
