"""Laws of the brief parser, against a definition of its own."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from goalkeeper.core.plan.brief import Brief, parse_brief

DELIMITER = re.compile(r"@goal([: \t][^\r]*)?")

LINES = (
    "@goal", "@goal:", "@goal: Title", "@goal Title", "@goal\tTitle", "@goal :x", "@goal: a\rb",
    "@goalish", "@goals:", "@goal-foo", "@goal.foo", "@goal/foo", "@goal\u00a0x", "@Goal: x",
    " @goal: x", "\t@goal", "see @goal: x", "", "  ", "text", "  indented", "a\rb", "\u2028x",
    "```", "```contract", "outcomes: [x]", "depends_on: [G001]", "depends_on: [G002, G009]", "a: [",
)  # fmt: skip
lines = st.sampled_from(LINES) | st.text(st.characters(exclude_characters="\n", codec="utf-8"))
endings = st.sampled_from(["\n", "\r\n"])
briefs = st.lists(st.tuples(lines, endings)).map(lambda pairs: "".join(a + b for a, b in pairs))
texts = briefs | st.text()

plain_lines = lines.filter(
    lambda line: (
        "\r" not in line and not DELIMITER.fullmatch(line) and line.rstrip() != "```contract"
    )
)
bodies = st.lists(plain_lines, max_size=5)
titles = st.sampled_from(["", " ", "Title", ":x", "@goal"]) | st.from_regex(
    r"[^\r\n]{0,100}", fullmatch=True
)
blocks = st.lists(st.tuples(titles, bodies), min_size=1, max_size=4)


def delimiters(text: str) -> int:
    found = re.split(r"\r?\n", text.removeprefix("\ufeff"))
    return sum(DELIMITER.fullmatch(line) is not None for line in found)


@given(text=texts)
def test_any_text_is_a_brief_or_has_problems(text: str) -> None:
    result = parse_brief(text)

    assert isinstance(result, Brief) or (result and all(map(str, result)))


@given(text=texts)
def test_there_are_as_many_goals_as_delimiter_lines(text: str) -> None:
    assume(not text.endswith("\r"))  # half a line end, which nobody has defined
    result = parse_brief(text)
    assume(isinstance(result, Brief))

    assert isinstance(result, Brief)
    assert len(result.goals) == (delimiters(text) or 1)


@given(text=texts)
def test_every_goal_has_a_short_title_and_an_objective(text: str) -> None:
    result = parse_brief(text)
    assume(isinstance(result, Brief))

    assert isinstance(result, Brief)
    for goal in result.goals:
        assert 0 < len(goal.title) <= 80
        assert len(goal.title.splitlines()) == 1
        assert goal.objective == goal.objective.strip() != ""


@given(preamble=bodies, parts=blocks)
def test_no_line_of_a_body_is_lost(preamble: list[str], parts: list[tuple[str, list[str]]]) -> None:
    written = [line for title, body in parts for line in (f"@goal:{title}", *body)]
    empty = [n for n, (t, body) in enumerate(parts, 1) if not (t + "".join(body)).strip()]

    result = parse_brief("\n".join([*preamble, *written]))

    if empty:
        assert not isinstance(result, Brief)
        assert [problem.where for problem in result] == [f"@goal block {n}" for n in empty]
        return
    assert isinstance(result, Brief)
    assert result.constraints == "\n".join(preamble).removeprefix("\ufeff").strip()
    assert [goal.objective for goal in result.goals] == [
        "\n".join(body).strip() or title.strip() for title, body in parts
    ]


@given(above=bodies, below=bodies, note=st.integers())
def test_a_contract_is_taken_out_and_nothing_else(
    above: list[str], below: list[str], note: int
) -> None:
    contract = ["```contract", f"outcomes: [note {note}]", "```"]

    result = parse_brief("\n".join(["@goal: Title", *above, *contract, *below]))

    assert isinstance(result, Brief)
    (goal,) = result.goals
    assert goal.contract == f"outcomes: [note {note}]"
    assert goal.objective == ("\n".join([*above, *below]).strip() or "Title")


@given(text=texts.map(lambda text: text.replace("\r", "")))
def test_crlf_means_the_same_as_lf_and_leaves_no_cr(text: str) -> None:
    result = parse_brief(text.replace("\n", "\r\n"))

    assert result == parse_brief(text)
    if isinstance(result, Brief):
        kept = [result.constraints, *(goal.title + goal.objective for goal in result.goals)]
        assert "\r" not in "".join(kept)
