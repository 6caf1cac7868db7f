#include "span.h"

#include <ctype.h>
#include <string.h>

#define MOST (9999 * SPAN_DAY)

static const char UNITS[] = "dhms";
static const long LENGTHS[] = {SPAN_DAY, 60 * 60, 60, 1};

/* Reads digits; more of them than could ever fit count as too many. */
static const char *read_digits(const char *text, long *number)
{
	for (*number = 0; isdigit((unsigned char)*text); text++)
		if (*number <= MOST)
			*number = *number * 10 + (*text - '0');
	return text;
}

/* Reads the minutes and seconds of a clock, which follow the hours. */
static const char *read_clock(const char *text, const char *end, long *seconds)
{
	long unit = 60;

	*seconds *= 60 * 60;
	for (; text < end; text += 3, unit /= 60) {
		if (!unit || text[0] != ':' || end - text < 3)
			return "not a number";
		if (!isdigit((unsigned char)text[1]) || !isdigit((unsigned char)text[2]) || text[1] > '5')
			return "not a number";
		*seconds += ((text[1] - '0') * 10 + text[2] - '0') * unit;
	}
	return NULL;
}

/* Reads one part, such as 2h or 1.5h, whose unit must come after *unit. */
static const char *read_part(const char **text, const char *end, int *unit, long *seconds)
{
	const char *start = *text, *at, *known;
	double fraction = 0, weight = 0.1;
	long whole;

	at = read_digits(start, &whole);
	if (at == start)
		return "not a number";
	if (*at == '.') {
		if (!isdigit((unsigned char)*++at))
			return "not a number";
		for (; isdigit((unsigned char)*at); at++, weight /= 10)
			fraction += weight * (*at - '0');
		if (at < end && at + 1 < end && strchr(UNITS, *at))
			return "not a number";
	}
	known = at < end ? strchr(UNITS, *at) : NULL;
	if (!known)
		return "unknown unit";
	if (known - UNITS <= *unit)
		return "units out of order";
	*unit = known - UNITS;
	if (whole > MOST / LENGTHS[*unit])
		*seconds = MOST + 1;
	else if (*seconds <= MOST)
		*seconds += whole * LENGTHS[*unit] + (long)(fraction * LENGTHS[*unit] + 1e-6);
	*text = at + 1;
	return NULL;
}

const char *span_parse(const char *text, long *seconds)
{
	const char *end = text + strlen(text), *at, *why = NULL;
	int unit = -1;
	long whole;

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (text == end)
		return "nothing to read";
	at = read_digits(text, &whole);
	*seconds = 0;
	if (at > text && (at == end || *at == ':')) {
		if (whole > MOST)
			return "too long";
		*seconds = whole;
		why = at < end ? read_clock(at, end, seconds) : NULL;
	} else {
		while (!why && text < end)
			why = read_part(&text, end, &unit, seconds);
	}
	return !why && *seconds > MOST ? "too long" : why;
}

int span_format(long seconds, char *text, size_t size)
{
	long minutes = seconds / 60;

	return snprintf(text, size, "%ld:%02ld:%02ld", minutes / 60, minutes % 60, seconds % 60);
}
