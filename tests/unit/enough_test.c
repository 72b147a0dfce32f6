/* enough_test.c: what enough.h estimates for sets of which the answer is known. Arguments: how many schedules, and in what way they show bits. */
#include "explore/enough.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct enough enough;

int main(int argc, char **argv)
{
	uint64_t seen[HEDDLE_SEEN_BITS / 64];
	int count = argc > 2 ? atoi(argv[1]) : 0;
	for (int i = 0; i < count; i++) {
		memset(seen, 0, sizeof seen);
		int bit = strcmp(argv[2], "same") == 0 ? 7 : strcmp(argv[2], "new") == 0 ? i : i / 2;
		seen[bit / 64] |= 1ul << bit % 64;
		enough_learn(&enough, seen);
	}
	struct enough_estimate left = enough_estimate(&enough);
	printf("%d %d %d %.0f %.0f\n", left.is_known, (int)left.shown, (int)left.recent, left.expected, left.undiscovered);
	return 0;
}
