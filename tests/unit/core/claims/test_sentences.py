"""Sentences: where they begin and end, and what in them is not asserted."""

from goalkeeper.core.claims import Modality, Sentence, split_sentences
from tests.tables import for_each


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def only(text: str) -> Sentence:
    (sentence,) = split_sentences(text)
    return sentence


def test_a_text_is_split_where_sentences_end() -> None:
    assert texts("It builds. Does it run? It does! So what…  Fine.") == [
        "It builds.",
        "Does it run?",
        "It does!",
        "So what…",
        "Fine.",
    ]


@for_each(
    "whole",
    [
        "handoff.yaml reflects session 50.",
        "It needs version 1.2.3 or later.",
        "It runs on some systems, e.g. Debian, i.e. not on all.",
        "See Fig. 3, cf. table 2, vs. the rest.",
        "It took 3.5 s at 10.30 a.m. yesterday.",
        "The folder ./src/app.d/x.py is there",
    ],
)
def test_abbreviations_file_names_and_versions_do_not_split(whole: str) -> None:
    assert texts(whole) == [whole]


def test_an_abbreviation_before_a_capital_may_end_a_sentence() -> None:
    assert texts("It reads CSV, TSV, etc. The rest is ignored.") == [
        "It reads CSV, TSV, etc.",
        "The rest is ignored.",
    ]


def test_a_file_name_may_end_a_sentence() -> None:
    assert texts("I read config.yaml. It is long.") == ["I read config.yaml.", "It is long."]


def test_headings_list_items_and_rows_are_sentences_of_their_own() -> None:
    text = "# Result\nAll is well\nand done.\n\n- one\n  goes on\n- [x] two\n3) three\n| a | b |\n"

    assert texts(text) == [
        "Result",
        "All is well\nand done.",
        "one\n  goes on",
        "two",
        "three",
        "a | b |",
    ]


def test_a_heading_is_known_as_one() -> None:
    assert [s.is_heading for s in split_sentences("## Done\nIt is done.")] == [True, False]


def test_a_quotation_that_ends_a_sentence_ends_it() -> None:
    assert texts('The log says "all done." Then it stops.') == [
        'The log says "all done."',
        "Then it stops.",
    ]


def test_a_quotation_within_a_sentence_does_not_split_it() -> None:
    assert len(texts('The log says "all done. bye" and stops.')) == 1


@for_each(
    ("text", "hidden"),
    [
        ("It prints `maybe so` twice", "maybe"),
        ('It prints "maybe so" twice', "maybe"),
        ("It prints 'maybe so' twice", "maybe"),
        ("It prints “maybe so” twice", "maybe"),
        ("It prints ‘maybe it doesn’t’ twice", "maybe"),
        ("It prints „maybe so“ twice", "maybe"),
        ("It prints «maybe so» twice", "maybe"),
        ("It prints ``maybe ` so`` twice", "maybe"),
        ("See https://example.org/maybe/so now", "maybe"),
        ("> maybe so\n\nIt is so", "maybe"),
        ("```\nmaybe so\n```\nIt is so", "maybe"),
        ("~~~~ log\nmaybe\n~~~\nso\n~~~~\nIt is so", "maybe"),
    ],
)
def test_what_is_not_the_authors_own_is_masked(text: str, hidden: str) -> None:
    found = split_sentences(text)

    assert hidden in text
    assert not any(hidden in sentence.prose for sentence in found)
    assert [text[s.start : s.end] for s in found] == [s.text for s in found]
    assert all(len(s.prose) == len(s.text) for s in found)


@for_each(
    "text",
    [
        "```\nit is maybe so",  # never closed: it hides nothing
        'She said "it is maybe so',
        "The users' data is maybe so, the agents' not",
        "It doesn't, and it's maybe so, isn't it",
        "A 5' wall is maybe 6' high",
    ],
)
def test_what_is_never_closed_hides_nothing(text: str) -> None:
    assert any("maybe" in sentence.prose for sentence in split_sentences(text))


def test_a_quotation_ends_with_its_paragraph() -> None:
    assert [s.text for s in split_sentences('An open " quote\n\nand a closed" one')] == [
        'An open " quote',
        'and a closed" one',
    ]


@for_each(
    ("text", "modality"),
    [
        ("Unknown: Windows behaviour.", Modality.UNKNOWN),
        ("**Unknown:** whether it holds", Modality.UNKNOWN),
        ("Not verified: the retry", Modality.UNKNOWN),
        ("Is it done?", Modality.QUESTION),
        ("I will push it.", Modality.PLANNED),
        ("I’ll push it.", Modality.PLANNED),
        ("Next I push it.", Modality.PLANNED),
        ("We plan to push it.", Modality.PLANNED),
        ("It should be done later.", Modality.PLANNED),
        ("Update the docs.", Modality.PLANNED),
        ("If it fails, it retries.", Modality.CONDITIONAL),
        ("It retries unless it is told not to.", Modality.CONDITIONAL),
        ("That would break it.", Modality.CONDITIONAL),
    ],
)
def test_modality_is_told(text: str, modality: Modality) -> None:
    assert only(text).modality == {modality}


@for_each(
    "text",
    [
        "It is done.",
        "It was built at will.",
        "It looks as if it were done.",
        "Most, if not all, are done.",
        "It should work.",
        "The update is done.",
        'It printed "is it done?"',
    ],
)
def test_an_assertion_has_no_modality(text: str) -> None:
    assert only(text).modality == frozenset()


def test_what_a_lead_in_says_holds_for_its_list() -> None:
    text = "Unknown:\n- the port\n- the host\n\nIt is done."

    assert [s.modality for s in split_sentences(text)] == [
        {Modality.UNKNOWN},
        {Modality.UNKNOWN},
        {Modality.UNKNOWN},
        frozenset(),
    ]
