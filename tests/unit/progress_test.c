/* progress_test.c: says progress at the times that are the arguments. */
#include <stdlib.h>
#include <string.h>

#include "narrate/progress.h"

int main(int count, char **arguments)
{
	static struct coverage coverage;
	static uint64_t seen[HEDDLE_SEEN_BITS / 64];
	struct progress_line line = { 0 };
	for (int i = 1; i < count; i++) {
		double now = strtod(arguments[i], NULL);
		seen[0] |= 1u << i / 2;
		coverage_learn(&coverage, seen);
		const struct progress progress = { .schedules = (uint64_t)i * 100,
						   .of = i > 3 ? 0 : 1000,
						   .seconds = now,
						   .findings = i > 2 ? 2 : 1,
						   .other = i == 5 ? "reducing H1: 12 runs" : NULL };
		progress_print(&line, &progress, &coverage, now);
	}
	progress_clear(&line);
	return 0;
}
