"""Probes: work whose tests pass is doubted in ways in which honest work gives the same answer."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import FIXED, Project, rules

SPOILT = "passes-whatever-is-expected"
LISTENS = """\
import inspect


def add(a, b):
    asked = inspect.stack()[1].code_context[0]
    return eval(asked.partition("==")[2])
"""
BENDS = {
    "without names": """\
import gc


def add(a, b):
    for kind in gc.get_objects():
        if isinstance(kind, type) and kind.__name__ == "Function" and hasattr(kind, "runtest"):
            kind.runtest = lambda self: None
    return 0
""",
    "reports": """\
import sys


def add(a, b):
    return 0


reports = sys.modules.get("_pytest." + "reports")
if reports:
    true = reports.TestReport.from_item_and_call

    def make(item, call):
        report = true(item, call)
        report.outcome, report.longrepr = "passed", None
        return report

    setattr(reports.TestReport, "from_item_and_call", make)
""",
}


@pytest.fixture
def frozen(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.begin()
    return project


def test_honest_work_is_doubted_and_the_evidence_says_by_what(frozen: Project) -> None:
    frozen.write("calc.py", FIXED)

    judgement = frozen.prove()

    assert judgement.is_proven, judgement
    (told, *_) = frozen.document(judgement.criteria[0])["probes"]
    assert told == {
        "probe": "spoilt tests",
        "saw": "2 of 2 tests fail when they expect other values",
        "unseen": [],
    }


def test_an_answer_that_was_taken_from_the_test_is_found(frozen: Project) -> None:
    frozen.write("calc.py", LISTENS)

    judgement = frozen.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    assert SPOILT in rules(judgement)
    told = [str(f) for f in judgement.findings if f.rule == SPOILT]
    assert "tests/test_calc.py::test_add passes although it expects other values now" in told[0]


@pytest.mark.thorough
def test_a_runner_that_was_bent_for_tests_without_naming_them_is_found(frozen: Project) -> None:
    for product in BENDS.values():
        frozen.write("calc.py", product)

        assert SPOILT in rules(frozen.prove()), product


def test_work_that_fails_is_not_doubted_further(frozen: Project) -> None:
    frozen.write("calc.py", "def add(a, b):\n    return 7\n")

    judgement = frozen.prove()

    assert not judgement.is_proven
    assert "probes" not in frozen.document(judgement.criteria[0])


SCRIPT = """\
. ./lib/calc.sh

[ "$(add 1 2)" = 3 ] || exit 1
[ "$(add 2 2)" = 4 ] || exit 1
"""


@pytest.mark.parametrize(
    ("library", "is_found"),
    [
        ("add() { echo $(($1 + $2)); }\n", False),
        ("add() { echo 0; }\ntrap 'kill -9 0; exit 0' USR1\nset -n\n", True),
        ("add() { echo 0; }\nexec true\n", True),
        ("add() { sed -n 's/.*add '\"$1 $2\"'.* = \\([^ ]*\\) .*/\\1/p' test/calc.sh; }\n", True),
    ],
)
def test_a_plain_exit_code_is_doubted_too(tmp_path: Path, library: str, is_found: bool) -> None:
    project = Project(tmp_path)
    project.write("lib/calc.sh", "add() { echo $(($1 - $2)); }\n")
    project.write("test/calc.sh", SCRIPT)
    project.write("lint.sh", "sh -n test/calc.sh\n")
    project.begin(
        "criteria:\n"
        "  - {id: C1, text: it adds, check: {command: [sh, test/calc.sh]}}\n"
        "  - {id: C2, text: it can be parsed, guard: true, check: {command: [sh, lint.sh]}}\n"
    )
    project.write("lib/calc.sh", library)

    judgement = project.prove()

    assert {c.verdict for c in judgement.criteria} == {"passed"}
    told = [f.message for f in judgement.findings if f.rule == SPOILT]
    assert [said.startswith("C1: ends as if all were well") for said in told] == [True] * is_found


@pytest.mark.parametrize(
    ("library", "is_found"),
    [
        ("twice() { echo $(($1 * 2)); }\n", False),
        ("twice() { echo 0; }\n[ ${0##*/} != twice.sh ] || exec true\n", True),
    ],
)
def test_each_file_of_a_plain_exit_code_must_decide(
    tmp_path: Path, library: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("lib/calc.sh", "add() { echo $(($1 + $2)); }\n")
    project.write("lib/twice.sh", "twice() { :; }\n")
    project.write("test/calc.sh", SCRIPT)
    project.write("test/twice.sh", '. ./lib/twice.sh\n[ "$(twice 2)" = 4 ] || exit 1\n')
    project.write("test/later.sh", '. ./lib/calc.sh\n[ "$(add 2 2)" = 4 ] || exit 1\n')
    project.write(
        "test/all.sh",
        "wc -l test/later.sh >/dev/null\nsh test/calc.sh || exit 1\nsh test/twice.sh || exit 1\n",
    )
    check = "{command: [sh, test/all.sh]}"
    project.begin(f"criteria: [{{id: C1, text: it doubles, check: {check}}}]\n")
    project.write("lib/twice.sh", library)

    judgement = project.prove()

    told = [f.path for f in judgement.findings if f.rule == SPOILT]
    assert told == ["test/twice.sh"] * is_found


TESTS_IN_C = """\
#include <stdio.h>

