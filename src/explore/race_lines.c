/* race_lines.c: see race_lines.h. */
#include "explore/race_lines.h"

#include <stdio.h>
#include <string.h>

/* "race EVENT ADDRESS SIZE INDEX KIND PLACE INDEX KIND PLACE EPOCH" */
static bool read_line(const char *line, struct race_line *race)
{
	return sscanf(line, "race %*s %*s %*s %*s %15s %lx %*s %15s %lx", race->kinds[0], &race->places[0],
		      race->kinds[1], &race->places[1]) == 4;
}

bool race_lines_next(const char *report, size_t size_bytes, size_t *at, struct race_line *race)
{
	char line[256];
	while (*at < size_bytes) {
		const char *start = report + *at, *end = memchr(start, '\n', size_bytes - *at);
		size_t size = end ? (size_t)(end - start) : size_bytes - *at;
		*at += size + 1;
		if (size >= sizeof line || size <= 5 || memcmp(start, "race ", 5) != 0)
			continue;
		memcpy(line, start, size);
		line[size] = '\0';
		if (read_line(line, race))
			return true;
	}
	return false;
}
