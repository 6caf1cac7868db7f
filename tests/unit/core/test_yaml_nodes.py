"""YAML for contracts: plain data, with lines, whatever somebody sends."""

from goalkeeper.core.problems import Problem
from goalkeeper.core.schema import Node
from goalkeeper.core.yaml_nodes import compose_nodes
from tests.tables import for_each


def problem(text: str, first_line: int = 1) -> str:
    found = compose_nodes(text, first_line)
    assert isinstance(found, tuple), found
    (only,) = found
    return str(only)


def test_values_have_the_line_they_begin_on_and_fields_that_of_their_name() -> None:
    root = compose_nodes("a: 1\nb:\n  - x\n  - y:\n      z\nc: {d: e}\n", 10)

    assert root == Node(
        {
            "a": Node(1, 10),
            "b": Node((Node("x", 12), Node({"y": Node("z", 13)}, 13)), 11),
            "c": Node({"d": Node("e", 15)}, 15),
        },
        10,
    )


def test_nothing_but_remarks_is_an_empty_mapping() -> None:
    assert compose_nodes("# todo\n", 4) == Node({}, 4)


def test_a_date_is_text() -> None:
    root = compose_nodes("a: 2026-01-31\nb: 2026-13-45", 1)

    assert root == Node({"a": Node("2026-01-31", 1), "b": Node("2026-13-45", 2)}, 1)


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert compose_nodes("\ufeffa: b", 1) == Node({"a": Node("b", 1)}, 1)


@for_each(
    ("text", "where"),
    [
        ("a: [1", "line 5: not YAML: "),
        ("a: b: c", "line 5: not YAML: "),
        ("a: 1\nb: 'x", "line 6: not YAML: "),
        ("a: 1\n---\nb: 2", "line 6: not YAML: "),
        ("a: 1\n\tb: 2", "line 6: not YAML: "),
        ("a: *nobody", "line 5: not YAML: "),
        ("a: @x", "line 5: not YAML: "),
        ("a: \x01", "line 5: not YAML: "),
        ("a: \ud800", "line 5: not YAML: "),
        ("a: !!int x", "line 5: not YAML: "),
        ("a: !!float ''", "line 5: not YAML: "),
    ],
)
def test_what_is_not_yaml_is_a_problem_with_a_line(text: str, where: str) -> None:
    assert problem(text, 5).startswith(where)


@for_each(
    "text",
    [
        "a: 1\nb: &x [1]\nc: *x",
        "a: 1\nb: &x y\nc: *x",
        "a: &x {b: c}\nd:\n  <<: *x",
        "a: 1\n\nb: &x\n  - *x",
        "a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]",
    ],
)
def test_aliases_are_refused(text: str) -> None:
    assert problem(text).endswith("aliases are not for contracts: write it out")


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]

    assert "aliases are not for contracts" in problem("\n".join(["a0: &a0 [lol]", *levels]))


@for_each(
    "value",
    [
        "!!python/object/apply:os.system [id]",
        "!!python/object:os.system {}",
        "!!python/name:os.system ''",
        "!mine x",
        "!mine [x]",
        "!mine {x: y}",
        "!!set {x, y}",
        "!!omap [x: y]",
        "!!binary aGk=",
    ],
)
def test_tags_are_refused(value: str) -> None:
    found = problem(f"a: 1\nb: {value}")

    assert found.startswith("line 2: tag ")
    assert found.endswith(" is not for contracts")


@for_each(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3", Problem("line 3", "'a' is given twice")),
        ("x:\n  a: 1\n  'a': 1", Problem("line 3", "'a' is given twice")),
        ("x: [{a: 1, a: 1}]", Problem("line 1", "'a' is given twice")),
    ],
)
def test_a_name_given_twice_is_refused_where_it_is_repeated(text: str, expected: Problem) -> None:
    assert compose_nodes(text, 1) == (expected,)


@for_each("text", ["? [a]\n: b", "? {a: b}\n: c", "'': b"])
def test_a_name_is_text(text: str) -> None:
    assert problem(text) == "line 1: a name is missing, or is not text"


@for_each(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 100_000,
        "a: " + "[" * 33 + "]" * 33,
        "a:\n" + "".join("  " * n + "b:\n" for n in range(1, 40)),
    ],
    ids=["lists", "mappings", "dashes", "just-too-deep", "blocks"],
)
def test_what_is_nested_too_deeply_is_a_problem_and_not_a_crash(text: str) -> None:
    assert problem(text).endswith("nested more than 32 deep")


def test_what_is_wide_is_not_deep() -> None:
    assert isinstance(compose_nodes("a: [" + "[x], " * 1000 + "]", 1), Node)


@for_each("number", ["0x" + "f" * 5000, "1" * 4000, "1" * 5000, "-" + "9" * 40])
def test_a_number_that_cannot_be_printed_is_refused(number: str) -> None:
    assert problem(f"a: 1\nb: {number}") == "line 2: the number is too long"
