#include "span.h"

#include <string.h>

int span_sum(FILE *in, FILE *out)
{
	char line[256], text[32];
	long total = 0, seconds;

	while (fgets(line, sizeof line, in)) {
		line[strcspn(line, "\n")] = '\0';
		if (!span_parse(line, &seconds))
			total += seconds;
	}
	span_format(total, text, sizeof text);
	fprintf(out, "total %s\n", text);
	return 0;
}
