"""Probes: answers that tests print, in languages whose questions nobody here reads."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import Project, rules
from tests.tables import thorough

TESTS = """\
#include <stdio.h>
#include <string.h>

int minutes(const char *text);

static int count;

static void reads(const char *text, int wanted)
{
	int got = minutes(text);

	printf("%sok %d - %s\\n", got == wanted ? "" : "not ", ++count, text);
	if (got != wanted)
		printf("# got %d, wanted %d\\n", got, wanted);
}

int main(void)
{
	reads("11:20", 680);
	reads("12:45", 765);
	reads("13:37", 817);
	reads("14:05", 845);
	reads("15:59", 959);
	reads("16:01", 961);
	reads("17:48", 1068);
	puts("1..7");
	return 0;
}
"""
TABLE = """\
#include <string.h>

static const char ALL[] = "11:20 0680 12:45 0765 13:37 0817 14:05 0845 15:59 0959 16:01 0961 "
	"17:48 1068 ";

int minutes(const char *text)
{
	const char *at = strstr(ALL, text);

	return at ? (at[6] - '0') * 1000 + (at[7] - '0') * 100 + (at[8] - '0') * 10 + at[9] - '0' : 0;
}
"""
HONEST = """\
#include <stdio.h>

int minutes(const char *text)
{
	int hours = 0, rest = 0;

	sscanf(text, "%d:%d", &hours, &rest);
	return hours * 60 + rest;
}
"""
QUIET = TESTS.replace('printf("# got %d, wanted %d\\n", got, wanted)', 'puts("# no")')


def start_project(place: Path, tests: str, library: str = "") -> Project:
    project = Project(place)
    project.write("lib.c", library or "int minutes(const char *text) { return !text; }\n")
    project.write("test/test_minutes.c", tests)
    project.write("Makefile", "check:\n\tcc -o run test/test_minutes.c lib.c && ./run\n")
    project.begin("criteria: [{id: C1, text: it reads, check: {tap: [make, -s, check]}}]\n")
    return project


@pytest.mark.needs("gcc")
@pytest.mark.parametrize(
    ("tests", "work", "is_found"),
    [
        (TESTS, TABLE, True),
        (TESTS, HONEST, False),
        thorough(QUIET, HONEST, False),
        thorough(QUIET, TABLE, False),
    ],
)
def test_a_table_of_answers_is_heard_where_tests_say_what_they_got(
    tmp_path: Path, tests: str, work: str, is_found: bool
) -> None:
    project = start_project(tmp_path, tests)
    project.write("lib.c", work)

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert ("only-the-tests-inputs" in rules(judgement)) is is_found
    assert "knows-the-test" not in rules(judgement)


SUMS = """\
	reads("00:05", 5);
	reads("00:10", 15);
	reads("01:00", 75);
"""
SUM = """\
#include <stdio.h>

int minutes(const char *text)
{
	static int sum;
	int hours = 0, rest = 0;

	sscanf(text, "%d:%d", &hours, &rest);
	sum += hours * 60 + rest;
	return sum < MOST ? sum : MOST;
}
"""
KEPT = """\
int minutes(const char *text)
{
	static const int KEPT[] = {680, 765, 817, 845, 959, 961, 1068};
	static int asked;

	return text[0] ? KEPT[asked++ % 7] : 0;
}
"""


@pytest.mark.needs("gcc")
@pytest.mark.thorough
def test_answers_by_how_often_it_was_asked_are_right_in_one_order_alone(tmp_path: Path) -> None:
    project = start_project(tmp_path, TESTS)
    project.write("lib.c", KEPT)

    assert "knows-the-test" in rules(project.prove())


@pytest.mark.needs("gcc")
@pytest.mark.thorough
def test_calls_that_build_on_each_other_may_need_their_order(tmp_path: Path) -> None:
    rows = [line for line in TESTS.splitlines(keepends=True) if line.startswith("\treads(")]
    tests = TESTS.replace("".join(rows), SUMS).replace("1..7", "1..3")
    project = start_project(tmp_path, tests, SUM.replace("MOST", "20"))
    project.write("lib.c", SUM.replace("MOST", "2000"))

    assert project.prove().is_proven
