#include "span.h"
#include "tap.h"
#include "tests.h"

static void refuses(const char *text, const char *why)
{
	long seconds;

	is_text(span_parse(text, &seconds), why, why);
}

void test_refused(void)
{
	refuses("  ", "nothing to read");
	refuses("h30m", "not a number");
	refuses("12y", "unknown unit");
	refuses("30m1h", "units out of order");
	refuses("10000d", "too long");
}
