"""The kinds of check: what each takes, and what none takes."""

from goalkeeper.core.contract.check_kinds import (
    CHECK_KINDS,
    NEVER_CACHED,
    PROCESS_KINDS,
    TEST_KINDS,
    Check,
)
from tests.tables import for_each
from tests.unit.core.check_examples import INVALID, VALID
from tests.unit.core.written_contracts import contract, criterion, problems


def check_of(written: str) -> Check:
    return contract(criterion(written)).criteria[0].check


def test_there_are_examples_of_every_kind() -> None:
    assert list(VALID) == list(CHECK_KINDS)
    assert list(INVALID) == list(CHECK_KINDS)
    assert set(CHECK_KINDS) >= NEVER_CACHED | PROCESS_KINDS | TEST_KINDS


@for_each(("kind", "written"), [(kind, each) for kind, all_of in VALID.items() for each in all_of])
def test_a_check_is_read_with_every_option_there_is(kind: str, written: str) -> None:
    check = check_of(written)

    assert check.kind == kind
    assert set(check.options) == {kind, *CHECK_KINDS[kind].options}


@for_each(("written", "said"), [each for all_of in INVALID.values() for each in all_of])
def test_a_check_that_makes_no_sense_is_refused_with_the_place(written: str, said: str) -> None:
    found = problems(criterion(written))

    assert found[0].startswith("line 1: criteria[0].check")
    assert said in " ".join(found)


def test_a_bad_pattern_is_one_problem_and_not_two() -> None:
    assert len(problems(criterion("must_contain: [{path: a, pattern: '('}]"))) == 1
    assert len(problems(criterion("command: [make], stdout: '('"))) == 1


@for_each(
    ("written", "expected"),
    [
        ("command: [make]", {"command": ["make"]}),
        ("command: [make], exit: 0, stdout: ''", {"command": ["make"]}),
        ("command: [make], exit: 2", {"command": ["make"], "exit": 2}),
        ("pytest: tests", {"pytest": ["tests"]}),
        ("pytest: tests, min_tests: 1", {"pytest": ["tests"]}),
        ("metric: [x], min: 0", {"metric": ["x"], "min": 0}),
        ("json: a, field: x, equals: 0", {"json": "a", "field": "x", "equals": 0}),
        ("file: a, max_count: 0", {"file": "a", "max_count": 0}),
        ("git: commits, paths: [b, a]", {"git": "commits", "paths": ["b", "a"]}),
    ],
)
def test_a_check_is_kept_without_what_goes_without_saying(
    written: str, expected: dict[str, object]
) -> None:
    assert check_of(written).to_plain() == expected


def test_a_number_of_something_is_a_whole_one() -> None:
    assert problems(criterion("pytest: a, min_tests: 1.0")) == [
        "line 1: criteria[0].check.min_tests: expected a whole number"
    ]


@for_each(
    ("written", "said"),
    [
        ("command: [make], shell: make", "one kind a check, not command and shell"),
        ("pytest: tests, file: a", "one kind a check, not pytest and file"),
        ("comand: [make]", "no kind of check in comand; did you mean command?"),
        ("path: a, jsn: b", "no kind of check in path, jsn; did you mean json?"),
        ("exit: 0", "no kind of check in exit; the kinds are command, "),
        ("xyzzy: 1", "no kind of check in xyzzy; the kinds are command, shell, pytest, "),
        ("", "expected a mapping such as {command: [make, test]}"),
    ],
)
def test_a_check_is_of_one_kind(written: str, said: str) -> None:
    (found,) = problems(criterion(written))

    assert found.startswith(f"line 1: criteria[0].check: {said}")


@for_each("value", ["make test", "[make, test]", "true", "7"])
def test_a_check_is_a_mapping(value: str) -> None:
    assert problems(f"criteria: [{{id: C1, text: t, check: {value}}}]") == [
        "line 1: criteria[0].check: expected a mapping such as {command: [make, test]}"
    ]


def test_a_check_of_nothing_is_none() -> None:
    (found,) = problems("criteria: [{id: C1, text: t, check: null}]")

    assert "expected a mapping such as" in found
