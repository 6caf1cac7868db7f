"""The `@goal` delimiter contract. Numbers are those of the scenarios in the research notes."""

from goalkeeper.core.plan.brief import Brief, parse_brief
from goalkeeper.core.plan.model import NewGoal
from tests.tables import for_each


def parsed(text: str) -> Brief:
    brief = parse_brief(text)
    assert isinstance(brief, Brief), brief
    return brief


def goals(text: str) -> list[tuple[str, str]]:
    return [(goal.title, goal.objective) for goal in parsed(text).goals]


def problems(text: str) -> list[str]:
    found = parse_brief(text)
    assert isinstance(found, tuple), found
    return [str(problem) for problem in found]


def test_scenario_01_a_brief_without_delimiters_is_one_goal() -> None:
    brief = parsed("\n  Parse the files.\n\n  Reject bad rows.  \n\n")

    assert brief == Brief(
        "", (NewGoal("Parse the files.", "Parse the files.\n\n  Reject bad rows."),)
    )


def test_scenario_02_blocks_become_goals_in_order() -> None:
    text = "@goal: One\nfirst\nlines\n@goal: Two\nsecond\n@goal: Three\nthird\n"

    assert goals(text) == [("One", "first\nlines"), ("Two", "second"), ("Three", "third")]


@for_each("line", ["@goal: T", "@goal:T", "@goal T", "@goal\tT", "@goal:\tT  "])
def test_scenario_03_a_colon_a_space_or_a_tab_opens_a_block(line: str) -> None:
    assert goals(f"before\n{line}\nbody\n") == [("T", "body")]


@for_each("line", ["@goal", "@goal:", "@goal ", "@goal\t", "@goal: \t"])
def test_scenario_04_a_bare_delimiter_borrows_the_first_line_of_its_body(line: str) -> None:
    assert goals(f"{line}\n\n  First line\nsecond\n") == [("First line", "First line\nsecond")]


@for_each(
    "line",
    ["@goalish", "@goals:", "@goal-foo", "@goal.foo", "@goal/foo", "@Goal: x", "@GOAL", "goal: x"],
)
def test_scenario_05_similar_words_are_text(line: str) -> None:
    assert goals(f"@goal: One\nabove\n{line}\nbelow") == [("One", f"above\n{line}\nbelow")]


def test_scenario_06_a_no_break_space_does_not_delimit() -> None:
    assert goals("@goal: One\n@goal\u00a0Two") == [("One", "@goal\u00a0Two")]


@for_each("indent", [" ", "\t", "    "])
def test_scenario_07_an_indented_delimiter_is_text_even_on_the_first_line(indent: str) -> None:
    assert goals(f"{indent}@goal: One\nbody") == [("@goal: One", "@goal: One\nbody")]


def test_scenario_08_a_delimiter_in_the_middle_of_a_line_is_text() -> None:
    assert goals("@goal: One\nsee @goal: Two") == [("One", "see @goal: Two")]


def test_scenario_09_a_title_alone_is_also_the_objective() -> None:
    assert goals("@goal: One\n\n@goal: Two") == [("One", "One"), ("Two", "Two")]


@for_each(("length", "shown"), [(80, "t" * 80), (81, "t" * 77 + "...")])
def test_scenario_10_a_title_is_clipped_behind_80_characters(length: int, shown: str) -> None:
    text = f"@goal: {'t' * length}"

    assert goals(text) == [(shown, "t" * length)]


def test_scenario_10_a_borrowed_title_is_clipped_too() -> None:
    assert goals("w" * 120) == [("w" * 77 + "...", "w" * 120)]


@for_each(
    ("text", "number"),
    [
        ("@goal:\n@goal: Two\nbody", 1),
        ("@goal: One\nbody\n@goal", 2),
        ("@goal: One\n@goal:\n  \n\t\n", 2),
        ("@goal", 1),
    ],
)
def test_scenario_11_an_empty_block_is_refused_and_named(text: str, number: int) -> None:
    assert problems(text) == [f"@goal block {number}: it has no title or objective"]


@for_each("text", ["", "\n\n", "  \t\r\n", "\ufeff", "\ufeff\n"])
def test_an_empty_brief_is_refused(text: str) -> None:
    assert problems(text) == ["brief: it is empty"]


def test_scenario_12_the_preamble_is_constraints_and_no_goal() -> None:
    brief = parsed("\nNo network.\n\nKeep it small.\n\n@goal: One\nbody\n")

    assert brief == Brief("No network.\n\nKeep it small.", (NewGoal("One", "body"),))


def test_scenario_13_crlf_leaves_no_cr_behind() -> None:
    brief = parsed("rules\r\nmore\r\n@goal: One\r\nfirst\r\n\r\nlast\r\n@goal\r\nTwo\r\n")

    assert brief == Brief("rules\nmore", (NewGoal("One", "first\n\nlast"), NewGoal("Two", "Two")))


def test_scenario_14_a_long_objective_is_kept_whole() -> None:
    body = "\n".join(f"requirement {n}" for n in range(700))

    assert len(body) > 10_000
    assert goals(f"@goal: Long\n{body}\n") == [("Long", body)]


def test_scenario_15_one_goal_and_three_goals_are_counted_right() -> None:
    assert len(parsed("just text").goals) == 1
    assert len(parsed("@goal: a\n@goal: b\n@goal: c").goals) == 3


def test_a_byte_order_mark_does_not_hide_the_first_delimiter() -> None:
    assert goals("\ufeff@goal: One\nbody") == [("One", "body")]


def test_a_lone_cr_is_no_line_break() -> None:
    assert goals("@goal: One\na\r@goal: Two\nb") == [("One", "a\r@goal: Two\nb")]


def test_a_delimiter_line_with_a_cr_inside_is_text() -> None:
    assert goals("@goal: One\nbody\n@goal: T\rwo\n") == [("One", "body\n@goal: T\rwo")]


def test_a_colon_after_the_space_belongs_to_the_title() -> None:
    assert goals("@goal :x\nbody") == [(":x", "body")]


def test_a_delimiter_inside_a_code_fence_still_splits() -> None:
    text = "@goal: One\n```\n@goal: Two\n```\n"

    assert goals(text) == [("One", "```"), ("Two", "```")]


def test_inner_indentation_and_blank_lines_of_a_body_are_kept() -> None:
    assert goals("@goal: One\n\n  a\n\n    b\n") == [("One", "a\n\n    b")]
