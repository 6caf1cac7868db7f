"""Any text whatever is read, and every finding points to where it stands."""

import json
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from goalkeeper.core.claims.evidence import Override, Read, find_unsupported, is_silent
from goalkeeper.core.claims.flaws import Flaw, find_bare_assertions, find_hedges
from goalkeeper.core.claims.reading import Claim, read_text
from goalkeeper.core.claims.scan import find_claims

LABELLED = Path(__file__).parents[2] / "bench" / "claims" / "labelled_own.jsonl"
LINES = [json.loads(line)["text"] for line in LABELLED.read_text(encoding="utf-8").splitlines()]
PLAIN = [line for line in LINES if "\n" not in line and line[0].isalnum() and line[-1] != ":"]
PIECES = [
    *LINES, "`", "``", "```", "```\n", "~~~", '"', "'", "’", "‘", "“", "”", "„", "«", "»", "\n",
    "\n\n", "\r\n", "> ", "- ", "1. ", "# ", "| ", ".", "...", "?", "!", "…", ",", ";", ":", " ",
    "*", "_", "__", "(", ")", "[", "](", "if ", "will ", "Unknown: ", "because ", "not ", "a.md",
    "src/a.py:12", ", and ", "https://a.b/c", "0", "98% of ", "x=0", "\x00", "\u2028", "\xa0",
    "\ue000", "\ue003", "İ", "ß", "\ud800", "𝄞", "é",
]  # fmt: skip
texts = st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def findings(text: str) -> list[Claim | Flaw]:
    return [*find_claims(text), *find_hedges(text), *find_bare_assertions(text)]


@given(texts)
@example("")
@example("'" * 9)
@example("`a.md` was deleted")
def test_every_finding_points_to_where_it_stands(text: str) -> None:
    for found in findings(text):
        assert text[found.start : found.end] == found.matched != ""
        assert found.matched in found.sentence
        assert found.sentence in text


@given(texts)
def test_sentences_come_in_order_and_do_not_overlap(text: str) -> None:
    end = 0
    for sentence in read_text(text).sentences:
        assert end <= sentence.start < sentence.end <= len(text)
        assert sentence.text == text[sentence.start : sentence.end]
        assert len(sentence.prose) == len(sentence.text)
        end = sentence.end


@given(st.lists(st.sampled_from(PLAIN), max_size=5))
def test_a_paragraph_is_read_as_if_it_stood_alone(paragraphs: list[str]) -> None:
    alone = [found.matched for each in paragraphs for found in find_claims(each)]

    assert [found.matched for found in find_claims("\n\n".join(paragraphs))] == alone


@given(st.sampled_from(PLAIN))
def test_apostrophes_are_alike(text: str) -> None:
    curly = text.replace("'", "’")

    assert [f.start for f in findings(curly)] == [f.start for f in findings(text)]


@given(st.sampled_from(PLAIN))
def test_a_fence_and_a_block_quote_hide_everything(text: str) -> None:
    assert findings(f"```\n{text}\n```") == []
    assert findings(f"> {text}") == []


@given(st.sampled_from(PLAIN))
def test_nothing_is_claimed_in_a_question(text: str) -> None:
    words = " ".join(text.replace(".", " ").replace("!", " ").split())
    question = f"Is it so that {words}?"

    if len(read_text(question).sentences) == 1:
        assert findings(question) == []


@given(texts, st.booleans())
def test_an_override_for_all_leaves_nothing_open(text: str, exists: bool) -> None:
    found = find_claims(text)
    evidence = [Read(path, exists=exists) for claim in found for path in claim.files]
    override = Override("known to be read wrongly")

    failures, used = find_unsupported(found, evidence)
    left, needed = find_unsupported(found, evidence, [override])

    assert used == ()
    assert left == ()
    assert needed == ((override,) if failures else ())


@given(st.text(max_size=80))
def test_any_command_is_looked_at(command: str) -> None:
    assert is_silent(f"{command} 2>/dev/null")
    assert is_silent(command) in (True, False)
