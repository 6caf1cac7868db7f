"""Passes that need not be shown again, and everything that makes them worthless."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from goalkeeper.app.trials import Trial
from goalkeeper.core.contract.criteria import Verdict
from goalkeeper.core.contract.findings import Level
from tests.contract.witness.projects import QUICK, TESTS, Project, command, rules
from tests.tables import for_each, sampled

P, F, U = Verdict.PASSED, Verdict.FAILED, Verdict.UNKNOWN
CONFIG = "version = 1\n[witness]\nisolation = 'checkout'\nenv = ['FLAVOUR']\n"


class Counted:
    """A project with a check that leaves a line for each time it ran."""

    def __init__(self, place: Path) -> None:
        self.project = Project(place)
        self.log = place / "log"
        self.log.touch()
        tool = place / "bin/tool"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\necho ran >> {self.log}\ngrep -q "$1" calc.py\n')
        tool.chmod(0o755)
        self.tool = tool
        self.project.environ["PATH"] = f"{tool.parent}:{self.project.environ['PATH']}"
        self.project.environ["FLAVOUR"] = "vanilla"
        self.project.write(".goalkeeper/config.toml", CONFIG)
        self.project.write("uv.lock", "one\n")
        self.project.write(".gitignore", "*.log\n")
        self.freeze()

    def freeze(
        self, check: str = "command: [tool, plus]", paths: str = "[calc.py, data/**]"
    ) -> None:
        declared = f"paths: {paths}" if paths else ""
        self.project.freeze(
            "criteria:\n  - id: C1\n    text: it has a plus\n"
            f"    check: {{{check}}}\n    {declared}\n"
        )
        self.log.write_text("")

    def runs(self) -> int:
        return len(self.log.read_text().splitlines())

    def is_answered(self, **options: object) -> bool:
        """Whether the cache answers now."""
        before = self.runs()
        judged = self.project.judged(**options)
        assert judged.verdict is P, judged
        assert judged.cached is (self.runs() == before)
        return judged.cached


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    counted = Counted(tmp_path)
    counted.project.write("calc.py", "# plus\n")
    assert not counted.is_answered()
    return counted


def nothing(_: Counted) -> None:
    pass


def another_file(counted: Counted) -> None:
    counted.project.write("README.md", "words\n")


def an_ignored_file(counted: Counted) -> None:
    counted.project.write("data/noise.log", "noise\n")


def a_variable_that_no_check_sees(counted: Counted) -> None:
    counted.project.environ["SHELL_LEVEL"] = "7"


@pytest.mark.parametrize(
    "change", [nothing, another_file, an_ignored_file, a_variable_that_no_check_sees]
)
def test_a_pass_is_used_again_when_nothing_relevant_changed(
    change: Callable[[Counted], None], counted: Counted
) -> None:
    change(counted)

    assert counted.is_answered(iteration=2)
    assert counted.runs() == 1


def a_file_it_depends_on(counted: Counted) -> None:
    counted.project.write("calc.py", "# plus plus\n")


def the_mode_of_a_file(counted: Counted) -> None:
    (counted.project.repo.root / "calc.py").chmod(0o755)


def an_untracked_file(counted: Counted) -> None:
    counted.project.write("data/new.csv", "1\n")


def a_lockfile(counted: Counted) -> None:
    counted.project.write("uv.lock", "two\n")


def a_variable_that_checks_see(counted: Counted) -> None:
    counted.project.environ["FLAVOUR"] = "chocolate"


def a_variable_that_is_gone(counted: Counted) -> None:
    del counted.project.environ["FLAVOUR"]


def the_tool(counted: Counted) -> None:
    counted.tool.write_text(counted.tool.read_text() + "# another version\n")


def a_protected_file(counted: Counted) -> None:
    counted.project.write("tests/test_calc.py", TESTS + "# more\n")


def a_protected_file_is_gone(counted: Counted) -> None:
    (counted.project.repo.root / "tests/test_calc.py").unlink()


def a_protected_file_is_new(counted: Counted) -> None:
    counted.project.write("conftest.py", "")


def the_check(counted: Counted) -> None:
    counted.project.write("calc.py", "# nothing\n")
    counted.freeze("command: [tool, plu]")
    counted.project.write("calc.py", "# plus\n")


def the_base(counted: Counted) -> None:
    counted.project.write("calc.py", "# another base\n")
    counted.freeze()
    counted.project.write("calc.py", "# plus\n")


def a_torn_file(counted: Counted) -> None:
    for file in counted.project.place.glob("cache/*/passes/*"):
        file.write_text('{"iteration": 1, "rea')


def somebodys_rubbish(counted: Counted) -> None:
    for file in counted.project.place.glob("cache/*/passes/*"):
        file.write_text(json.dumps([1, 2, 3]))


@pytest.mark.parametrize(
    "change",
    [
        a_file_it_depends_on, the_mode_of_a_file, an_untracked_file, a_lockfile,
        a_variable_that_checks_see, a_variable_that_is_gone, the_tool, a_protected_file,
        a_protected_file_is_gone, a_protected_file_is_new, the_check, the_base, a_torn_file,
        somebodys_rubbish,
    ],
)  # fmt: skip
def test_a_pass_is_worth_nothing_once_this_changes(
    change: Callable[[Counted], None], counted: Counted
) -> None:
    change(counted)

    assert not counted.is_answered(iteration=2)


def test_a_pass_is_used_for_three_iterations(counted: Counted) -> None:
    assert [counted.is_answered(iteration=number) for number in (2, 4, 5)] == [True, True, False]
    assert counted.is_answered(iteration=8)
    assert not counted.is_answered(iteration=3)  # from a plan that was begun anew


def test_the_final_proof_looks_at_nothing_that_was_kept(counted: Counted) -> None:
    judgement = counted.project.prove(iteration=2, final=True)

    assert judgement.uncached
    assert counted.runs() == 2
    assert not counted.project.prove(iteration=3).uncached


def test_a_failure_is_never_kept(counted: Counted) -> None:
    counted.project.write("calc.py", "# nothing\n")

    for iteration in (2, 3):
        judged = counted.project.judged(iteration=iteration)
        assert (judged.verdict, judged.cached) == (F, False)

    assert counted.runs() == 3


@for_each(
    ("check", "paths"),
    [
        ("file: calc.py, contains: plus", "[calc.py]"),
        ("after_time: 2020-01-01", "[calc.py]"),
    ],
)
def test_some_checks_are_always_made(check: str, paths: str, tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    counted.freeze(check, paths)
    counted.project.write("calc.py", "# plus\n")

    for iteration in (1, 2):
        judged = counted.project.judged(iteration=iteration)
        assert (judged.verdict, judged.cached) == (P, False)


def test_what_declares_nothing_is_remembered_while_nothing_changes(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    counted.freeze("command: [tool, plus]", "")
    counted.project.write("calc.py", "# plus\n")
    assert [counted.project.judged(iteration=n).cached for n in (1, 2)] == [False, True]
    counted.project.write("other.txt", "x\n")
    assert not counted.project.judged(iteration=2).cached


def test_another_isolation_needs_another_pass(counted: Counted) -> None:
    counted.project.prove(iteration=2, isolation="none")

    assert counted.runs() == 2


def test_a_guard_that_was_green_on_a_base_runs_there_once_in_one_process(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    project = counted.project
    guards = "criteria:\n" + "".join(
        f"- {{id: V{n}, text: it holds, check: {{command: [tool, {word}]}}, guard: {guard}}}\n"
        for n, (word, guard) in enumerate([("def", "yes"), ("plus", "yes"), ("return", "no")], 1)
    )
    project.freeze(guards)
    trial, witness = project.trial, project.witness
    more = trial.contract.replace(outcomes=("something else",))
    limits = trial.settings.witness.replace(timeout=7)
    project.write("calc.py", "def plus(): return 1\n")
    other = witness.take_snapshot()

    def count_runs(asked: Trial) -> int:
        counted.log.write_text("")
        assert [each.id for each in witness.examine_base(asked).criteria] == ["V1", "V2", "V3"]
        return counted.runs()

    assert count_runs(trial) == 3
    assert count_runs(trial.replace(contract=more)) == 2  # V2 is red, and V3 is no guard
    assert count_runs(trial.replace(cached=False)) == 3  # somebody asks whether it is stable
    assert count_runs(trial.replace(settings=trial.settings.replace(witness=limits))) == 3
    assert count_runs(trial.replace(base=other)) == 3
    counted.log.write_text("")
    assert len(witness.judge_criteria(trial, trial.base)) == counted.runs() == 3  # it is work here


def test_what_speaks_against_the_work_is_not_forgotten(tmp_path: Path) -> None:
    """A pass from the cache would bring no findings with it."""
    project = Project(tmp_path)
    project.freeze(
        "criteria:\n  - id: C1\n    text: add adds\n    paths: [calc.py]\n"
        f"    check: {{pytest: tests, {QUICK}}}\n"
    )
    project.write("calc.py", "def add(a, b):\n    return a + b\n")
    project.write("tests/test_calc.py", TESTS.replace("def test_zero", "def helper"))

    for iteration in (1, 2):
        judgement = project.prove(iteration=iteration)
        vanished = [f for f in judgement.findings if f.rule == "test-vanished"]
        assert [finding.level for finding in vanished] == [Level.ASKING]


SKIPPED = TESTS.replace("def test_zero", "import pytest\n\n\n@pytest.mark.skip\ndef test_zero")


def test_what_was_read_of_a_change_is_said_again(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.freeze(command("grep -q def calc.py"))
    project.write("tests/test_calc.py", SKIPPED)

    first, again, final = (
        project.prove(iteration=1), project.prove(iteration=2), project.prove(final=True)
    )  # fmt: skip
    assert "skip-added" in rules(first)
    assert first.findings == again.findings == final.findings


@pytest.mark.parametrize("options", sampled([{"cached": False}, {"final": True}], one_in=2))
def test_who_forges_what_was_read_deceives_only_those_who_ask_the_cache(
    options: dict[str, bool], tmp_path: Path
) -> None:
    project = Project(tmp_path)
    project.freeze(command("grep -q def calc.py"))
    project.write("tests/test_calc.py", SKIPPED)
    project.prove()
    for file in project.place.glob("cache/*/passes/*"):
        if "findings" in file.read_text():
            file.write_text('{"findings":[]}')

    assert "skip-added" not in rules(project.prove())
    assert "skip-added" in rules(project.prove(**options))
    assert "skip-added" in rules(project.prove())


def test_rubbish_is_read_anew(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.freeze(command("grep -q def calc.py"))
    project.write("tests/test_calc.py", SKIPPED)
    before = project.prove().findings
    for rubbish in ('{"findings":[{"rule":7}]}', '{"findings":7}', "[", "{}"):
        for file in project.place.glob("cache/*/passes/*"):
            file.write_text(rubbish)

        assert project.prove().findings == before, rubbish


def test_the_cache_lies_outside_and_is_nobody_elses(counted: Counted) -> None:
    (passes,) = counted.project.place.glob("cache/*/passes")

    assert passes.stat().st_mode & 0o077 == 0
    assert not str(passes).startswith(str(counted.project.repo.root))
    assert os.listdir(passes)
