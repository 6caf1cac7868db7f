"""Probes: answers that tests print, in languages whose questions nobody here reads."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import Project, rules

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


@pytest.mark.needs("gcc")
@pytest.mark.parametrize(
    ("tests", "work", "is_found"),
    [(TESTS, TABLE, True), (TESTS, HONEST, False), (QUIET, HONEST, False), (QUIET, TABLE, False)],
)
def test_a_table_of_answers_is_heard_where_tests_say_what_they_got(
    tmp_path: Path, tests: str, work: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("lib.c", "int minutes(const char *text) { return !text; }\n")
    project.write("test/test_minutes.c", tests)
    project.write("Makefile", "check:\n\tcc -o run test/test_minutes.c lib.c && ./run\n")
    project.freeze("criteria: [{id: C1, text: it reads, check: {tap: [make, -s, check]}}]\n")
    project.write("lib.c", work)

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert ("only-the-tests-inputs" in rules(judgement)) is is_found
