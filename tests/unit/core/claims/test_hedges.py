"""Hedges: flagged on what was observed, and nowhere else."""

from goalkeeper.core.claims import find_hedges
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


@for_each(
    "hedge",
    [
        "possibly", "perhaps", "maybe", "probably", "likely", "presumably", "apparently",
        "in theory", "more or less", "hopefully", "supposedly", "almost certainly",
    ],
)  # fmt: skip
def test_an_adverb_hedges(hedge: str) -> None:
    assert found(f"It is {hedge} done.") == [hedge]


@for_each(
    ("text", "hedge"),
    [
        ("It might be done.", "might be"),
        ("It could be the disk.", "could be"),
        ("It may have been the disk.", "may have"),
        ("It seems to work.", "seems"),
        ("It appears to work.", "appears to"),
        ("It appears, it is done.", "It appears"),
        ("It looks like it works.", "looks like"),
        ("It should work now.", "should work"),
        ("This should fix it.", "This should fix"),
        ("I think it works.", "I think"),
        ("We believe it works.", "We believe"),
        ("I’m fairly sure it works.", "I’m fairly sure"),
        ("As far as I can tell it works.", "As far as I can tell"),
        ("It must have been the disk.", "must have been"),
        ("PROBABLY done", "PROBABLY"),
        ("It is _probably_ done", "probably"),
        ("It is **might be** done", "might be"),
    ],
)
def test_a_phrase_hedges(text: str, hedge: str) -> None:
    assert found(text) == [hedge]


@for_each(
    "text",
    [
        "I could not reproduce it in 20 runs.",
        "It could be reproduced in 5 of 5 runs.",
        "They could read it.",
        "It was released in May 2024, on 3 May, and by May.",
        "The might of the engine is known.",
        "The Maybe type wraps a value.",
        "`maybe_retry` was called, and maybe_not was not.",
        "The seems-ok label was removed.",
        "The string appears in line 3 and the button appears after login.",
        "A record looks like this: a, b.",
        "A record looks like `{}`.",
        "The flag may be given twice.",
        "Users may pass it twice.",
        "The word possibly is banned.",
        "The likely() macro is used.",
        "The likelihood is computed.",
    ],
)
def test_the_same_words_in_another_sense_are_no_hedges(text: str) -> None:
    assert found(text) == []


@for_each(
    "text",
    [
        "Unknown: Windows behaviour, but it probably works.",
        "I will push it, and it probably works.",
        "If it fails, it retries; it probably works.",
        "It probably works, and I will push it.",
        "If you ask me, it probably works.",
    ],
)
def test_an_exemption_ends_where_the_author_turns_to_something_else(text: str) -> None:
    assert found(text) == ["probably"]


def test_every_hedge_of_a_text_is_returned_in_order() -> None:
    assert found("It is maybe done. I think so, perhaps.") == ["maybe", "I think", "perhaps"]
