#include "tap.h"

#include <stdio.h>
#include <string.h>

static int count, failed;

void ok(int holds, const char *name)
{
	failed += !holds;
	printf("%sok %d - %s\n", holds ? "" : "not ", ++count, name);
}

void is_long(long got, long wanted, const char *name)
{
	ok(got == wanted, name);
	if (got != wanted)
		printf("# got %ld, wanted %ld\n", got, wanted);
}

void is_text(const char *got, const char *wanted, const char *name)
{
	int same = got && wanted ? !strcmp(got, wanted) : got == wanted;

	ok(same, name);
	if (!same)
		printf("# got %s, wanted %s\n", got ? got : "NULL", wanted ? wanted : "NULL");
}

int finish(void)
{
	printf("1..%d\n", count);
	return failed > 0;
}
