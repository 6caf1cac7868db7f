"""Whole proofs: honest work is proven, and what only looks like it is not."""

import os
from pathlib import Path

import pytest

from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Level
from tests.contract.witness.projects import (
    CONFIG,
    FIXED,
    QUICK,
    SUITE,
    TESTS,
    Project,
    command,
    rules,
)

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def tap(*names: str, **asked: str) -> str:
    """A suite in shell: pytest takes half a second, and it is not the point who asks."""
    lines = [f"echo 1..{len(names)}"]
    for number, name in enumerate(names, 1):
        case = f"{number} - {name}"
        lines.append(f"{asked.get(name, CASES[name])} && echo ok {case} || echo not ok {case}")
    return "\n".join(lines) + "\n"


CASES = {
    "zero": "[ $(sh calc.sh 0 0) = 0 ]",
    "add": "[ $(sh calc.sh 1 2) = 3 ]",
    "more": "[ $(sh calc.sh 2 2) = 4 ]",
    "wish": "[ $(sh calc.sh 1 1) = 3 ]",
    "something": "[ 1 = 1 ]",
}
WRONG, MENDED = "echo $(($1 - $2))\n", "echo $(($1 + $2))\n"
IN_SHELL = "criteria:\n  - {id: C1, text: it adds, check: {tap: [sh, tests/calc.sh]}}\n"
NEW_IN_SHELL = IN_SHELL.replace("calc", "new") + "may_change: [tests/new.sh]\n"


@pytest.fixture
def frozen(project: Project) -> Project:
    """Its suite is its contract, and nothing was done since."""
    project.write("calc.sh", WRONG)
    project.write("tests/calc.sh", tap("zero", "add"))
    project.repo.commit("a suite in shell")
    (before,) = project.freeze(IN_SHELL).criteria
    assert before.verdict is F
    return project


def test_honest_work_is_proven(project: Project) -> None:
    examined = project.freeze()
    before = project.repo.fingerprint()
    assert [(c.verdict, c.reason) for c in examined.criteria] == [
        (F, "1 of 2 tests fail: tests/test_calc.py::test_add")
    ]
    assert not project.prove().is_proven
    assert project.repo.fingerprint() == before
    project.write("calc.py", FIXED)

    judgement = project.prove()

    assert judgement.is_proven, judgement
    assert judgement.tree == project.repo.tree()
    assert judgement.isolation == "checkout"
    assert judgement.uncached
    document = project.document(judgement.criteria[0])
    assert [run["facts"]["side"] for run in document["runs"]] == ["candidate with base's tests"]
    assert document["runs"][0]["facts"]["tests"] == [
        ["tests/test_calc.py::test_zero", "passed"],
        ["tests/test_calc.py::test_add", "passed"],
    ]


def test_a_deleted_test_stands_against_it(frozen: Project) -> None:
    frozen.write("calc.sh", MENDED)
    frozen.write("tests/calc.sh", tap("add"))

    judgement = frozen.prove()

    assert judgement.criteria[0].verdict is P
    assert "test-vanished" in rules(judgement)
    assert not judgement.is_proven


def test_a_weakened_test_changes_nothing(frozen: Project) -> None:
    frozen.write("tests/calc.sh", tap("zero", "add", add="[ $(sh calc.sh 1 2) ]"))

    judgement = frozen.prove()

    (judged,) = judgement.criteria
    assert judged.verdict is F
    assert "with base's tests and harness" in judged.reason


def test_a_harness_that_was_added_changes_nothing(project: Project) -> None:
    project.freeze()
    project.write("conftest.py", "collect_ignore_glob = ['*']\n")
    project.write("pytest.ini", "[pytest]\naddopts = --deselect tests/test_calc.py::test_add\n")

    assert project.judged().verdict is F


def test_tests_that_were_added_need_no_permission(frozen: Project) -> None:
    frozen.write("calc.sh", MENDED)
    frozen.write("tests/calc.sh", tap("zero", "add", "more"))

    judgement = frozen.prove()

    assert judgement.is_proven, judgement
    sides = {run["facts"]["side"] for run in frozen.document(judgement.criteria[0])["runs"]}
    assert sides == {
        "candidate with base's tests",
        "candidate",
        "candidate's tests on base's code",
    }


def test_an_added_test_that_fails_stands_against_it(frozen: Project) -> None:
    frozen.write("calc.sh", MENDED)
    frozen.write("tests/calc.sh", tap("zero", "add", "wish"))

    judged = frozen.judged()

    assert judged.verdict is F
    assert judged.reason.endswith("(with its own tests)")


def test_a_renamed_test_is_not_gone(project: Project) -> None:
    project.freeze()
    project.write("calc.py", FIXED)
    project.write("tests/test_calc.py", TESTS.replace("test_zero", "test_nothing_and_nothing"))

    judgement = project.prove()

    assert "test-vanished" not in rules(judgement)
    assert judgement.is_proven, judgement


