"""`contract check`: whether each criterion can tell anything, before any work."""

import json
from pathlib import Path

import pytest

from tests.e2e.project import (
    BROKEN,
    IS_FIXED,
    MENDED,
    SUITE,
    Contract,
    Project,
    contract,
    criterion,
    story,
)
from tests.tables import for_each

IS_BROKEN = {"command": ["grep", "-q", "broken", "product.txt"]}


def rows(project: Project, given: Contract) -> dict[str, tuple[str, bool, str]]:
    """How each criterion looks on the base, whether it is fit, and why."""
    project.begin(given)
    before = project.ledger()

    answer = project.check()

    fit = all(row["fit"] for row in answer.json["criteria"])
    assert (answer.code, answer.json["ok"], answer.err) == (0 if fit else 1, fit, "")
    assert project.ledger() == before
    return {r["id"]: (r["look"], r["fit"], r["reason"]) for r in answer.json["criteria"]}


def test_what_fails_on_the_base_can_tell_something(project: Project) -> None:
    assert rows(project, contract())["C1"] == ("red", True, "exit 1, expected 0")


def test_a_guard_is_green_on_the_base(project: Project) -> None:
    looks = rows(project, contract(criterion("C1", IS_BROKEN, guard=True)))

    assert looks["C1"][:2] == ("guard", True)


def test_every_unfit_criterion_is_named_with_its_cause(project: Project) -> None:
    looks = rows(
        project,
        contract(
            criterion("FIT", IS_FIXED),
            criterion("GREEN", IS_BROKEN),
            criterion("RED-GUARD", IS_FIXED, guard=True),
            criterion("NO-TOOL", {"command": ["no-such-tool", "--now"]}),
            criterion("NO-TOOL-IN-SHELL", {"shell": "no-such-tool --now"}),
            criterion("NO-TESTS", {"pytest": "tests/test_new.py"}),
        ),
    )

    assert looks["FIT"][1] is True
    assert looks["GREEN"][:2] == ("already green", False)
    assert looks["RED-GUARD"][:2] == ("guard is red", False)
    assert looks["NO-TOOL"][:2] == ("unknown", False)
    assert "no-such-tool could not be started" in looks["NO-TOOL"][2]
    assert looks["NO-TOOL-IN-SHELL"][:2] == ("unknown", False)
    assert looks["NO-TESTS"][:2] == ("unknown", False)


def test_tests_that_the_goal_may_write_need_not_be_there_yet(project: Project) -> None:
    given = contract(
        criterion("C1", {"pytest": "tests/test_new.py"}), may_change=["tests/test_new.py"]
    )

    assert rows(project, given)["C1"][:2] == ("no tests yet", True)


def test_questions_wait_for_an_answer(project: Project) -> None:
    looks = rows(project, contract(criterion("C1", {"question": "Is the tone right?"})))

    assert looks["C1"][:2] == ("needs an answer", True)


def test_protected_paths_are_listed_with_the_reason(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            **SUITE,
            "Makefile": "test:\n\tgrep -q fixed product.txt\n",
            ".github/workflows/ci.yml": "on: push\n",
            "tests/golden/out.json": "{}\n",
            "check.sh": "grep -q fixed product.txt\n",
            ".goalkeeper/config.toml": "version = 1\n",
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "product.txt": "broken\n",
        },
    )
    project.begin(
        contract(
            criterion("C1", {"command": ["make", "test"]}),
            criterion("C2", {"command": ["sh", "check.sh"]}),
            may_change=["tests/test_other.py"],
        )
    )

    told = project.check().json
    page = project.run("contract", "check", "--goal-id", "G001").out

    assert told["protected"] == {
        ".goalkeeper/config.toml": "goalkeeper's own",
        ".github/workflows/ci.yml": "CI",
        "Makefile": "make takes its orders from it",
        "check.sh": "check command names it",
        "pyproject.toml": "its tools' tables",
        "tests/conftest.py": "harness",
        "tests/golden/out.json": "test data",
        "tests/test_total.py": "test",
    }
    assert told["may_change"] == ["tests/test_other.py"]
    for words in ("make takes its orders from it", "tests/golden/out.json", "may change: tests/"):
        assert words in page


