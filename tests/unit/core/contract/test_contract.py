"""Contracts as people write them: every field, and every problem with its line."""

import json

from goalkeeper.core.contract.check_kinds import Check
from goalkeeper.core.contract.document import (
    Contract,
    Criterion,
    read_plain,
    read_text,
)
from tests.tables import for_each
from tests.unit.core.helpers import contract_of
from tests.unit.core.written_contracts import WHOLE, contract, criterion, problems


def test_every_field_of_a_contract_is_read() -> None:
    whole = contract(WHOLE)

    first, second, third = whole.criteria
    assert (first.id, first.text) == ("C1", "malformed rows are rejected with a reason")
    assert (first.check.kind, first.check.main_option) == ("pytest", ("tests/test_intake.py",))
    assert first.check.options["min_tests"] == 3
    assert first.paths == ("src/intake/**", "tests/test_intake.py")
    assert (first.guard, second.guard) == (False, True)
    assert second.check.main_option == ("make", "test")
    assert third.held_out == ("/srv/held/test_secret.py",)
    assert whole.touch == ("src/intake/**", "tests/test_intake.py")
    assert whole.never == (".github/**",)
    assert whole.may_change == ("tests/test_intake.py",)
    assert whole.depends_on == ("G001",)
    assert whole.outcomes == ("a reviewer can see why a row was refused",)


def test_the_manifest_is_a_list_of_checks() -> None:
    assert [(check.kind, check.main_option) for check in contract(WHOLE).manifest] == [
        ("expected_paths", ("src/intake/parse.py",)),
        ("commit_message_pattern", "^feat\\(intake\\):"),
        ("must_contain", ({"path": "src/intake/parse.py", "pattern": "def reject"},)),
    ]


@for_each(
    "empty",
    [
        "manifest: {}",
        "manifest: {expected_paths: [], bash_syntax_check: [], min_file_count: 0}",
        "scope: {}",
        "scope: {touch: []}",
        "criteria: []",
        "may_change: []",
    ],
)
def test_what_is_empty_asks_for_nothing(empty: str) -> None:
    assert contract(empty) == contract("criteria: []")


def test_a_manifest_may_ask_for_a_number_of_files_alone() -> None:
    (check,) = contract("manifest: {min_file_count: 2}").manifest

    assert check == Check("expected_paths", {"expected_paths": (), "min_file_count": 2})


def test_a_contract_is_kept_as_plain_data_without_its_defaults() -> None:
    told = "{id: C1, text: t, guard: false, paths: [], check: {command: [make], exit: 0, env: {}}}"

    assert contract(f"criteria: [{told}]").plain == {
        "criteria": [{"id": "C1", "text": "t", "check": {"command": ["make"]}}]
    }


def test_what_was_frozen_is_read_back_as_it_was() -> None:
    whole = contract(WHOLE)

    again = read_plain(json.loads(json.dumps(whole.plain)))

    assert isinstance(again, Contract)
    assert again == whole
    assert again.digest == whole.digest


def test_a_digest_is_of_what_is_said_and_not_of_how() -> None:
    flow = "criteria: [{check: {timeout: 9, command: [make, one]}, text: it holds, id: C1}]"
    block = (
        "# a remark\ncriteria:\n  - id: C1\n    text: 'it holds'\n    guard: false\n"
        "    check:\n      command:\n        - make\n        - one\n      timeout: 9\n"
    )

    assert contract(flow).digest == contract(block).digest


@for_each(
    "other",
    [
        contract_of(C1="one", C2="two", C3="three"),
        contract_of(C2="two", C1="one"),
        contract_of(C1="one", C2="other"),
        contract_of(C1="one", C2="two") + "\nmay_change: [tests/a.py]",
        contract_of(C1="one", C2="two") + "\nscope: {never: [a]}",
        contract_of(C1="one", C2="two") + "\nmanifest: {min_file_count: 1}",
        contract_of(C1="one", C2="two") + "\nparticipants: [user]",
        contract_of(C1="one", C2="two") + "\nuser_leg_scope: the form",
    ],
)
def test_a_contract_that_says_more_or_less_has_another_digest(other: str) -> None:
    assert contract(other).digest != contract(contract_of(C1="one", C2="two")).digest


@for_each("text", ["", "  \n\t\n"])
def test_an_empty_text_is_a_contract_that_asks_for_nothing(text: str) -> None:
    assert read_text(text) == Contract()


def test_a_criterion_is_found_by_its_id() -> None:
    whole = contract(WHOLE)

    assert whole.find_criterion("C2") == whole.criteria[1]
    assert whole.find_criterion("C9") is None