def test_tests_the_worker_wrote_prove_something_if_they_fail_on_base(frozen: Project) -> None:
    (before,) = frozen.freeze(NEW_IN_SHELL).criteria
    assert before.verdict is U
    frozen.write("calc.sh", MENDED)
    frozen.write("tests/new.sh", tap("zero", "add"))

    judgement = frozen.prove()

    assert judgement.is_proven, judgement
    assert rules(judgement, Level.ADVISORY) >= {"test-proves-nothing"}


def test_tests_the_worker_wrote_prove_nothing_if_they_pass_on_base(frozen: Project) -> None:
    frozen.freeze(NEW_IN_SHELL)
    frozen.write("tests/new.sh", tap("something"))

    judged = frozen.judged()

    assert judged.verdict is F
    assert judged.reason.endswith("base's code: they prove nothing")


def test_a_failure_from_before_is_not_blamed_on_the_goal(frozen: Project) -> None:
    (before,) = frozen.freeze(IN_SHELL.replace("{id", "{guard: true, id")).criteria
    assert before.verdict is P
    frozen.write("other.sh", "x=1\n")
    assert frozen.prove().is_proven
    frozen.write("calc.sh", "echo 7\n")

    assert frozen.judged().verdict is F


def test_a_product_that_takes_a_test_out_of_the_run_has_failed_it(project: Project) -> None:
    project.write("tests/test_calc.py", TESTS + "\n\ndef test_more():\n    assert add(2, 2) == 4\n")
    project.freeze()
    project.write(
        "calc.py",
        "import gc\n\n\ndef add(a, b):\n"
        "    for found in gc.get_objects():\n"
        "        if type(found).__name__ == 'Session':\n"
        "            found.items[:] = [each for each in found.items if 'more' not in each.name]\n"
        "    return a * 3\n",
    )

    judged = project.judged()

    assert judged.verdict is F
    said = "the runner does not report 1 tests of the base: tests/test_calc.py::test_more"
    assert judged.reason == said


