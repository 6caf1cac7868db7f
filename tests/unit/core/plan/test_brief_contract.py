"""The fenced contract of a goal block: taken out of the text, and wrong ones located."""

from goalkeeper.core.plan.brief import Brief, parse_brief
from goalkeeper.core.plan.model import NewGoal
from tests.tables import for_each


def fenced(*lines: str) -> str:
    return "\n".join(("```contract", *lines, "```"))


def depending(*dependencies: str) -> str:
    """A brief with one goal for each list of dependencies."""
    blocks = (f"@goal: Goal\n{fenced(f'depends_on: [{names}]')}\n" for names in dependencies)
    return "".join(blocks)


def goals(text: str) -> tuple[NewGoal, ...]:
    brief = parse_brief(text)
    assert isinstance(brief, Brief), brief
    return brief.goals


def problems(text: str) -> list[str]:
    found = parse_brief(text)
    assert isinstance(found, tuple), found
    return [str(problem) for problem in found]


def test_a_contract_is_taken_out_of_the_objective() -> None:
    text = f"@goal: One\nabove\n{fenced('outcomes: [fast]', 'scope: {touch: [a]}')}\nbelow\n"

    assert goals(text) == (
        NewGoal("One", "above\nbelow", (), "outcomes: [fast]\nscope: {touch: [a]}"),
    )


def test_a_contract_serves_a_brief_without_delimiters() -> None:
    assert goals(f"Do it\n{fenced('outcomes: []')}") == (
        NewGoal("Do it", "Do it", (), "outcomes: []"),
    )


def test_a_contract_with_crlf_is_read_like_one_with_lf() -> None:
    text = f"@goal: One\nbody\n{fenced('outcomes: []')}\n"

    assert goals(text.replace("\n", "\r\n")) == goals(text)


def test_each_goal_has_its_own_contract() -> None:
    text = f"@goal: One\n{fenced('outcomes: [one]')}\n@goal: Two\n{fenced('outcomes: [two]')}"

    assert [goal.contract for goal in goals(text)] == ["outcomes: [one]", "outcomes: [two]"]


@for_each("opening", ["```", "```yaml", "```contracts", "``` contract", "contract"])
def test_other_fences_are_text(opening: str) -> None:
    text = f"@goal: One\n{opening}\na: [\n```"

    assert goals(text) == (NewGoal("One", f"{opening}\na: [\n```"),)


def test_an_empty_contract_is_none() -> None:
    assert goals(f"@goal: One\nbody\n{fenced('', '  ')}") == (NewGoal("One", "body"),)


def test_a_block_with_a_contract_alone_is_empty() -> None:
    assert problems(f"@goal:\n{fenced('outcomes: [one]')}") == [
        "@goal block 1: it has no title or objective"
    ]


def test_a_second_contract_is_refused_where_it_begins() -> None:
    text = f"@goal: One\n{fenced('outcomes: [one]')}\n{fenced('outcomes: [two]')}\n"

    assert problems(text) == ["line 5: a goal takes one contract, this is the second"]


def test_an_unclosed_contract_is_refused_where_it_begins() -> None:
    text = "@goal: One\nbody\n```contract\na: 1\n@goal: Two\nbody\n```\n"

    assert problems(text) == ["line 3: the contract is never closed"]


@for_each(
    ("lines", "where"),
    [
        (("a: 1", "b: [1", "c: 2"), "line 7: not YAML"),
        (("a: 1", "b: c: d"), "line 6: not YAML"),
        (("a: *nothing",), "line 5: not YAML"),
        (("a: !!int x",), "line 5: not YAML"),
        (("a: !!python/object:os.system {}",), "line 5: tag tag:yaml.org,2002:python/object"),
    ],
)
def test_bad_yaml_is_refused_with_the_line_of_the_brief(lines: tuple[str, ...], where: str) -> None:
    text = f"rules\n@goal: One\nbody\n{fenced(*lines)}\n"

    assert [problem[: len(where)] for problem in problems(text)] == [where]


@for_each("line", ["- a list", "only words", "42"])
def test_a_contract_that_is_no_mapping_is_refused(line: str) -> None:
    (problem,) = problems(f"@goal: One\n{fenced(line)}")

    assert problem.startswith("line 3: expected a mapping with criteria, manifest, ")


def test_dependencies_are_read_from_the_contract() -> None:
    assert [goal.depends_on for goal in goals(depending("", "G001", "G001, G002"))] == [
        (),
        ("G001",),
        ("G001", "G002"),
    ]


@for_each(
    ("value", "said"),
    [
        ("G001", "depends_on: expected a list"),
        ("", "depends_on: expected a list"),
        ("{G001: x}", "depends_on: expected a list"),
        ("[1]", "depends_on[0]: expected a goal id"),
        ("[[G001]]", "depends_on[0]: expected a goal id"),
        ("[G001, G 2]", "depends_on[1]: expected a goal id, not 'G 2'"),
    ],
)
def test_dependencies_that_are_no_list_of_ids_are_refused(value: str, said: str) -> None:
    assert problems(f"@goal: One\n{fenced(f'depends_on: {value}')}") == [f"line 3: {said}"]


def test_a_dependency_on_an_unknown_goal_is_refused() -> None:
    assert problems(depending("", "G003")) == ["G002, depends_on: there is no goal G003"]


def test_a_dependency_of_a_goal_on_itself_is_refused() -> None:
    assert problems(depending("", "G002")) == ["G002, depends_on: a cycle: G002 → G002"]


def test_a_cycle_is_refused_with_its_way_round() -> None:
    text = depending("G003", "G001", "G002", "G001")

    assert problems(text) == ["G001, depends_on: a cycle: G001 → G003 → G002 → G001"]


def test_every_problem_is_reported_at_once() -> None:
    text = (
        "@goal:\n"
        f"@goal: Two\n{fenced('a: [')}\n"
        f"@goal: Three\n{fenced('- x')}\n"
        f"@goal: Four\n{fenced('depends_on: [G009]')}\n"
        "@goal: Five\n```contract\n"
    )

    found = problems(text)

    assert [problem.partition(":")[0] for problem in found] == [
        "@goal block 1",
        "line 4",
        "line 8",
        "line 15",
        "G004, depends_on",
    ]