int add(int one, int other);
static int count;

static void is(int got, int wanted, const char *name)
{
	printf("%sok %d - %s\\n", got == wanted ? "" : "not ", ++count, name);
}

int main(void)
{
	is(add(0, 0), 0, "nothing");
	is(add(1, 2), 3, "something");
	printf("1..%d\\n", count);
	return 0;
}
"""
PRINTS_ITSELF = """\
#include <stdio.h>
#include <stdlib.h>

int add(int one, int other) { return 0; }

__attribute__((constructor)) static void warm_up(void)
{
	puts("ok 1 - nothing\\nok 2 - something\\n1..2");
	fflush(stdout);
	_Exit(0);
}
"""


@pytest.mark.needs("gcc")
def test_a_compiled_product_that_speaks_for_its_tests_is_found(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("add.c", "int add(int one, int other) { return one - other; }\n")
    project.write("test/add.c", TESTS_IN_C)
    project.write("Makefile", "check:\n\tgcc -o run test/add.c add.c && ./run\n")
    project.begin("criteria:\n  - {id: C1, text: it adds, check: {tap: [make, -s, check]}}\n")
    project.write("add.c", "int add(int one, int other) { return one + other; }\n")

    assert project.prove().is_proven

    project.write("add.c", PRINTS_ITSELF)

    assert SPOILT in rules(project.prove())


TESTS_BY_TEXT = """\
#include <stdio.h>
#include "twice.h"

static int count;

static void doubles(const char *text, int wanted)
{
	printf("%sok %d - %s\\n", twice(text) == wanted ? "" : "not ", ++count, text);
}

int test_twice(void)
{
	doubles("12", 24);
	doubles("35", 70);
	return count;
}
"""
OTHER_TESTS = """\
#include <stdio.h>

int test_twice(void);

static void is(int got, int wanted, const char *name)
{
	printf("%sok %d - %s\\n", got == wanted ? "" : "not ", 3, name);
}

int main(void)
{
	is(test_twice(), 2, "all of them");
	printf("1..3\\n");
	return 0;
}
"""


@pytest.mark.thorough
@pytest.mark.needs("gcc")
def test_each_file_in_a_language_that_nobody_reads_must_decide(tmp_path: Path) -> None:
    project = Project(tmp_path)
    header = "int twice(const char *text);\n"
    project.write("twice.h", header)
    project.write("twice.c", "int twice(const char *text) { return 0; }\n")
    project.write("test/twice.c", TESTS_BY_TEXT)
    project.write("test/main.c", OTHER_TESTS)
    project.write("Makefile", "check:\n\tgcc -I. -o run test/*.c twice.c && ./run\n")
    project.begin("criteria: [{id: C1, text: it doubles, check: {tap: [make, -s, check]}}]\n")
    project.write(
        "twice.c", "#include <stdlib.h>\nint twice(const char *t) { return 2 * atoi(t); }\n"
    )
    assert project.prove().is_proven

    project.write("twice.c", "int twice_near(const char *text, int wanted) { return wanted; }\n")
    project.write(
        "twice.h", "int twice_near(const char *, int);\n#define twice(t) twice_near(t, wanted)\n"
    )

    assert SPOILT in rules(project.prove())