def test_a_script_that_may_judge_or_be_judged_is_a_note_and_no_refusal(tmp_path: Path) -> None:
    project = Project(
        tmp_path, {"product.txt": "broken\n", "run.sh": "grep -q fixed product.txt\n"}
    )
    run = {"command": ["sh", "run.sh"]}
    project.begin(
        contract(criterion("C1", run)), contract(criterion("C1", run), scope={"never": ["run.sh"]})
    )
    note = (
        "C1 runs run.sh, which this goal may change; "
        "if it judges rather than is judged, add it under scope.never"
    )

    told = project.check()
    page = project.run("contract", "check", "--goal-id", "G001")

    assert (told.code, told.json["notes"]) == (0, [note])
    assert (page.code, page.out.count(f"note: {note}\n")) == (0, 1)
    assert project.check(goal="G002").json["notes"] == []


def test_it_says_what_to_do_next(project: Project) -> None:
    project.begin(contract())

    page = project.run("contract", "check", "--goal-id", "G001")

    assert page.code == 0
    assert "C1         red      ok" in page.out
    assert "next: goalkeeper contract freeze --goal-id G001" in page.out


def test_a_contract_that_is_frozen_already_is_not_to_be_frozen_next(project: Project) -> None:
    project.write({"other.yaml": json.dumps(contract(criterion("C2", IS_FIXED)))})
    project.begin(contract(), None)
    project.ok("contract", "freeze")

    assert next_of(project) == "judge --goal-id G001"
    project.write(MENDED)
    project.judge()
    assert next_of(project).startswith("checkpoint --goal-id G001 --status complete --evidence ")
    other = ("--file", "other.yaml")
    assert next_of(project, *other).startswith("contract amend --goal-id G001 --file other.yaml ")
    fresh = next_of(project, "--goal-id", "G002", *other)
    assert fresh == "contract freeze --goal-id G002 --file other.yaml"


def next_of(project: Project, *more: str) -> str:
    """The command that `contract check` names."""
    page = project.run("contract", "check", *more)
    assert page.code == 0, page
    return page.out.splitlines()[-1].removeprefix("  next: goalkeeper ")


COMMANDS = (
    ("contract", "check"),
    ("contract", "show"),
    ("contract", "freeze"),
    ("contract", "amend", "--reason", "a typing error"),
    ("audit",),
    ("judge",),
)


def test_without_a_name_the_active_goal_is_meant_or_the_only_one(project: Project) -> None:
    project.begin(contract())
    project.checkpoint("G001", "failed", "no luck")
    for words in COMMANDS:
        assert project.run(*words, "--json", env=project.human()).json["goal_id"] == "G001"

    project.plan(story("Part 1", None) + story("Part 2", contract()), "--archive")
    project.start()
    project.checkpoint("G001", "failed", "no luck")
    project.start()
    for words in COMMANDS:
        assert project.run(*words, "--json", env=project.human()).json["goal_id"] == "G002"


