/* time.c: see time.h. */
#include <time.h>

#include "base/time.h"

double time_now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
