"""Contracts and briefs that follow from a plan."""

import re
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from goalkeeper.core.campaign.contracts import (
    find_test,
    make_brief,
    make_contract,
    synthesize_manifest,
)
from goalkeeper.core.campaign.expectations import make_criterion
from goalkeeper.core.campaign.plan import PlannedStep
from goalkeeper.core.contract.document import Contract, read_plain, read_text
from goalkeeper.core.contract.on_failure import OnFailure
from goalkeeper.core.plan.brief import Brief, parse_brief
from goalkeeper.core.problems import Problem
from goalkeeper.wire.clients import CLIENTS
from tests.tables import for_each
from tests.unit.core.campaign.small_plans import command, plan, session, step

MANIFEST = """\
manifest:
  expected_paths: [src/a.py]
  min_file_count: 1
  commit_message_pattern: "^feat\\\\(api\\\\):"
  bash_syntax_check: []
  must_contain:
    - {path: src/a.py, pattern: "def add"}
  sandbox_preflight: false
"""


def contract(made: dict[str, Any] | tuple[Problem, ...]) -> dict[str, Any]:
    assert isinstance(made, dict), made
    read = read_plain(made)
    assert isinstance(read, Contract), read
    return made


def contract_of(only: PlannedStep, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    alone = session(only, **fields)
    return contract(make_contract(plan(alone), alone, only))


@for_each(
    ("written", "expected", "check"),
    [
        # A program is run as it stands; what needs a shell gets one.
        ("make test", "", {"command": ["make", "test"]}),
        ("grep -q 'a|b' f", "", {"command": ["grep", "-q", "a|b", "f"]}),
        ('grep -q "$X" f', "", {"shell": 'grep -q "$X" f'}),
        ("cd api && make", "", {"shell": "cd api && make"}),
        ("cd api", "", {"shell": "cd api"}),
        ("A=1 make", "", {"shell": "A=1 make"}),
        ("ls *.py", "", {"shell": "ls *.py"}),
        # Tests are judged by their names where the command is plain.
        ("pytest tests/a.py -q", "", {"pytest": ["tests/a.py"]}),
        ("python -m pytest -x tests/a.py::test_b", "passes", {"pytest": ["tests/a.py::test_b"]}),
        ("pytest tests/a.py", "5 passed", {"pytest": ["tests/a.py"], "min_tests": 5}),
        ("pytest tests", "all 5 tests pass", {"pytest": ["tests"], "min_tests": 5}),
        (
            "pytest tests",
            "5 passed, 1 skipped in 0.3s",
            {"pytest": ["tests"], "min_tests": 5, "max_skips": 1},
        ),
        ("pytest -k add tests", "", {"command": ["pytest", "-k", "add", "tests"]}),
        ("pytest", "", {"command": ["pytest"]}),
        ("pytest /tmp/a.py", "", {"command": ["pytest", "/tmp/a.py"]}),
        ("pytest tests", "no tests", {"command": ["pytest", "tests"], "stdout": "no tests"}),
        # Words that say no more than success.
        ("x", "exit 0", {"command": ["x"]}),
        ("x", "0", {"command": ["x"]}),
        ("x", "All tests pass.", {"command": ["x"]}),
        ("x", "no errors", {"command": ["x"]}),
        ("x", "succeeds with 0 warnings", {"command": ["x"]}),
        ("x", "zero exit code", {"command": ["x"]}),
        ("x", "all 12 tests pass", {"command": ["x"]}),
        # Exit codes.
        ("x", "exit code 3", {"command": ["x"], "exit": 3}),
        ("x", "it exits with 2", {"command": ["x"], "exit": 2}),
        ("x", "exit 2, prints `no file`", {"command": ["x"], "exit": 2, "stdout": "no file"}),
        ("x", '"no file" (exit code 2)', {"command": ["x"], "exit": 2, "stdout": "no file"}),
        # All other words are in what it prints.
        ("x", "5 passed", {"command": ["x"], "stdout": r"(?<!\d)5 passed"}),
        ("x", '"OK"', {"command": ["x"], "stdout": "OK"}),
        ("x", '{"ok": true}', {"command": ["x"], "stdout": '{"ok": true}'}),
        ("x", "[]", {"command": ["x"], "stdout": "[]"}),
        ("x", "status 200", {"command": ["x"], "stdout": r"status 200(?!\d)"}),
        ("x", "it prints hello", {"command": ["x"], "stdout": "hello"}),
        ("x", "`a` and `b`", {"command": ["x"], "stdout": "(?s)(?=.*a)(?=.*b)"}),
        ("x", "Found ... files", {"command": ["x"], "stdout": "Found.*files"}),
        # Numbers and silence, which a command that looks for something says in its own way.
        ("ls | wc -l", "0", {"shell": "ls | wc -l", "stdout": r"(?m)^\s*0\s*$"}),
        ("grep -c a f", "0", {"command": ["grep", "-c", "a", "f"], "exit": 1,
                              "stdout": r"(?m)^\s*0\s*$"}),
        ("grep -r a src", "no output", {"command": ["grep", "-r", "a", "src"], "exit": 1,
                                        "stdout": r"\A\s*\Z"}),
        ("! grep a f", "no output", {"shell": "! grep a f", "stdout": r"\A\s*\Z"}),
    ],
)  # fmt: skip
def test_what_a_command_and_its_expectation_become(
    written: str, expected: str, check: dict[str, Any]
) -> None:
    made = make_criterion(command(written, expected), "C1")

    assert isinstance(made, dict), made
    found = made["check"] | {"stdout": unescape(made["check"].get("stdout", ""))}
    assert found == {"stdout": "", **check}
    assert isinstance(read_plain({"criteria": [made]}), Contract)


def unescape(pattern: str) -> str:
    return re.sub(r"\\([^\w])", r"\1", pattern)


@for_each("expected", ["non-zero", "exit code != 0", "fails", "non-77 exit code", "exit 300"])
def test_what_no_check_can_ask_for_is_a_problem(expected: str) -> None:
    only = step(verify=(command("x", expected, 7),))
    alone = session(only)
    found = make_contract(plan(alone), alone, only)

    assert isinstance(found, tuple)
    assert [each.where for each in found] == ["S01 step 1, line 7"]


def test_what_still_passes_is_a_guard() -> None:
    made = contract_of(step(verify=(command("make test", "still passes"),)))

    assert made["criteria"][0]["guard"] is True


def test_the_criteria_of_a_steps_own_contract_come_first() -> None:
    own = "criteria: [{id: C1, text: it adds, check: {command: [make, add]}}]\ndepends_on: [G007]"
    made = contract_of(step(contract=own, verify=(command("make add"), command("make sub"))))

    assert [(each["id"], each["check"]["command"]) for each in made["criteria"]] == [
        ("C1", ["make", "add"]),
        ("C2", ["make", "sub"]),
    ]
    assert "depends_on" not in made


def test_the_exit_condition_is_judged_with_the_last_step() -> None:
    first, last = (step(n, verify=(command(f"make {n}"),)) for n in (1, 2))
    leave = (
        command("make 2"),  # the step asks for it already
        command("make all", "exit 0"),
        command("All changes committed with descriptive messages"),
        command("No uncommitted changes remain (git status clean)"),
        command("git status --porcelain", "empty"),
    )
    both = session(first, last, exit=leave)

    assert [c["id"] for c in contract(make_contract(plan(both), both, first))["criteria"]] == ["C1"]
    made = contract(make_contract(plan(both), both, last))
    assert [(c["id"], c["check"]["command"][1]) for c in made["criteria"]] == [
        ("C1", "2"),
        ("X1", "all"),
    ]


def test_a_manifest_keeps_its_meaning() -> None:
    made = contract_of(step(manifest=MANIFEST))

    wanted = yaml.safe_load(MANIFEST)["manifest"]
    assert made["manifest"] == {
        name: value for name, value in wanted.items() if value and name != "sandbox_preflight"
    }
    assert contract_of(step(manifest=yaml.safe_dump(wanted))) == made


def test_nothing_outside_the_fence_may_change_nor_secrets_or_settings_within() -> None:
    mine = session(step(), touch=("src/a", "go.sum"), never=("docs", "~/.ssh", ".git/hooks"))
    scope = contract(make_contract(plan(mine), mine, mine.steps[0]))["scope"]

    assert scope["touch"] == ["src/a", "go.sum"]
    assert scope["never"][0] == "docs"
    assert "**/.env" in scope["never"]
    assert not any(path.startswith(("~", ".git/")) for path in scope["never"])
    assert {path for row in CLIENTS.values() for path in row.settings.in_project} <= {
        *scope["never"]
    }


@for_each(
    ("words", "path"),
    [
        ("tests/test_a.py, that it adds", "tests/test_a.py"),
        ("`tests/test_a.py::test_adds` as in src/a.py", "tests/test_a.py"),
        ("as src/a.py does, in web/a.test.ts.", "web/a.test.ts"),
        ("none — only words change", ""),
        ("../tests/test_a.py", ""),
        ("a test that it adds", ""),
    ],
)
def test_a_test_that_is_written_first_may_be_brought(words: str, path: str) -> None:
    assert find_test(words) == path
    assert contract_of(step(test_first=words)).get("may_change", []) == ([path] if path else [])


@for_each(
    ("files", "message", "fields"),
    [
        (
            ("src/a.py", "Makefile", "none", "the tests", "/etc/passwd"),
            "feat(api): add x",
            {
                "expected_paths": ["src/a.py", "Makefile"],
                "commit_message_pattern": r"^feat\(api\):",
            },
        ),
        ((), "add x", {}),
    ],
)
def test_a_legacy_step_gets_a_manifest(
    files: tuple[str, ...], message: str, fields: dict[str, Any]
) -> None:
    old = step(files=files, checkpoint=message)
    alone = session(old)

    written = yaml.safe_load(synthesize_manifest(old))
    assert written == {"manifest": {**fields, "legacy_synthesis": True}}
    made = contract(make_contract(plan(alone, version=""), alone, old))
    assert made.get("manifest", {}) == fields
    assert "manifest" not in contract(make_contract(plan(alone), alone, old))


def test_every_problem_of_a_session_is_told_at_once() -> None:
    bad = session(
        step(1, contract="criteria: 7", line=4),
        step(2, manifest="manifest: [", line=20),
        step(3, manifest="expected_paths: [../x]"),
        step(4, verify=(command("true"), command("Docs are good now"))),
    )
    found = make_brief(plan(bad), bad, {1, 2, 3, 4})

    assert isinstance(found, tuple)
    assert [each.where.split(",")[0] for each in found] == [f"S01 step {n}" for n in (1, 2, 3, 4)]


def test_a_step_that_may_be_skipped_keeps_nobody_waiting() -> None:
    policies = (OnFailure.SKIP, OnFailure.RETRY, OnFailure.SKIP, OnFailure.REVERT)
    whole = session(*(step(n, on_failure=policy) for n, policy in enumerate(policies, 1)))
    brief = parse_brief(str(make_brief(plan(whole), whole, {1, 2, 3, 4})))

    assert isinstance(brief, Brief)
    assert [goal.depends_on for goal in brief.goals] == [(), (), ("G002",), ("G002",)]


WORDS = st.text("ab @goal:\n`'\"#\\{}-é", max_size=30) | st.sampled_from(
    ["@goal: x", "a\n@goal\nb", "```contract", "x\n```contract\n```", "\r\n@goal: y"]
)


@given(
    texts=st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=3),
    numbers=st.sets(st.integers(1, 3), min_size=1),
    handoff=WORDS,
)
def test_a_brief_gives_the_chosen_steps_as_goals(
    texts: list[tuple[str, str, str]], numbers: set[int], handoff: str
) -> None:
    steps = tuple(
        step(
            n, title=title, changes=changes, manifest=MANIFEST, verify=(command(f"x '{n}'", said),)
        )
        for n, (title, changes, said) in enumerate(texts, 1)
    )
    whole = session(*steps, context=handoff, touch=("src",), exit=(command("make all"),))
    chosen = [each for each in steps if each.number in numbers]
    made = make_brief(plan(whole, context=handoff), whole, numbers, handoff)
    if not chosen or isinstance(made, tuple):
        return
    brief = parse_brief(made)

    assert isinstance(brief, Brief), brief
    ids = [f"G{n:03d}" for n in range(1, len(chosen) + 1)]
    assert [goal.depends_on for goal in brief.goals] == [(), *((each,) for each in ids)][: len(ids)]
    narrowed = whole.replace(steps=tuple(chosen))
    for one, goal in zip(chosen, brief.goals, strict=True):
        read = read_text(goal.contract)
        assert isinstance(read, Contract)
        wanted = contract(make_contract(plan(whole), narrowed, one))
        assert {name: value for name, value in read.plain.items() if name != "depends_on"} == wanted
    assert brief.goals[-1].contract.count("id: X1") == 1
    assert "No `rm -rf`" in brief.constraints


def test_an_entry_condition_guards_the_first_step_and_no_other() -> None:
    first, last = step(1, verify=(command("make one"),)), step(2, verify=(command("make two"),))
    both = session(first, last, entry_commands=(command("make base"),))
    made = contract(make_contract(plan(both), both, first))
    guards = [(c["id"], c["check"]) for c in made["criteria"] if c.get("guard")]
    assert guards == [("E1", {"command": ["make", "base"]})]
    assert not any(
        c.get("guard") for c in contract(make_contract(plan(both), both, last))["criteria"]
    )


def test_a_test_that_comes_with_the_work_must_fail_without_it() -> None:
    verify = (command("pytest tests/test_new.py -q"), command("pytest tests/test_old.py"))
    only = step(verify=verify, test_first="tests/test_new.py, it adds up")
    alone = session(only)
    made = contract(make_contract(plan(alone), alone, only))
    assert [c.get("new_tests", False) for c in made["criteria"]] == [True, False]
    known = contract(make_contract(plan(alone), alone, only, {"tests/test_new.py"}))
    assert not any(c.get("new_tests") for c in known["criteria"])
