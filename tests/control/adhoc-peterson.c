/* Peterson's algorithm for two threads with sequentially consistent atomics. */
#include "check.h"
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int count, is_inside;

static void *work(void *argument)
{
	int me = (int)(long)argument, other = 1 - me;
	for (int i = 0; i < 20; i++) {
		atomic_store(&wants[me], 1);
		atomic_store(&turn, other);
		while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
			;
		CHECK(is_inside == 0);
		is_inside = 1;
		count++;
		is_inside = 0;
		atomic_store(&wants[me], 0);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(work, (void *)0), b = start(work, (void *)1);
	finish(a);
	finish(b);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 40
 * needs: weave
 */
