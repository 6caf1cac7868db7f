#include "span.h"
#include "tap.h"
#include "tests.h"

static void writes(long seconds, const char *wanted, const char *name)
{
	char text[32];

	span_format(seconds, text, sizeof text);
	is_text(text, wanted, name);
}

void test_format(void)
{
	long seconds = -1;

	writes(0, "0:00:00", "no time");
	writes(59, "0:00:59", "seconds");
	writes(3723, "1:02:03", "hours, minutes and seconds");
	writes(360000, "100:00:00", "hours without end");
	is_text(span_parse("90", &seconds), NULL, "plain seconds can be read");
	is_long(seconds, 90, "plain seconds");
	ok(span_parse("soon", &seconds) != NULL, "a word is refused");
}
