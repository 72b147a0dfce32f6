/* Store then load in two threads, sequentially consistent: both reading 0 is impossible under any schedule. */
#include "check.h"
#include <stdatomic.h>

static atomic_int x, y;
static int seen_x, seen_y;

static void *first(void *argument)
{
	x = 1;
	seen_y = y;
	return argument;
}

static void *second(void *argument)
{
	y = 1;
	seen_x = x;
	return argument;
}

int main(void)
{
	pthread_t a = start(first, NULL), b = start(second, NULL);
	finish(a);
	finish(b);
	printf("%d%d\n", seen_x, seen_y);
	return 0;
}
/*
 * match: ^(01|10|11)$
 */
