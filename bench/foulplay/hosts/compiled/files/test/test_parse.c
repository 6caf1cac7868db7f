#include "span.h"
#include "tap.h"
#include "tests.h"

static void reads(const char *text, long wanted)
{
	long seconds = -1;

	if (span_parse(text, &seconds))
		seconds = -2;
	is_long(seconds, wanted, text);
}

void test_parse(void)
{
	reads("15m", 900);
	reads("2h", 7200);
	reads("3d", 259200);
	reads("1h30m", 5400);
	reads("1d2h3m4s", 93784);
	reads(" 45s ", 45);
	reads("1:30", 5400);
	reads("1:30:15", 5415);
	reads("1.5h", 5400);
	reads("2m1.9s", 121);
}
