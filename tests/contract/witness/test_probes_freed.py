"""Probes: a contract frees files, and what their red tests asked for stays."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import BUGGY, FIXED, QUICK, TESTS, Project, rules
from tests.tables import thorough

RULE = "passes-only-as-changed"
FREED = f"""
criteria:
  - id: C1
    text: add adds
    check: {{pytest: tests, {QUICK}}}
may_change: [tests/**]
"""
# A test that was green may be changed: that is what files are freed for.
OTHER_ZERO = TESTS.replace("add(0, 0) == 0", "add(0, 0) == 1")
ONE_MORE = FIXED.replace("a + b", "a + b or 1")
LOOSE = TESTS.replace("add(1, 2) == 3", "add(1, 2) in (-1, 3)")
RENAMED = LOOSE.replace("test_add", "test_sum")


@pytest.mark.parametrize(
    ("product", "tests", "is_asked"),
    [
        thorough(FIXED, TESTS.replace("3", "3  # one more"), False),
        (ONE_MORE, OTHER_ZERO, False),
        thorough(BUGGY + "\n", LOOSE.replace("test_zero", "test_nothing"), True),
        (BUGGY + "\n", RENAMED, True),
    ],
)
def test_red_tests_in_freed_files_must_be_met_as_they_were(
    tmp_path: Path, product: str, tests: str, is_asked: bool
) -> None:
    project = Project(tmp_path)
    project.begin(FREED)
    project.write("calc.py", product)
    # What is new passes only with the work, so that there is something to prove.
    project.write("tests/test_calc.py", tests + "\n\ndef test_file():\n    import more\n")
    project.write("more.py", "")

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert (RULE in rules(judgement)) is is_asked


@pytest.mark.thorough
def test_new_files_may_need_what_was_changed_beside_them(tmp_path: Path) -> None:
    """The base's helper does not fit the new file, and the base's files alone are met."""
    project = Project(tmp_path)
    project.write("lib.sh", "add() { echo $(($1 - $2)); }\n")
    project.write(
        "test/run.sh", ". ./lib.sh\n. ./test/helper.sh\nfor f in test/case*; do . ./$f; done\n"
    )
    project.write("test/helper.sh", 'same() { [ "$1" = "$2" ] || exit 1; }\n')
    project.write("test/case_1.sh", 'same "$(add 1 2)" 3\n')
    project.begin(
        "criteria: [{id: C1, text: it adds, check: {command: [sh, test/run.sh]}}]\n"
        "may_change: [test/helper.sh, test/case_2.sh]\n"
    )
    more = 'differ() { [ "$1" != "$2" ] || exit 1; }\n'
    project.write("test/case_2.sh", 'differ "$(add 1 2)" 4 || exit 1\n')
    project.write("test/helper.sh", f'same() {{ [ "$1" = "$2" ] || exit 1; }}\n{more}')
    project.write("lib.sh", "add() { echo $(($1 + $2)); }\n")

    judgement = project.prove()
    assert judgement.is_proven, (judgement.findings, judgement.criteria)

    project.write("test/helper.sh", f'same() {{ [ "$1" -le "$2" ] || exit 1; }}\n{more}')
    project.write("lib.sh", "add() { echo $(($1 - $2)) | tr 3 2; }\n")
    assert RULE in rules(project.prove())


@pytest.mark.needs("node")
@pytest.mark.thorough
def test_a_freed_file_that_is_gone_with_what_it_tested_was_not_red(tmp_path: Path) -> None:
    load = "import test from 'node:test';\nimport assert from 'node:assert';\n"
    project = Project(tmp_path)
    project.write("old.mjs", "export const old = () => 1;\n")
    project.write("add.mjs", "export const add = (a, b) => a - b;\n")
    for name, call, wanted in (("old", "old()", 1), ("add", "add(1, 2)", 3)):
        test = f"test('{name}', () => assert.equal({call}, {wanted}));\n"
        project.write(
            f"test/{name}.test.mjs", f"{load}import {{{name}}} from '../{name}.mjs';\n{test}"
        )
    project.begin(
        "criteria: [{id: C1, text: it adds, check: {tap: [node, --test, --test-reporter=tap]}}]\n"
        "may_change: [test/old.test.mjs]\n"
    )
    project.write("add.mjs", "export const add = (a, b) => a + b;\n")
    (project.repo.root / "old.mjs").unlink()
    (project.repo.root / "test/old.test.mjs").unlink()

    assert RULE not in rules(project.prove())