@for_each("words", COMMANDS, ids=" ".join)
def test_without_a_name_and_an_active_goal_one_of_several_must_be_named(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    project = Project(tmp_path)
    project.plan(story("Part 1", contract()) + story("Part 2", contract()))

    answer = project.run(*words, "--json")

    assert (answer.code, answer.reason) == (2, "goal-unnamed")
    assert "G001, G002" in answer.json["error"]["message"]
    assert "--goal-id G001" in answer.hint


@for_each("words", COMMANDS[:1] + COMMANDS[2:4], ids=" ".join)
def test_a_contract_is_not_looked_at_without_isolation(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    project = Project(tmp_path)
    project.begin(contract())

    answer = project.run(*words, "--isolation", "none", "--json", env=project.human())

    assert (answer.code, answer.reason) == (2, "usage")
    assert "'checkout', 'sandbox'" in answer.json["error"]["message"]


def test_a_goal_without_a_contract_is_told_how_to_get_one(project: Project) -> None:
    project.begin(None)

    for verb in ("check", "show", "freeze"):
        answer = project.run("contract", verb, "--goal-id", "G001", "--json")
        assert (answer.code, answer.reason) == (1, "contract-missing")
        assert answer.hint == "goalkeeper contract freeze --goal-id G001 --file contract.yaml"


def test_the_contract_can_come_from_a_file(project: Project) -> None:
    project.write({"contract.yaml": f"criteria:\n  - {criterion('C7', IS_FIXED)}\n"})
    project.begin(None)

    assert [r["id"] for r in project.check("--file", "contract.yaml").json["criteria"]] == ["C7"]


def test_a_file_outside_the_repository_is_for_humans_to_name(project: Project) -> None:
    outside = project.home / "contract.yaml"
    outside.write_text(f"criteria:\n  - {criterion('C1', IS_FIXED)}\n")
    project.begin(None)
    link = project.root / "link.yaml"
    link.symlink_to(outside)

    for path in (outside, Path("../home/contract.yaml"), link):
        refused = project.check("--file", path)
        assert (refused.code, refused.reason) == (2, "path-outside")
    assert project.check("--file", outside, env=project.human()).code == 0


MISTAKES = """\
criteria:
  - id: C1
    text: it works
    check: {comand: [make]}
  - id: C1
    text: twice
    check: {command: [grep, x, y]}
    pahts: [src]
  - id: C3
    text: it looks good
  - id: C4
    text: nothing can go wrong
    check: {command: ["true"]}
  - id: C5
    text: over the hedge
    check: {file: ../outside.txt}
    paths: [/etc/passwd]
  - id: C6
    text: git's own
    check: {file: .git/config}
scop: {touch: [src]}
"""
COMPLAINTS = (
    "line 4: criteria[0].check: no kind of check in comand; did you mean command?",
    "line 5: criteria: id C1 is taken by line 2",
    "line 8: criteria[1]: unknown field 'pahts'; did you mean paths?",
    "line 9: criterion C3: 'it looks good' is for people to judge",
    "line 11: criterion C4: vacuous: true always succeeds",
    "line 16: criteria[4].check.file: '../outside.txt' leads out of the repository",
    "line 17: criteria[4].paths[0]: '/etc/passwd' leads out of the repository",
    "line 20: criteria[5].check.file: '.git/config' is git's own",
    "line 21: unknown field 'scop'; did you mean scope?",
)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A goal without a contract, for many tests: bad contracts do not change it."""
    return Project(tmp_path_factory.mktemp("waiting"), BROKEN).begin(None)


@for_each("verb", ["check", "freeze"])
def test_every_mistake_in_a_contract_is_named_with_its_line(waiting: Project, verb: str) -> None:
    waiting.write({"bad.yaml": MISTAKES})
    before = waiting.bytes_of_state()

    answer = waiting.run("contract", verb, "--goal-id", "G001", "--file", "bad.yaml", "--json")

    assert (answer.code, answer.reason) == (3, "contract-invalid")
    message = answer.json["error"]["message"]
    assert [words for words in COMPLAINTS if words not in message] == []
    assert answer.hint.startswith("goalkeeper schema contract")
    assert waiting.bytes_of_state() == before


@for_each(
    ("text", "complaint"),
    [
        ("criteria: [", "line 1"),
        ("criteria:\n\t- id: C1", "line 2"),
        ("- C1", "line 1: expected a mapping"),
        ("criteria: []", "it has no criteria"),
        ("", "it has no criteria"),
        ("criteria: &a [*a]", ""),
        ("criteria: [!!python/object/apply:os.system ['false']]", "line 1"),
        ("criteria: [{id: C1, text: t, check: {command: make}}]", "expected a list"),
        ("criteria: [{id: C1, text: t, check: {command: [a], shell: b}}]", "one kind a check"),
        ("criteria: [{id: C1, text: t, check: {metric: [wc]}}]", "give min or max"),
        ("criteria: [{id: C1, text: t, check: {shell: 'make test || true'}}]", "vacuous"),
    ],
)
def test_a_contract_that_cannot_be_used_is_an_error(
    waiting: Project, text: str, complaint: str
) -> None:
    waiting.write({"bad.yaml": text})
    before = waiting.bytes_of_state()

    answer = waiting.check("--file", "bad.yaml")

    assert (answer.code, answer.reason) == (3, "contract-invalid"), answer
    assert complaint in answer.json["error"]["message"]
    assert waiting.bytes_of_state() == before


def test_a_brief_with_a_bad_contract_makes_no_plan(project: Project) -> None:
    brief = f"@goal: A\nDo it.\n```contract\n{MISTAKES}```\n"

    answer = project.run("create-goals", "--brief", brief, "--json")

    assert (answer.code, answer.reason) == (3, "brief-invalid")
    assert "line 7: criteria[0].check: no kind of check" in answer.json["error"]["message"]
    assert not project.state.exists()
