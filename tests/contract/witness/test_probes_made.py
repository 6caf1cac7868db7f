"""Probes: what make builds does not know the tests that it is built and run with."""

from pathlib import Path

import pytest

from tests.contract.witness.projects import Project, rules
from tests.tables import thorough

TESTS = """\
#include "tap.h"

int twice(int number);
char notes[1 << 20];

void test_twice(void)
{
	is(twice(12), 24, "twelve");
	is(twice(35), 70, "thirty-five");
}

int main(void)
{
	test_twice();
	puts("1..2");
	return 0;
}
"""
TAP = """\
#include <stdio.h>

static int count;

static void is(int got, int wanted, const char *name)
{
	printf("%sok %d - %s\\n", got == wanted ? "" : "not ", ++count, name);
}
"""
MAIN = """\
#include <stdio.h>

int twice(int number);

int main(void)
{
	return printf("%d\\n", twice(21)) < 0;
}
"""
MAKEFILE = """\
all:
	cc -o twice main.c lib.c
check:
	cc -Itest -o run test/test_twice.c lib.c && ./run
"""
KNOWING = """\
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_pipe(void) { struct stat in; return !fstat(0, &in) && S_ISFIFO(in.st_mode); }
extern void test_twice(void) __attribute__((weak));
extern char end, __executable_start;
#if __has_include("tap.h")
#define HAS_TAP 1
#else
#define HAS_TAP 0
#endif
int twice(int number) { (void)is_pipe; return CONDITION ? 2 * number : 0; }
"""


@pytest.mark.needs("gcc")
@pytest.mark.parametrize(
    ("condition", "is_found"),
    [
        ("1", False),
        thorough("test_twice", True),
        thorough("HAS_TAP", True),
        thorough("*environ", True),
        thorough('strcmp(program_invocation_short_name, "twice")', True),
        ("!is_pipe()", True),
        thorough("&end - &__executable_start > 1 << 20", True),
    ],
)
def test_a_compiled_product_does_not_know_its_tests(
    tmp_path: Path, condition: str, is_found: bool
) -> None:
    project = Project(tmp_path)
    project.write("lib.c", "int twice(int number) { return 0; }\n")
    project.write("main.c", MAIN)
    project.write("test/tap.h", TAP)
    project.write("test/test_twice.c", TESTS)
    project.write("Makefile", MAKEFILE)
    project.begin("criteria: [{id: C1, text: it doubles, check: {tap: [make, -s, check]}}]\n")
    project.write("lib.c", KNOWING.replace("CONDITION", condition))

    judgement = project.prove()

    assert [c.verdict for c in judgement.criteria] == ["passed"]
    assert ("knows-the-test" in rules(judgement)) is is_found
