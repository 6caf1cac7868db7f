#include "span.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct bad {
	long number;
	const char *why;
	char text[256];
	struct bad *next;
};

static char *trim(char *line)
{
	char *end = line + strlen(line);

	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*line))
		line++;
	return line;
}

int span_sum(FILE *in, FILE *out)
{
	struct bad *bad = NULL, **last = &bad, *one;
	char line[256], text[32], *trimmed;
	long total = 0, seconds, number = 0;
	const char *why;
	int count = 0;

	while (fgets(line, sizeof line, in)) {
		number++;
		trimmed = trim(line);
		if (!*trimmed || *trimmed == '#')
			continue;
		why = span_parse(trimmed, &seconds);
		if (!why) {
			total += seconds;
		} else if ((one = malloc(sizeof *one))) {
			one->number = number;
			one->why = why;
			strcpy(one->text, trimmed);
			one->next = NULL;
			*last = one;
			last = &one->next;
			count++;
		}
	}
	span_format(total, text, sizeof text);
	fprintf(out, "total %s\n", text);
	while ((one = bad)) {
		fprintf(out, "line %ld: %s: '%s'\n", one->number, one->why, one->text);
		bad = one->next;
		free(one);
	}
	return count;
}