@for_each("text", ["- a", "words", "42", "null", "[]", "true"])
def test_a_contract_that_is_no_mapping_is_refused(text: str) -> None:
    (problem,) = problems(text)

    assert problem.startswith("line 1: expected a mapping with criteria, manifest, scope, ")


BROKEN = """\
outcomes: [fine]
critera: []
scope:
  touch: src
  nevr: [a]
criteria:
  - id: C1
    text: it holds
    check: {comand: [make]}
  - id: 1C
    text: ''
    check: {command: make}
    gaurd: true
  - text: it holds
    check:
      pytest: tests
      min_tests: none
"""


def test_all_problems_are_told_at_once_in_the_order_of_their_lines() -> None:
    assert problems(BROKEN) == [
        "line 2: unknown field 'critera'; did you mean criteria?",
        "line 4: scope.touch: expected a list",
        "line 5: scope: unknown field 'nevr'; did you mean never?",
        "line 9: criteria[0].check: no kind of check in comand; did you mean command?",
        "line 10: criteria[1].id: expected an id such as C1, not '1C'",
        "line 11: criteria[1].text: expected text",
        "line 12: criteria[1].check.command: expected a list",
        "line 13: criteria[1]: unknown field 'gaurd'; did you mean guard?",
        "line 14: criteria[2]: id is missing",
        "line 17: criteria[2].check.min_tests: expected a whole number",
    ]


def test_lines_are_those_of_the_brief() -> None:
    found = read_text(BROKEN, 101)

    assert isinstance(found, tuple)
    assert [problem.where for problem in found] == [
        f"line {int(line.split()[1].rstrip(':')) + 100}" for line in problems(BROKEN)
    ]


def test_what_has_no_lines_is_named_the_contract() -> None:
    found = read_plain({"scop": {}})

    assert isinstance(found, tuple)
    assert [str(problem) for problem in found] == [
        "contract: unknown field 'scop'; did you mean scope?"
    ]


def test_a_name_like_no_other_is_answered_with_all_of_them() -> None:
    assert problems("scope: {xyz: 1}") == [
        "line 1: scope: unknown field 'xyz'; it has touch, never"
    ]


def test_an_id_is_taken_once() -> None:
    text = contract_of(C1="one") + "\n" + contract_of(C1="two").removeprefix("criteria:\n")

    assert problems(text) == ["line 3: criteria: id C1 is taken by line 2"]


@for_each("name", ["C1", "c-2", "Rows_3", "x" * 32])
def test_an_id_is_a_word(name: str) -> None:
    assert contract(contract_of(**{name: "one"})).criteria[0].id == name


@for_each("name", ["1C", "-C", "C 1", "C.1", "x" * 33, "Cé", "'C1\n'", "''", "7"])
def test_an_id_is_nothing_else(name: str) -> None:
    text = f"criteria:\n- id: {name}\n  text: t\n  check: {{command: [make]}}"

    assert "expected an id such as C1" in " ".join(problems(text))


@for_each(
    ("text", "said"),
    [
        ("criteria: {id: C1}", "criteria: expected a list"),
        ("criteria: C1", "criteria: expected a list"),
        ("criteria: [C1]", "criteria[0]: expected a mapping with id, text, check"),
        ("criteria: [{}]", "criteria[0]: id is missing"),
        ("manifest: []", "manifest: expected a mapping with expected_paths"),
        ("manifest: {must_contain: [{}]}", "manifest.must_contain[0]: path is missing"),
        ("manifest: {must_contain: [{path: a}]}", "must_contain[0]: pattern is missing"),
        ("manifest: {min_file_count: -1}", "min_file_count: expected 0 to"),
        ("manifest: {min_file_count: true}", "min_file_count: expected a whole number"),
        ("manifest: {min_file_count: 1.5}", "min_file_count: expected a whole number"),
        ("manifest: {commit_message_pattern: '('}", "pattern: not a regular expression"),
        ("manifest: {expected_path: [a]}", "unknown field 'expected_path'; did you mean expec"),
        ("scope: src/**", "scope: expected a mapping with touch, never"),
        ("may_change: tests/a.py", "may_change: expected a list"),
        ("may_change: ['']", "may_change[0]: expected a path or test id"),
        ("outcomes: fine", "outcomes: expected a list"),
        ("outcomes: [1]", "outcomes[0]: expected text"),
        ("outcomes: ['--']", "outcomes[0]: expected text"),
        ('outcomes: ["a\\0"]', "outcomes[0]: expected text"),
        ("participants: [agnt]", "expected one of agent, user (did you mean agent?)"),
        ("participants: [7]", "expected one of agent, user"),
        ("user_leg_scope: []", "user_leg_scope: expected text"),
        (criterion("command: [make]", "guard: 'yes'"), "guard: expected true or false"),
        (criterion("command: [make]", "paths: src"), "paths: expected a list"),
        (criterion("command: [make]", "held_out: tests/a.py"), "expected an absolute path"),
        (criterion("command: [make]", "held_out: [../a.py]"), "held_out[0]: expected an absolute"),
        (criterion("pytest: [a/b.py]", "held_out: /b.py, held_out_at: a"), "across a pipe"),
        (criterion("command: [python3, a/b]", "held_out: /b, held_out_at: a"), "in held_out/"),
        (criterion("command: [node, a/b.js]", "held_out_at: a"), "no file is held out"),
        (criterion("command: [node, b.js]", "held_out: /b.js, held_out_at: ../a"), "leads out"),
        (criterion("command: [make]", "new_tests: true"), "command names no tests; use junit, pyt"),
        (criterion("pytest: tests", "new_tests: true, guard: true"), "leave guard out"),
        (criterion("pytest: tests", "new_tests: true, held_out: /b.py"), "leave one of the two"),
    ],
)
def test_a_value_of_another_kind_is_named(text: str, said: str) -> None:
    assert said in " ".join(problems(text))