@pytest.mark.needs("make")
def test_what_a_check_was_seen_to_take_its_orders_from_is_the_bases(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("Makefile", "include build/rules\n")
    project.write("build/rules", "test:\n\t@sh tools/run-checks.sh\n")
    project.write("tools/run-checks.sh", ". ./lib.sh; test $(add 1 2) = 3\n")
    project.write("lib.sh", "add() { echo 0; }\n")
    examined = project.freeze("criteria: [{id: C1, text: it adds, check: {command: [make, test]}}]")
    seen = "check C1 was seen to use it"
    assert {path for path, why in examined.protected.items() if why == seen} == {
        "build/rules",
        "tools/run-checks.sh",
    }
    for path, text in (("build/rules", "test:\n\t@true\n"), ("tools/run-checks.sh", "exit 0\n")):
        project.write(path, text)

    assert project.judged().verdict is F

    project.write("lib.sh", "add() { echo $(($1 + $2)); }\n")
    assert project.judged().verdict is P


def test_what_fails_and_then_passes_is_flaky(project: Project, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    project.freeze(command(f"test -e {marker} || {{ touch {marker}; exit 1; }}"))
    marker.unlink()
    project.write("calc.py", FIXED)

    judged = project.judged(passed_before=frozenset({"C1"}))

    assert judged.verdict is U
    assert judged.reason.startswith("flaky: it failed, then passed on the same tree")
    marker.unlink()
    assert project.judged().verdict is F  # never passed before: no need to look twice


def test_what_keeps_failing_is_no_flake(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "log"
    project.write(".goalkeeper/config.toml", CONFIG + "[judge]\nrepeats = 2\n")
    project.freeze(command(f"echo x >> {log}; exit 1"))
    log.unlink()

    assert project.judged(passed_before=frozenset({"C1"})).verdict is F
    assert log.read_text().split() == ["x"] * 3


def test_every_kind_that_reads_is_judged_in_a_proof(project: Project) -> None:
    project.freeze("""
criteria:
  - {id: C1, text: a, check: {file: done.txt}}
  - {id: C2, text: b, check: {json: data.json, field: ok, equals: true}}
  - {id: C3, text: c, check: {bash_syntax_check: [run.sh]}}
  - {id: C4, text: d, check: {git: commits, grep: "^feat"}}
  - {id: C5, text: e, check: {git: clean}}
  - {id: C6, text: f, check: {manual: look at it}}
  - {id: C7, text: g, check: {file_exists_after: done.txt, after: "git:HEAD"}}
manifest: {expected_paths: [done.txt], commit_message_pattern: "^feat", bash_syntax_check: [run.sh]}
""")
    project.write("done.txt", "")
    project.write("data.json", '{"ok": true}')
    project.write("run.sh", "echo fine\n")
    before = project.prove()
    assert {finding.rule for finding in before.open_findings} >= {"manifest-commit-message-pattern"}
    project.repo.commit("feat: done")

    judgement = project.prove()

    assert before.criteria[6].verdict is U  # there was no HEAD
    assert [c.verdict for c in judgement.criteria] == [P, P, P, P, P, U, P], judgement
    assert not judgement.open_findings


def test_scope_and_manifest_are_audited_without_running_anything(project: Project) -> None:
    project.freeze(SUITE + "scope: {touch: [calc.py], never: [secrets/**]}\n")
    project.write("calc.py", FIXED)
    project.write("secrets/key", "k")
    project.write("elsewhere.py", "x = 1\n")

    found = project.witness.audit_change(project.trial, project.witness.take_snapshot())

    assert {(f.rule, f.path) for f in found if f.rule.startswith("scope")} == {
        ("scope-never", "secrets/key"),
        ("scope-touch", "elsewhere.py"),
    }


def test_odd_file_names_do_no_harm(project: Project) -> None:
    project.freeze("""
criteria:
  - {id: C1, text: no text files, check: {file: "*.txt", is: absent}}
scope: {touch: [calc.py]}
""")
    with open(os.path.join(os.fsencode(project.repo.root), b"caf\xe9\n.txt"), "wb"):
        pass

    judgement = project.prove()

    assert judgement.criteria[0].verdict is F
    assert judgement.criteria[0].reason.encode()
    assert {f.rule for f in judgement.open_findings} == {"scope-touch"}


def test_a_judgement_says_which_held_out_files_the_product_can_read(
    project: Project, home: Path
) -> None:
    (home / "hidden").write_text("3\n")
    project.freeze(
        f"criteria:\n  - id: C1\n    text: add adds\n    held_out: {home}/hidden\n"
        "    check: {command: [grep, a + b, calc.py]}\n"
    )
    project.write("calc.py", FIXED)

    judgement = project.prove()

    assert judgement.is_proven
    assert [line for line in judgement.conditions if "held-out files of C1" in line]


def held_out(project: Project, home: Path) -> None:
    (home / "hidden").mkdir()
    (home / "hidden/test_hidden.py").write_text(
        "from calc import add\n\n\ndef test_secret_case():\n    assert add(40, 2) == 42\n"
    )
    project.freeze(
        f"criteria:\n  - id: C1\n    text: add adds\n    held_out: {home}/hidden/test_hidden.py\n"
        f"    check: {{pytest: held_out/test_hidden.py, {QUICK}}}\n"
    )


def test_held_out_checks_give_nothing_away(project: Project, home: Path) -> None:
    held_out(project, home)
    project.write("calc.py", "def add(a, b):\n    return 3\n")

    judged = project.judged()

    assert (judged.verdict, judged.reason) == (F, "held-out: a wrong result")
    seen = b"".join(file.read_bytes() for file in (project.place / "evidence").rglob("*.json"))
    assert b"secret_case" not in seen
    kept = b"".join(file.read_bytes() for file in (project.place / "held_out").rglob("*.json"))
    assert b"secret_case" in kept
    silent = project.judged(silenced=frozenset({"C1"}))
    assert (silent.verdict, silent.evidence) == (U, "")
    project.write("calc.py", FIXED)
    assert project.prove().is_proven


def test_a_test_that_prints_results_into_its_name_is_the_same_test(tmp_path: Path) -> None:
    first = "[ $(cat x) = 2 ] && echo 'ok 1 - x' || echo \"not ok 1 - x: $(cat x)\""
    said = f"echo 1..2\n{first}\necho ok 2 - y\n"
    project = Project(tmp_path)
    project.write("x", "1\n")
    project.write("tests/x.sh", said)
    project.repo.commit("a test in shell")
    project.freeze("criteria:\n  - {id: C1, text: x is 2, check: {tap: [sh, tests/x.sh]}}\n")
    project.write("x", "2\n")
    assert project.prove().is_proven
    project.write("tests/x.sh", said.replace("echo ok 2 - y", "echo ok 2 - z"))
    assert "test-vanished" in rules(project.prove())


def test_tests_that_the_base_stopped_before_are_not_run_there_again(tmp_path: Path) -> None:
    stops = f"cat x >> {tmp_path}/log\necho TAP version 13\n[ $(cat x) = 2 ] || exit 1\n"
    project = Project(tmp_path)
    project.write("x", "1\n")
    project.write("tests/x.sh", f"{stops}echo ok 1 - x\necho 1..1\n")
    (before,) = project.freeze(
        "criteria:\n  - {id: C1, text: x is 2, check: {tap: [sh, tests/x.sh]}}\n"
    ).criteria
    project.write("x", "2\n")

    assert before.verdict is F
    assert project.prove().is_proven
    assert (tmp_path / "log").read_text().split().count("1") == 1


def test_a_report_with_other_names_in_the_same_places_is_not_of_these_tests(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("lib.sh", "twice() { echo 0; }\n")
    test = '. ./lib.sh\n[ "$(twice 2)" = 4 ] || printf "not "\necho "ok 1 - two"\necho 1..1\n'
    project.write("tests/x.sh", test)
    project.freeze("criteria:\n  - {id: C1, text: it doubles, check: {tap: [sh, tests/x.sh]}}\n")
    project.write("lib.sh", "echo 'ok 1 - test 1'\necho 1..1\nexit 0\n")

    assert "test-vanished" in rules(project.prove())
