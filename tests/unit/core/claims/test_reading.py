"""Sentences: where they begin and end, and what in them is not asserted."""

from goalkeeper.core.claims.modality import Modality
from goalkeeper.core.claims.reading import Sentence, read_text
from tests.tables import for_each


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def split_sentences(text: str) -> tuple[Sentence, ...]:
    return read_text(text).sentences


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


def test_what_a_lead_in_says_holds_for_its_list() -> None:
    text = "Unknown:\n- the port\n- the host\n\nIt is done."

    assert [s.modality for s in split_sentences(text)] == [
        {Modality.UNKNOWN},
        {Modality.UNKNOWN},
        {Modality.UNKNOWN},
        frozenset(),
    ]