@for_each(
    ("path", "kept"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("src/", "src"),
        ("src/**", "src/**"),
        ("**", "**"),
        ("**/*.py", "**/*.py"),
        (".", "."),
        ("./", "."),
        ("a..b/c", "a..b/c"),
        (".github/**", ".github/**"),
        (".gitignore", ".gitignore"),
        ("a/.gitkeep", "a/.gitkeep"),
        ("with space.txt", "with space.txt"),
        ("né.txt", "né.txt"),
        ("a~", "a~"),
    ],
)
def test_a_path_inside_the_repository_is_kept_in_its_plain_form(path: str, kept: str) -> None:
    assert contract(f"scope: {{touch: ['{path}']}}").touch == (kept,)


@for_each(
    "path",
    ["/etc/passwd", "~/x", "~root/x", "..", "../x", "a/../../x", "a/..", "./../x", ".//etc/passwd",
     "C:/x", "c:x", "\\\\host\\x", "./~/x", "//x"],
)  # fmt: skip
def test_a_path_that_leads_out_of_the_repository_is_refused(path: str) -> None:
    assert problems(f"scope: {{never: ['{path}']}}") == [
        f"line 1: scope.never[0]: '{path}' leads out of the repository"
    ]


@for_each("path", [".git", ".git/config", "sub/.git/hooks/x", "./.git", ".GIT/x"])
def test_a_path_of_git_is_refused(path: str) -> None:
    assert problems(f"scope: {{touch: [{path}]}}") == [
        f"line 1: scope.touch[0]: '{path}' is git's own"
    ]


@for_each("path", ["''", "' '", "3", "null", "[a]", '"a\\0b"'])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    assert problems(f"scope: {{touch: [{path}]}}") == [
        "line 1: scope.touch[0]: expected a path in the repository"
    ]


@for_each(
    "text",
    ["the page looks nice", "code is clean", "It feels Intuitive", "errors handled properly"],
)
def test_scenario_14_a_matter_of_taste_needs_a_check_or_is_an_outcome(text: str) -> None:
    (found,) = problems(f"criteria: [{{id: C1, text: {text}}}]")

    assert found == (
        f"line 1: criterion C1: '{text}' is for people to judge; give a check that can fail, "
        "or write it under outcomes"
    )


def test_scenario_14_a_criterion_without_a_check_is_refused() -> None:
    assert problems("criteria:\n- id: C1\n  text: rows are counted") == [
        "line 2: criterion C1: it has no check; give one, such as check: {command: [make, test]}"
    ]


def test_taste_is_welcome_where_a_check_decides() -> None:
    made = contract("criteria: [{id: C1, text: it looks good, check: {command: [make, ui]}}]")

    assert made.criteria[0].text == "it looks good"


@for_each("kind", ["manual", "question"])
def test_what_people_answer_is_accepted_and_will_be_unknown(kind: str) -> None:
    (read,) = contract(criterion(f"{kind}: does it read well?")).criteria

    assert read == Criterion("C1", "it holds", Check(kind, {kind: "does it read well?"}))


def test_a_contract_holds_a_thousand_criteria_and_no_more() -> None:
    names = {f"C{n}": "one" for n in range(1001)}

    assert problems(contract_of(**names)) == ["line 1: criteria: at most 1000"]
    names.popitem()
    assert len(contract(contract_of(**names)).criteria) == 1000
