#include "span.h"

#include <stdlib.h>

const char *span_parse(const char *text, long *seconds)
{
	char *end;

	*seconds = strtol(text, &end, 10);
	return end == text || *end ? "not a number" : NULL;
}

int span_format(long seconds, char *text, size_t size)
{
	long minutes = seconds / 60;

	return snprintf(text, size, "%ld:%02ld:%02ld", minutes / 60, minutes % 60, seconds % 60);
}
