#include "span.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[32];

	if (argc == 2 && !strcmp(argv[1], "sum"))
		return span_sum(stdin, stdout) > 0;
	if (argc == 2 && !strcmp(argv[1], "version"))
		return puts(VERSION) < 0;
	if (argc == 3 && !strcmp(argv[1], "format")) {
		span_format(atol(argv[2]), text, sizeof text);
		return puts(text) < 0;
	}
	fputs("usage: span sum | format <seconds> | version\n", stderr);
	return 2;
}
