/*
 * access.c: one access a step, and nothing else.
 *   access STEPS
 */
#include <stdlib.h>

static volatile int cells[1024];

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 1;
	for (long i = 0; i < steps; i++)
		cells[i & 1023] = (int)i;
	return 0;
}
