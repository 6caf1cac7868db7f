#ifndef SPAN_H
#define SPAN_H

#include <stdio.h>

#define SPAN_DAY (24L * 60 * 60)

/* Reads a length of time. Returns what is wrong with it, or NULL. */
const char *span_parse(const char *text, long *seconds);

/* Writes seconds as 1:02:03, and returns as snprintf does. */
int span_format(long seconds, char *text, size_t size);

/* Adds up the lines of `in`, and writes the sum to `out`. Returns the number of bad lines. */
int span_sum(FILE *in, FILE *out);

#endif
