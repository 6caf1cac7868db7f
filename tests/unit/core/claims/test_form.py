"""The form of an assertion: X is Y because Z, and Z can be looked up."""

from goalkeeper.core.claims import find_bare_assertions
from tests.tables import for_each


def messages(text: str) -> list[str]:
    return [flaw.message for flaw in find_bare_assertions(text)]


@for_each(
    "text",
    [
        "build.log shows 42 passed because `pytest -q` exited 0",
        "Observed: 42 passed. Unknown: Windows behaviour.",
        "It is done because tests/test_a.py passes.",
        "It is done because commit deadbee1 has it.",
        "It is done because the run exited with code zero.",
        "It is done because https://example.org/run says so.",
        "It is done since `make` exited 0.",
        "It is done, as shown by build.log.",
        "It is done (per build.log).",
        "It is done, confirmed by 3 runs.",
        "Because `make` exited 0, it is done.",
        "According to build.log it is done.",
        "Evidence: `make` exited 0.",
    ],
)
def test_T40_an_assertion_with_a_reason_and_evidence_is_well_formed(text: str) -> None:
    assert messages(text) == []


def test_T40_an_assertion_without_a_reason_is_flagged() -> None:
    text = "It is so because `a` says so. X is Y."

    (flaw,) = find_bare_assertions(text)

    assert (flaw.kind, flaw.matched, flaw.sentence) == ("form", "X is Y.", "X is Y.")
    assert text[flaw.start : flaw.end] == "X is Y."
    assert "because" in flaw.message


@for_each(
    "text",
    [
        "It is done because I did it.",
        "It is done because ` `.",
        "It is done, as shown by the run.",
        "Because of that, `make` exits 0.",
        "Observed: it works.",
    ],
)
def test_a_reason_without_evidence_is_flagged(text: str) -> None:
    (message,) = messages(text)

    assert "looked up" in message


@for_each(
    "text",
    [
        "It has been done since Monday.",
        "It is done since 2019.",
        "It runs 3 times per second.",
        "Because `make` exited 0.",
        "`make` exited 0",
        "Done.",
        "I will look again; it is done.",
    ],
)
def test_what_gives_no_reason_is_flagged(text: str) -> None:
    assert any("no reason" in message for message in messages(text))


@for_each(
    "text",
    [
        "# All is done",
        "These are done:",
        "Is it done?",
        "I will do it.",
        "If it is done, it is done.",
        "Unknown: whether it is done.",
        '"It is done."',
        "> It is done.",
        "```\nIt is done.\n```",
        "",
        "---",
    ],
)
def test_what_asserts_nothing_needs_no_reason(text: str) -> None:
    assert messages(text) == []
